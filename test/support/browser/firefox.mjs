// Firefox, by the runner's own launcher over WebDriver BiDi (Debian: firefox-esr).
import { existsSync } from 'node:fs';

/** The path of an installed Firefox: $FIREFOX_PATH or Debian's; undefined where there is none. */
export function firefox() {
  const path = process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr';
  return existsSync(path) ? path : undefined;
}

/** A page of a Firefox that cannot emulate the screen's orientation, which the launcher sets together with the size. */
export async function firefoxPage({ context }) {
  const page = await context.newPage();
  const setViewport = page.setViewport.bind(page);
  page.setViewport = async (size) => {
    await setViewport(size).catch((error) => {
      if (!error.message.includes('setScreenOrientationOverride')) throw error;
    });
    await page.waitForFunction(
      ({ width, height }) => globalThis.innerWidth === width && globalThis.innerHeight === height,
      {},
      size,
    );
  };
  return page;
}

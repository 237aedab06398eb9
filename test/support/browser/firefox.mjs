// Firefox, which the test runner's own launcher controls over WebDriver BiDi (Debian: firefox-esr).
import { existsSync } from 'node:fs';

/** The path of an installed Firefox: $FIREFOX_PATH or Debian's, or undefined when none is installed. */
export function firefox() {
  const path = process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr';
  return existsSync(path) ? path : undefined;
}

/** Sets the size of a page although Firefox cannot emulate the orientation, which the library sets with the size. */
export async function setViewportOf(page, size, setViewport = page.setViewport.bind(page)) {
  await setViewport(size).catch((error) => {
    if (!error.message.includes('setScreenOrientationOverride')) throw error;
  });
  await page.waitForFunction(
    ({ width, height }) => globalThis.innerWidth === width && globalThis.innerHeight === height,
    {},
    size,
  );
}

/** A page whose size the test runner can set. */
export async function firefoxPage({ context }) {
  const page = await context.newPage();
  const setViewport = page.setViewport.bind(page);
  page.setViewport = (size) => setViewportOf(page, size, setViewport);
  return page;
}

// Pictures of every state of the gallery into .screens/: `npm run screens [part of a name …]`, such as `npm run screens paid dark`.
// With `--sheets` those of a state in a language come on one sheet, too: .screens/sheets/.
import { mkdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { createServer } from 'vite';
import { states } from '../demo/gallery-states.ts';
import { launchChromium } from '../test/support/launch-chromium.ts';

const widths = [320, 768, 1280];
const themes = ['light', 'dark'];
const languages = ['ru', 'en'];
/** How long a state takes to come, in milliseconds: the next beat of the session, a link that leads nowhere. */
const slow = new Map([
  ['long', 6500],
  ['stuck', 4500],
]);
const wanted = process.argv.slice(2).filter((part) => part !== '--sheets');
const sheets = process.argv.includes('--sheets');

const shots = Object.keys(states)
  .flatMap((state) => languages.map((lang) => ({ state, lang })))
  .flatMap((shot) => themes.map((theme) => ({ ...shot, theme })))
  .flatMap((shot) => widths.map((width) => ({ ...shot, width })))
  .map((shot) => ({ ...shot, name: `${shot.state}.${shot.lang}.${shot.theme}.${shot.width}` }))
  .filter(({ name }) => wanted.every((part) => `.${name}.`.includes(part)));

const folder = new URL('../.screens/', import.meta.url);
await mkdir(new URL('sheets', folder), { recursive: true });

const server = await createServer({ logLevel: 'error', server: { port: 0, host: '127.0.0.1', hmr: false } });
await server.listen();
const address = server.httpServer?.address() as AddressInfo;

await Promise.all(widths.map(photograph));
if (sheets) await makeSheets();
await server.close();

/** Takes all pictures of a width, in a browser of its own, so that every page is one that is seen. */
async function photograph(width: number): Promise<void> {
  const browser = await launchChromium();
  const page = await browser.newPage({ viewport: { width, height: 480 }, hasTouch: width === 320 });
  for (const { state, lang, theme, name } of shots.filter((shot) => shot.width === width)) {
    await page.goto('about:blank');
    await page.goto(
      `http://127.0.0.1:${address.port}/demo/gallery.html#bare&state=${state}&lang=${lang}&theme=${theme}`,
    );
    await page.waitForTimeout(slow.get(state) ?? 600);
    await page.screenshot({ path: new URL(`${name}.png`, folder).pathname, fullPage: true });
  }
  await browser.close();
}

async function makeSheets(): Promise<void> {
  const browser = await launchChromium();
  for (const start of new Set(shots.map(({ state, lang }) => `${state}.${lang}`))) await makeSheet(browser, start);
  await browser.close();
}

/** The pictures whose names begin so beside each other, at three fifths of their size: a row light, a row dark. */
async function makeSheet(browser: Browser, start: string): Promise<void> {
  const names = shots.map(({ name }) => name).filter((name) => name.startsWith(`${start}.`));
  const figures = names.map(async (name) => {
    const picture = await readFile(new URL(`${name}.png`, folder), 'base64');
    return `<figure><figcaption>${name}</figcaption><img src="data:image/png;base64,${picture}"></figure>`;
  });
  const page = await browser.newPage({ viewport: { width: 1480, height: 300 } });
  await page.setContent(`<style>
    body { display: flex; flex-wrap: wrap; gap: 12px; margin: 12px; font: 12px sans-serif; background: #888 }
    figure { margin: 0 } img { display: block; zoom: 0.6 }
  </style>${(await Promise.all(figures)).join('')}`);
  await page.screenshot({ path: new URL(`sheets/${start}.png`, folder).pathname, fullPage: true });
  await page.close();
}

// Pictures of every state of the gallery into .screens/: `npm run screens [part of a name …]`, such as `npm run screens paid dark`.
// With `--sheets` those of a state come on one sheet, too: .screens/sheets/.
import { mkdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser } from 'playwright-core';
import { createServer } from 'vite';
import { states } from '../demo/gallery-states.ts';
import { chrome } from '../test/support/browser/chrome.mjs';

const widths = [320, 768, 1280];
const themes = ['light', 'dark'];
const languages = ['ru', 'en'];
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

const { executablePath, args } = await chrome();
const browser = await chromium.launch({ executablePath, args });
for (const width of widths) {
  const page = await browser.newPage({ viewport: { width, height: 800 }, hasTouch: width === 320 });
  for (const { state, lang, theme, name } of shots.filter((shot) => shot.width === width)) {
    await page.goto('about:blank');
    await page.goto(
      `http://127.0.0.1:${address.port}/demo/gallery.html#bare&state=${state}&lang=${lang}&theme=${theme}`,
    );
    await page.waitForTimeout(state === 'long' ? 4500 : 600);
    await page.screenshot({ path: new URL(`${name}.png`, folder).pathname, fullPage: true });
    console.log(name);
  }
  await page.close();
}
if (sheets) for (const state of new Set(shots.map((shot) => shot.state))) await makeSheet(browser, state);
await browser.close();
await server.close();

/** All pictures of a state beside each other, at two fifths of their size. */
async function makeSheet(browser: Browser, state: string): Promise<void> {
  const names = shots.filter((shot) => shot.state === state).map(({ name }) => name);
  const figures = names.map(async (name) => {
    const picture = await readFile(new URL(`${name}.png`, folder), 'base64');
    return `<figure><figcaption>${name}</figcaption><img src="data:image/png;base64,${picture}"></figure>`;
  });
  const page = await browser.newPage({ viewport: { width: 2000, height: 600 } });
  await page.setContent(`<style>
    body { display: flex; flex-wrap: wrap; gap: 12px; margin: 12px; font: 12px sans-serif; background: #888 }
    figure { margin: 0 } img { display: block; zoom: 0.4 }
  </style>${(await Promise.all(figures)).join('')}`);
  await page.screenshot({ path: new URL(`sheets/${state}.png`, folder).pathname, fullPage: true });
  await page.close();
}

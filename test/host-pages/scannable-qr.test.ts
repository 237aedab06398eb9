// A scanner reads the QR wherever a browser, an extension or a printer changes the colours of a page.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { scan } from '../e2e/scan-qr.ts';
import { closePagesAfterEachTest } from '../e2e/visit-page.ts';
import { Buyer } from '../support/buyer.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { openForFile } from '../support/open-for-file.ts';
import { startStandalone } from '../support/start-standalone.ts';
import { fieldFile, payAddress, startHostSite } from './host-site.ts';

const site = await openForFile(startHostSite());
const browser = await openForFile(launchChromium());
const darkening = await openForFile(
  launchChromium({ args: ['--no-sandbox', '--blink-settings=forceDarkModeEnabled=true'] }),
);
for (const one of [browser, darkening]) closePagesAfterEachTest(one);
const server = await openForFile(startStandalone());

interface Row {
  readonly name: string;
  readonly context?: BrowserContextOptions;
  /** Whether the browser darkens pages itself, as Chrome on Android with "Dark theme for sites". */
  readonly isDarkened?: true;
  readonly head?: string;
  readonly theme?: 'light' | 'dark';
  /** Changes the page once the QR is on it. */
  readonly change?: (page: Page) => Promise<unknown>;
}

/** A page in a context of its own, which is closed when the test ends. */
function openPage({ context, isDarkened }: Pick<Row, 'context' | 'isDarkened'>): Promise<Page> {
  const colorScheme = isDarkened ? 'dark' : 'light'; // A browser that darkens pages prefers dark ones.
  const viewport = { width: 1280, height: 1600 };
  return (isDarkened ? darkening : browser).newPage({ viewport, locale: 'en-GB', colorScheme, ...context });
}

/** The last pixel is of the page's own background. */
const isDark = (picture: Buffer): boolean => (PNG.sync.read(picture).data.at(-2) ?? NaN) < 128;

const darkReader = `<script>${fieldFile('darkreader/darkreader.js')}; DarkReader.enable({ brightness: 100, contrast: 90 })</script>`;
const print = (page: Page): Promise<unknown> => page.emulateMedia({ media: 'print' });

const rows: readonly Row[] = [
  { name: 'a page that nothing changes' },
  { name: 'the dark theme', theme: 'dark' },
  { name: 'a page that the browser darkens', isDarkened: true },
  { name: 'a page that the browser darkens, with the light theme', isDarkened: true, theme: 'light' },
  {
    name: 'a page that the browser darkens, although light ones are preferred',
    isDarkened: true,
    context: { colorScheme: 'light' },
  },
  { name: 'a page that Dark Reader darkens', head: darkReader },
  { name: 'a page that Dark Reader darkens, with the dark theme', head: darkReader, theme: 'dark' },
  { name: 'forced colours, dark', context: { forcedColors: 'active', colorScheme: 'dark' } },
  { name: 'forced colours, light', context: { forcedColors: 'active', colorScheme: 'light' } },
  { name: 'print', change: print },
  { name: 'print of the dark theme', theme: 'dark', change: print },
  { name: 'a screen of one and a half pixels', context: { deviceScaleFactor: 1.5 } },
  { name: 'a screen of 2.75 pixels', context: { deviceScaleFactor: 2.75 } },
  { name: 'a page that is zoomed to 67 %', head: '<style>html { zoom: 0.67 }</style>' },
  { name: 'a page that is zoomed to 310 %', head: '<style>html { zoom: 3.1 }</style>' },
];

describe('a scanner reads the QR of the widget', { timeout: 300_000 }, () => {
  for (const { name, head = '', theme, change, ...row } of rows)
    it(`on ${name}`, async () => {
      const page = await openPage(row);
      const attributes = theme === undefined ? '' : ` theme="${theme}"`;
      await page.goto(site.addPage({ head, body: '{widget}', attributes }));
      await page.locator('[part=continue]').click();
      const qr = page.getByRole('img', { name: 'QR code to pay' });
      await qr.waitFor();
      if (head === darkReader) await page.locator('.darkreader').first().waitFor({ state: 'attached' });
      await change?.(page);
      const picture = await page.screenshot({ fullPage: true });
      assert.equal(scan(picture), payAddress);
      if (row.isDarkened ?? head === darkReader) assert.ok(isDark(picture), 'nothing has darkened the page');
    });
});

const scriptless: readonly Row[] = [
  { name: 'that the browser darkens', isDarkened: true },
  {
    name: 'that the browser darkens, although light ones are preferred',
    isDarkened: true,
    context: { colorScheme: 'light' },
  },
  { name: 'in forced colours', context: { forcedColors: 'active', colorScheme: 'dark' } },
  { name: 'in the dark theme', context: { colorScheme: 'dark' } },
  { name: 'that is printed', change: print },
];

describe('a scanner reads the QR of the pay page without script', { timeout: 300_000 }, () => {
  for (const { name, change, ...row } of scriptless)
    it(`on a page ${name}`, async () => {
      const page = await openPage({ ...row, context: { javaScriptEnabled: false, ...row.context } });
      const buyer = new Buyer({ url: server.url, sandbox: null });
      await buyer.order();
      await buyer.createInvoice();
      await page.goto(`${server.url}/pay/${buyer.checkoutId}`);
      await change?.(page);
      const { invoice } = await buyer.readCheckout();
      const picture = await page.screenshot({ fullPage: true });
      assert.equal(scan(picture), invoice?.nspk_url);
      if (row.isDarkened) assert.ok(isDark(picture), 'nothing has darkened the page');
      await page.goto(`${server.url}/pay/${buyer.checkoutId}/qr.svg`);
      assert.equal(scan(await page.screenshot()), `${server.url}/pay/${buyer.checkoutId}`);
    });
});

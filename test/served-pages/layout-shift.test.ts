// No page that is served moves by itself (Cumulative Layout Shift of 0) while it loads over a slow connection, nor from its first
// screen to the payment's. Shifts within half a second of an input do not count (https://wicg.github.io/layout-instability/).
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { chooseMethod, sbp } from '../e2e/visit-page.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { openForFile } from '../support/open-for-file.ts';
import { adminToken, createCheckout, createInvoice, payUrl, servers } from './servers.ts';

declare global {
  /** What has moved by itself: its markup, its old and its new place. */
  var moved: string[];
}

/** A layout shift, which TypeScript does not know. */
interface LayoutShift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
  readonly sources: readonly { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
}

interface Row {
  readonly name: string;
  readonly url: string | (() => Promise<string>);
  /** Waits for the first screen, and acts as a payer. */
  readonly visit: (page: Page) => Promise<unknown>;
  readonly isWithoutScript?: true;
}

/** Longer than an input excuses shifts. */
const pastInputMs = 700;
const sizes = [
  { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  { viewport: { width: 1280, height: 900 } },
];

const browser = await openForFile(launchChromium());
const { standalone, sandbox, demo, example } = servers;

function recordShifts(): void {
  globalThis.moved = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries() as LayoutShift[])
      for (const { node, previousRect: from, currentRect: to } of hadRecentInput ? [] : sources)
        globalThis.moved.push(
          [
            value.toFixed(3),
            node instanceof Element ? node.outerHTML.slice(0, 80) : node?.textContent,
            ...[from, to].map(({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ')),
          ].join(' | '),
        );
  }).observe({ type: 'layout-shift', buffered: true });
}

const title = (page: Page): Promise<void> => page.locator('pay-invoice [part=title]').waitFor();
const nothing = (): Promise<void> => Promise.resolve();

/** Chooses SBP and waits for its QR. The answer comes when the click no longer excuses shifts. */
async function chooseSbp(page: Page): Promise<void> {
  await page.route(/\/invoice$/, async (route) => {
    await delay(pastInputMs);
    await route.fallback();
  });
  await chooseMethod(page.locator('pay-invoice'), sbp);
  await page.locator('pay-invoice div.tail').waitFor();
}

async function orderInDemo(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add: Tea bowl' }).click();
  await delay(pastInputMs);
  await page.getByRole('button', { name: 'Place the order' }).click();
  await title(page);
  await delay(pastInputMs);
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Admin token').fill(adminToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Newest payments' }).waitFor();
}

const rows: readonly Row[] = [
  { name: 'the trial’s first page', url: standalone, visit: nothing },
  { name: 'the pay page, to the payment', url: async () => payUrl(await createCheckout()), visit: chooseSbp },
  {
    name: 'the pay page of an invoice',
    url: async () => payUrl((await createInvoice('pm_sbp')).buyer),
    visit: (page) => page.locator('pay-invoice div.tail').waitFor(),
  },
  {
    name: 'the pay page of requisites',
    url: async () => payUrl((await createInvoice('pm_card')).buyer),
    visit: (page) => page.locator('pay-invoice div.tail').waitFor(),
  },
  ...(['pay', 'fail', 'expire'] as const).map((result) => ({
    name: `the pay page after ${result}`,
    url: async () => payUrl((await createInvoice('pm_sbp', result)).buyer),
    visit: title,
  })),
  {
    name: 'the pay page without script',
    url: async () => payUrl(await createCheckout()),
    isWithoutScript: true,
    async visit(page) {
      await page.getByRole('button', { name: 'Pay by SBP' }).click();
      await page.frameLocator('iframe').getByText('not see it').waitFor();
    },
  },
  { name: 'the pay page of no checkout', url: `${standalone}/pay/chk_${'a'.repeat(22)}`, visit: nothing },
  { name: 'the operator’s page', url: `${standalone}/admin`, visit: signIn },
  { name: 'the list of the sandbox’s bank', url: sandbox, visit: nothing },
  {
    name: 'the bank’s page of an invoice',
    url: async () => `${sandbox}/pay/${(await createInvoice('pm_sbp')).invoiceId}?lang=en`,
    async visit(page) {
      await page.getByRole('button', { name: 'Pay' }).click();
      await page.getByRole('link', { name: /Back/ }).waitFor();
    },
  },
  { name: 'the example’s shop', url: example, visit: nothing },
  { name: 'the example’s page after a payment', url: `${example}/paid`, visit: nothing },
  {
    name: 'the demo’s first page, to the payment',
    url: demo,
    visit: (page) => page.locator('pay-invoice div.tail').waitFor(),
  },
  {
    name: 'the demo’s shop, to the payment',
    url: `${demo}/#goods`,
    visit: (page) => orderInDemo(page).then(() => chooseSbp(page)),
  },
  {
    name: 'the demo’s payment, reloaded',
    url: `${demo}/#goods`,
    async visit(page) {
      await orderInDemo(page);
      await page.reload();
      await title(page);
    },
  },
  { name: 'the playground', url: `${demo}/demo/playground.html`, visit: title },
  {
    name: 'the gallery',
    url: `${demo}/demo/gallery.html`,
    visit: (page) => page.locator('#wall .still').first().waitFor(),
  },
  { name: 'a state of the gallery', url: `${demo}/demo/gallery.html#state=options`, visit: title },
];

describe('nothing moves by itself', { timeout: 600_000 }, () => {
  for (const size of sizes)
    for (const { name, url, visit, isWithoutScript } of rows)
      it(`on ${name}, in a window of ${size.viewport.width} px`, async (t) => {
        const address = typeof url === 'string' ? url : await url();
        const context = await browser.newContext({
          locale: 'en-GB',
          ...size,
          ...(isWithoutScript && { javaScriptEnabled: false }),
        });
        t.after(() => context.close());
        const page = await context.newPage();
        const session = await context.newCDPSession(page);
        await session.send('Network.enable');
        const bytesPerSecond = 200_000;
        await session.send('Network.emulateNetworkConditions', {
          offline: false,
          latency: 150,
          downloadThroughput: bytesPerSecond,
          uploadThroughput: bytesPerSecond,
        });
        await page.addInitScript(recordShifts);
        await page.goto(address);
        await visit(page);
        await delay(pastInputMs); // what comes late
        assert.deepEqual(await page.evaluate(() => globalThis.moved), []);
      });

  it('but what moves is seen', async () => {
    const page = await browser.newPage();
    await page.addInitScript(recordShifts);
    await page.setContent('<p>Text</p>');
    await page.evaluate(
      () =>
        new Promise((moved) =>
          setTimeout(
            () => (document.body.prepend('Before', document.createElement('hr')), setTimeout(moved, 100)),
            100,
          ),
        ),
    );
    assert.notDeepEqual(await page.evaluate(() => globalThis.moved), []);
    await page.close();
  });
});

// While a payment is awaited, nothing that the payer scans, copies or presses moves, and the task is seen without scrolling.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { links, makeEndedCheckout, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { PayInvoiceElement } from '../../src/element.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { GalleryPage, serveGalleryPage } from '../visual/gallery-page.ts';

declare global {
  /** What the backend answers now; an undefined answer is a lost connection. */
  var answer: Checkout | undefined;
  /** The sum of the layout shifts that the payer did not cause. */
  var layoutShift: number;
}

let browser: Browser;
let server: Awaited<ReturnType<typeof serveGalleryPage>>;
before(async () => {
  [server, browser] = await Promise.all([serveGalleryPage(), launchChromium()]);
});
after(async () => {
  await browser.close();
  await server.close();
});

/** Mounts a widget whose backend answers each read with `answer`, and counts layout shifts from then on. */
async function mountWidget(page: Page, checkout: Checkout, lang: string): Promise<void> {
  await page.evaluate(
    ([initialAnswer, language]) => {
      globalThis.answer = initialAnswer;
      globalThis.layoutShift = 0;
      const widget: PayInvoiceElement = Object.assign(document.createElement('pay-invoice'), { lang: language });
      widget.transport = {
        async read({ waitSeconds = 0 }) {
          if (waitSeconds > 0 && globalThis.answer)
            await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000));
          if (!globalThis.answer) throw new TypeError('no connection');
          return { kind: 'checkout', checkout: globalThis.answer, etag: '"1"' };
        },
        createInvoice: () => new Promise(() => undefined),
      };
      document.body.replaceChildren(widget);
    },
    [checkout, lang] as const,
  );
}

/** Counts the layout shifts from now on. */
const countShifts = (page: Page): Promise<void> =>
  page.evaluate(() => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if ('value' in entry && typeof entry.value === 'number') globalThis.layoutShift += entry.value;
    }).observe({ type: 'layout-shift' });
  });

/** The places of the QR, the requisites and the buttons, and the number of main buttons. */
const readPlaces = (page: Page): Promise<{ places: string[]; mainButtons: number }> =>
  page.locator('pay-invoice').evaluate(({ shadowRoot }) => {
    const all = [...(shadowRoot?.querySelectorAll('.paper, [part=requisite], .screen button, .screen a') ?? [])];
    return {
      places: all.map((one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return `${one.getAttribute('part') ?? one.className} ${[x, y, width, height].join(' ')}`;
      }),
      mainButtons: shadowRoot?.querySelectorAll('.main').length ?? 0,
    };
  });

/** Advances the page's clock until the status line has this text. */
async function waitForStatus(page: Page, text: RegExp): Promise<void> {
  for (let seconds = 0; seconds < 200; seconds += 1) {
    const status = await page.locator('pay-invoice .status').textContent();
    if (status !== null && text.test(status)) return;
    await page.clock.runFor(1000);
  }
  assert.fail(`no status ${String(text)}`);
}

const devices = [
  { width: 390, height: 664, isTouch: true },
  { width: 390, height: 844, isTouch: true },
  { width: 1280, height: 900, isTouch: false },
];

describe('a payment that is awaited', { timeout: 300_000 }, () => {
  for (const { width, height, isTouch } of devices)
    for (const [kind, requisites, task] of [
      ['requisites', sbp, '[part=requisite]'],
      ['a QR code', links, isTouch ? '[part=qr-link]' : '.paper'],
      ['both', { ...sbp, ...links }, isTouch ? '[part=qr-link]' : '.paper'],
    ] as const)
      for (const [lang, slow, lost] of [
        ['ru', /Уже оплатили/, /Связь прервалась/],
        ['en', /Have you paid/, /connection was lost/],
      ] as const)
        it(`moves nothing, and is seen without scrolling: ${kind}, ${width} × ${height}, ${lang}`, async () => {
          const gallery = await GalleryPage.open(browser, server.url, { width, isTouch });
          const { page } = gallery;
          await page.setViewportSize({ width, height });
          // The gallery loads the widget with its first state.
          await gallery.show('options', 'light', lang);
          const checkout = makePendingCheckout({ ...requisites });
          await mountWidget(page, checkout, lang);
          await page.locator('pay-invoice .tail').waitFor({ timeout: 5000 });
          const waiting = await readPlaces(page);
          await countShifts(page);
          const box = await page.locator(`pay-invoice ${task}`).first().boundingBox();
          assert.ok(box && box.y + box.height <= height, `the task ends at ${box && box.y + box.height}`);

          await waitForStatus(page, slow);
          assert.deepEqual(await readPlaces(page), waiting);
          await page.evaluate(() => (globalThis.answer = undefined));
          await waitForStatus(page, lost);
          assert.deepEqual(await readPlaces(page), waiting);
          await page.evaluate((restored) => (globalThis.answer = restored), checkout);
          await waitForStatus(page, slow);
          assert.deepEqual(await readPlaces(page), waiting);
          assert.ok(waiting.mainButtons <= 1);
          assert.equal(await page.evaluate(() => globalThis.layoutShift), 0);

          await page.evaluate((paid) => (globalThis.answer = paid), makeEndedCheckout('paid'));
          for (let seconds = 0; (await page.locator('pay-invoice .mark.paid').count()) === 0; seconds += 1) {
            assert.ok(seconds < 100, 'not paid');
            await page.clock.runFor(1000);
          }
          assert.equal((await readPlaces(page)).mainButtons, 1);
          await gallery.close();
        });
});

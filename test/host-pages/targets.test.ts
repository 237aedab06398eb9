// What a payer presses is large enough for a finger on each screen, however small the font of the page is.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { card, links, makeEndedCheckout, makePendingCheckout, sbp, transfer } from '../../demo/gallery-checkouts.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { encodeQr } from '../../src/base/qr-encoder.ts';
import { openMarkupPage } from '../e2e/checkout-markup-page.ts';
import { openBrowser } from '../e2e/visit-page.ts';
import { cardOption, makeOpenCheckout, sbpOption } from '../support/checkout-responses.ts';

const browser = await openBrowser();

/** In CSS pixels: WCAG 2.2, 2.5.5. */
const least = 44;

const fonts = {
  'in the browser’s font for programs': 'pay-invoice { font-family: monospace }',
  'of the font size of a note': 'pay-invoice { font-size: xx-small }',
  'of 8 px, by the custom property': 'pay-invoice { --pay-invoice-font-size: 8px }',
  'of 8 px, for all elements of the page': '* { font-size: 8px }',
};

const qr = { ...links, qr: encodeQr(links.nspk_url) };
const screens: Readonly<Record<string, Checkout>> = {
  'the methods and an amount': makeOpenCheckout({
    amount: null,
    amount_limits: { min_amount: '100.00', max_amount: '50000.00' },
    options: [sbpOption, cardOption],
  }),
  'a QR code and two kinds of requisites': makePendingCheckout({ ...sbp, ...card, ...qr }),
  'a payment page alone': makePendingCheckout({ payment_url: links.payment_url }),
  'a transfer': makePendingCheckout(transfer),
  'the payment': makeEndedCheckout('paid'),
  'a failed payment': makeEndedCheckout('failed'),
  'an expired payment': makeEndedCheckout('expired'),
};

/** The names of all that can be pressed and is lower or narrower than a finger. It runs in the page. */
function findSmallTargets(minimum: number): readonly string[] {
  const all = (root: ParentNode): HTMLElement[] =>
    [...root.querySelectorAll<HTMLElement>('*')].flatMap((one) => [
      one,
      ...(one.shadowRoot ? all(one.shadowRoot) : []),
    ]);
  return all(document)
    .filter((one) => one.matches('a[href], button, summary, label:has(input), input:not([type=radio], [type=hidden])'))
    .map((one) => ({ one, box: one.getBoundingClientRect() }))
    .filter(({ box }) => box.height > 0 && (box.height < minimum || box.width < minimum))
    .map(({ one, box }) => `${one.localName} “${one.innerText}” ${box.width} × ${box.height}`);
}

const openFolds = (page: Page): Promise<unknown> =>
  page.evaluate(() => {
    for (const fold of document.querySelector('pay-invoice')?.shadowRoot?.querySelectorAll('details') ?? [])
      fold.open = true;
  });

describe('what a payer presses has room for a finger', { timeout: 300_000 }, () => {
  for (const [font, style] of Object.entries(fonts))
    for (const [screen, initial] of Object.entries(screens))
      for (const hasTouch of [false, true])
        it(`on the screen of ${screen}, ${hasTouch ? 'on a phone' : 'on a desktop'}, in texts ${font}`, async () => {
          const context = hasTouch ? { hasTouch, isMobile: true, viewport: { width: 390, height: 844 } } : {};
          const { page, release, heldFiles } = await openMarkupPage(browser, {
            initial,
            lang: 'en',
            context,
            held: /\.js/,
          });
          await page.addStyleTag({ content: style });
          await page.locator('[slot=markup]').waitFor();
          assert.deepEqual(await page.evaluate(findSmallTargets, least), [], 'in the markup of the server');
          while ((await page.locator('[slot=markup]').count()) > 0) {
            if (heldFiles() > 0) await release();
            await page.waitForTimeout(20);
          }
          await page.locator('pay-invoice [part=footer]').waitFor({ state: 'attached' });
          await openFolds(page);
          assert.deepEqual(await page.evaluate(findSmallTargets, least), [], 'in the widget');
        });
});

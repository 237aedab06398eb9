import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { links, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { differenceOf } from '../visual/compare-png.ts';
import { optionsCheckout, waitForHydration, phoneContext, startRenderedPages } from './server-rendered-page.ts';
import { openForFile } from '../support/open-for-file.ts';

/** A checkout whose displayed time changes once an hour, so that the time stays the same while a test runs. */
const checkoutWithQr = makePendingCheckout(
  { ...sbp, ...links, expires_in_ms: 50 * 3_600_000 - 60_000 },
  { poll_after_ms: 60_000 },
);

const pages = await openForFile(startRenderedPages());

interface Box {
  readonly name: string;
  readonly box: readonly number[];
}

/** Every element of the widget that has a box, with its box. */
const boxesOf = (page: Page): Promise<readonly Box[]> =>
  page.evaluate(() => {
    const elements =
      document
        .querySelector('pay-invoice')
        // The widget repaints the server's SVG of the QR on a canvas.
        ?.shadowRoot?.querySelectorAll('[part=base], [part=base] :not([part=qr] *)') ?? [];
    // The time is wider on the server, which names its zone; it stands at the end of its line.
    const isTime = ({ localName, textContent }: Element): boolean =>
      localName === 'bdi' && textContent.includes('10:15');
    const displayedElements = [...elements].filter(
      (element) => element.getClientRects().length > 0 && !isTime(element),
    );
    return displayedElements.map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return { name: element.getAttribute('part') ?? element.localName, box: [x, y, width, height] };
    });
  });

/**
 * Counts the frames in which the widget has neither a QR nor a method. The code is a string, because the test's compiler
 * would add calls of its helpers to a function.
 */
const watchFrames = `
  emptyFrames = 0;
  (function countFrame() {
    const root = document.querySelector('pay-invoice').shadowRoot;
    if (!root.querySelector('[part=qr], [part=method]')) emptyFrames += 1;
    requestAnimationFrame(countFrame);
  })()`;

describe('the script of a page with a server-rendered checkout', { timeout: 300_000 }, () => {
  for (const script of ['hydrated-page', 'pay-invoice'] as const)
    for (const [name, initial] of [
      ['options', optionsCheckout],
      ['a waiting invoice with its QR', checkoutWithQr],
    ] as const)
      for (const [lang, touch] of [
        ['ru', false],
        ['en', true],
      ] as const)
        it(`moves and repaints nothing: ${name} in ${lang} on a ${touch ? 'phone' : 'desktop'}, ${script === 'pay-invoice' ? 'without' : 'with'} hydration`, async () => {
          const context = touch ? phoneContext : {};
          const { page, browserErrors, release } = await pages.open({
            initial,
            lang,
            script,
            touch,
            context,
            holdScripts: true,
          });
          const boxes = await boxesOf(page);
          // The server does not know the payer's time zone and names its own, which the widget leaves out where it is the payer's.
          const mask = [page.locator('pay-invoice').getByText(/10:15/).locator('..')];
          const screenshot = await page.screenshot({ fullPage: true, mask });
          if (process.env['KEEP_PICTURES']) {
            mkdirSync('.screens', { recursive: true });
            writeFileSync(`.screens/server-${name}-${lang}-${script}.png`, screenshot);
          }
          await page.evaluate(watchFrames);
          release();
          await waitForHydration(page);
          assert.deepEqual(await boxesOf(page), boxes);
          assert.equal(
            differenceOf(screenshot, await page.screenshot({ fullPage: true, mask }))?.description,
            undefined,
          );
          assert.equal(await page.evaluate('emptyFrames'), 0);
          assert.deepEqual(browserErrors, []);
        });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { makeEndedCheckout, links, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { waitForFrames, waitForUpdate } from '../support/wait-for-update.ts';
import {
  optionsCheckout,
  waitForHydration,
  phoneContext,
  startRenderedPages,
  waitingCheckout,
} from './server-rendered-page.ts';
import { openForFile } from '../support/open-for-file.ts';

const pages = await openForFile(startRenderedPages());

/** Whether the widget has exactly one frame, which is the element that came from the server. */
function hasFrameOfServer(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const frames = document.querySelector('pay-invoice')?.shadowRoot?.querySelectorAll('[part=base]');
    return frames?.length === 1 && frames[0] === (globalThis as { before?: unknown }).before;
  });
}

/** Waits until the file whose address contains `name` is loaded, and the element has rendered with it. */
async function waitForRenderWith(page: Page, name: string): Promise<void> {
  await page.waitForFunction((part) => {
    const files = performance.getEntriesByType('resource');
    return files.some((file) => file.name.includes(part));
  }, name);
  await page.evaluate(async (part) => {
    const file = performance.getEntriesByType('resource').find((resource) => resource.name.includes(part));
    await import(file?.name ?? '');
    await Reflect.get(document.querySelector('pay-invoice') ?? {}, 'updateComplete');
  }, name);
  await waitForFrames(page);
}

describe('a checkout that a server has rendered', { timeout: 300_000 }, () => {
  for (const script of ['hydrated-page', 'pay-invoice'] as const)
    it(`keeps the order’s number beside the options until the second file is loaded, ${script === 'pay-invoice' ? 'without' : 'with'} hydration`, async () => {
      const initial = { ...optionsCheckout, reference: '4821-7360' };
      const context = { viewport: { width: 1200, height: 800 } };
      const { page, widget, release } = await pages.open({ initial, script, context, holdSecondFile: true });
      const order = widget.getByText('4821-7360');
      await page.waitForFunction(() => customElements.get('pay-invoice') !== undefined);
      await waitForFrames(page);
      assert.equal(await order.isVisible(), true);
      const boxBefore = await order.boundingBox();
      release();
      await waitForRenderWith(page, 'payment-screens');
      assert.notEqual(boxBefore, null);
      assert.deepEqual(await order.boundingBox(), boxBefore);
    });

  it('counts down from the time that the server has rendered, and corrects it by the first response', async () => {
    const response = makePendingCheckout(
      { ...sbp, ...links, expires_in_ms: 300_000 },
      { server_time: '2026-11-20T10:09:32.000Z' },
    );
    const prepare = async ({ clock }: Page): Promise<void> => {
      const time = Date.now();
      await clock.install({ time });
      await clock.pauseAt(time + 1000);
    };
    const { page, widget } = await pages.open({ initial: waitingCheckout, response, prepare });
    const timer = widget.getByRole('timer');
    await waitForUpdate(page);
    assert.equal(await timer.textContent(), '14:32');
    await page.clock.runFor(5100);
    assert.equal(await timer.textContent(), '14:27');
    await page.clock.runFor(waitingCheckout.poll_after_ms);
    await timer.filter({ hasText: /^(5:00|4:5\d)$/ }).waitFor();
  });

  for (const lang of ['ru', 'en'])
    for (const [name, initial] of [
      ['options', optionsCheckout],
      ['requisites', waitingCheckout],
    ] as const)
      for (const isPhone of [false, true])
        it(`is hydrated without replacing a node and without a request: ${name} in ${lang} on a ${isPhone ? 'phone' : 'desktop'}`, async () => {
          const { page, browserErrors } = await pages.open({
            initial,
            lang,
            context: isPhone ? phoneContext : {},
          });
          await waitForHydration(page);
          assert.equal(await hasFrameOfServer(page), true);
          assert.deepEqual(browserErrors, []);
          assert.deepEqual(pages.requests(), []);
        });

  for (const script of ['hydrated-page', 'pay-invoice'] as const)
    it(`keeps the method that the payer chose, and the page, when Continue was clicked before the scripts were loaded (${script})`, async () => {
      const { page, widget, release } = await pages.open({
        initial: optionsCheckout,
        lang: 'en',
        script,
        holdScripts: true,
      });
      const addressBefore = page.url();
      await widget.getByRole('radio').nth(1).check();
      await widget.getByRole('button', { name: 'Continue', exact: true }).click();
      release();
      await waitForUpdate(page);
      assert.equal(page.url(), addressBefore);
      assert.equal(await widget.getByRole('radio').nth(1).isChecked(), true);
      await widget.getByRole('button', { name: 'Continue', exact: true }).click();
      await widget.locator('[part=requisites]').waitFor();
      assert.deepEqual(pages.requests(), ['POST /checkout/chk_gallery/invoice']);
    });

  it('keeps the amount that the payer typed before the scripts were loaded', async () => {
    const initial = { ...optionsCheckout, amount: null };
    const { page, widget, release } = await pages.open({ initial, lang: 'en', holdScripts: true });
    await widget.getByRole('textbox').fill('250,50');
    release();
    await waitForHydration(page);
    assert.equal(await widget.getByRole('textbox').inputValue(), '250,50');
    const state: unknown = await page.evaluate('document.querySelector("pay-invoice").state');
    assert.equal(Reflect.get(Object(state), 'amount'), '250.50');
  });

  it('is replaced and not duplicated where the page does not hydrate', async () => {
    const { page, widget, browserErrors } = await pages.open({
      initial: optionsCheckout,
      script: 'pay-invoice',
    });
    await waitForHydration(page);
    await widget.getByRole('radio').first().waitFor();
    assert.equal(await widget.locator('[part=base]').count(), 1);
    assert.equal(await hasFrameOfServer(page), false);
    assert.deepEqual(browserErrors, []);
  });
});

describe('a checkout that a server has rendered with auto-continue or return-after', { timeout: 60_000 }, () => {
  it('requests an invoice once where one method can be used, and keeps the server’s nodes', async () => {
    const initial: Checkout = { ...optionsCheckout, options: optionsCheckout.options.slice(0, 1) };
    const { page, widget, browserErrors } = await pages.open({ initial, lang: 'en', autoContinue: true });
    await widget.locator('[part=requisites]').waitFor();
    assert.deepEqual(pages.requests(), ['POST /checkout/chk_gallery/invoice']);
    assert.equal(await hasFrameOfServer(page), true);
    assert.deepEqual(browserErrors, []);
  });

  it('opens the success URL after the countdown, and stays when the payer comes back', async () => {
    const prepare = (page: Page): Promise<void> =>
      page
        .route('https://shop.example/**', (route) => route.fulfill({ body: 'Thanks', contentType: 'text/html' }))
        .then(() => undefined);
    const { page, widget } = await pages.open({
      initial: makeEndedCheckout('paid'),
      lang: 'en',
      returnAfter: 1,
      prepare,
    });
    await page.waitForURL('https://shop.example/thanks');
    await page.goBack();
    await waitForRenderWith(page, 'payment-screens');
    await widget.getByRole('link', { name: 'Back to the shop' }).waitFor();
    assert.equal(await widget.getByText(/^Back to the shop in \d+ s\.$/).count(), 0);
    assert.match(page.url(), /\/page-\d+$/);
  });
});

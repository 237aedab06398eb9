// The markup of a checkout inside the tag on a page of the shop: the widget takes it over.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Checkout } from '../../src/checkout-api.ts';
import {
  card,
  checkoutWithoutInvoice,
  limits,
  links,
  makeEndedCheckout,
  makePendingCheckout,
} from '../../demo/gallery-checkouts.ts';
import { qrCodeOf } from '../../src/server/domain/qr-codes.ts';
import { keepPicture } from '../support/keep-picture.ts';
import { until } from '../support/wait-until.ts';
import { openMarkupPage } from './checkout-markup-page.ts';
import { openBrowser } from './visit-page.ts';

const browser = await openBrowser();

/** The next poll comes after the end of a test. */
const slowPolling = { poll_after_ms: 60_000 };

type Anchor = readonly [markup: string, widget: string];

interface Scene {
  readonly name: string;
  readonly initial: Checkout;
  /** What the payer looks at, in the markup and in the widget. */
  readonly anchors: readonly Anchor[];
  readonly phone?: readonly Anchor[];
  readonly desktop?: readonly Anchor[];
}

const amount = ['.amount bdi', '.money'] as const;
const scenes: readonly Scene[] = [
  {
    name: 'methods',
    initial: { ...checkoutWithoutInvoice, ...slowPolling },
    anchors: [
      amount,
      ['.method', '[part=method]'],
      ['.method ~ .method', '[part=method] ~ [part=method]'],
      ['button', '[part=continue]'],
    ],
  },
  {
    name: 'a QR',
    initial: makePendingCheckout({ ...links, qr: qrCodeOf(links.nspk_url) }, slowPolling),
    anchors: [amount],
    phone: [
      ['.actions .main', '[part=qr-link]'],
      ['summary', '.fold summary'],
    ],
    desktop: [['.mouse.qr svg', '[part=qr]']],
  },
  {
    name: 'requisites',
    initial: makePendingCheckout(card, slowPolling),
    anchors: [amount, ['dl', '[part=requisites]']],
  },
  {
    name: 'paid',
    initial: { ...makeEndedCheckout('paid'), ...slowPolling },
    anchors: [amount, ['.outcome', '[part=outcome]']],
  },
];

const devices = {
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  desktop: { viewport: { width: 1280, height: 900 } },
} as const;

const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(`pay-invoice ${selector}`).first().boundingBox();
  return box ?? assert.fail(`${selector} is not shown`);
};

/** Counts the frames in which the tag shows neither the markup nor a complete screen. A string: a function would need the compiler's helpers. */
const watchFrames = `
  emptyFrames = 0;
  (function countFrame() {
    const tag = document.querySelector('pay-invoice');
    const root = tag?.shadowRoot;
    const isMarkup = tag?.querySelector('[slot=markup]')?.checkVisibility();
    const isScreen = root?.querySelector('[part=base]') && !root.querySelector('.screen .skeleton');
    if (tag && !isMarkup && !isScreen) emptyFrames += 1;
    requestAnimationFrame(countFrame);
  })()`;

describe('the markup in the tag', { timeout: 300_000 }, () => {
  for (const { name, initial, ...scene } of scenes)
    for (const lang of ['ru', 'en', 'kk'])
      for (const device of ['phone', 'desktop'] as const)
        it(`is taken over without a jump, an empty frame or a request: ${name} in ${lang} on a ${device}`, async () => {
          const anchors = [...scene.anchors, ...(scene[device] ?? [])];
          const { page, backend, browserErrors, release } = await openMarkupPage(browser, {
            initial,
            lang,
            context: devices[device],
            held: /./,
          });
          await page.locator('[slot=markup] .card').waitFor();
          const before = await Promise.all(anchors.map(([selector]) => boxOf(page, selector)));
          await keepPicture(page, `markup-${name}-${lang}-${device}-before`);
          await page.evaluate(watchFrames);
          await until('the widget', async () => {
            await release();
            return page.locator('pay-invoice [part=base]').isVisible();
          });
          await keepPicture(page, `markup-${name}-${lang}-${device}-after`);
          const after = await Promise.all(anchors.map(([, selector]) => boxOf(page, selector)));
          const jumps = anchors.map(([selector], index) => {
            const px = Math.round((after[index]?.y ?? NaN) - (before[index]?.y ?? NaN));
            return Math.abs(px) <= 8 ? '' : `${selector} moves by ${px} px`;
          });
          assert.deepEqual(jumps.filter(Boolean), []);
          assert.equal(await page.evaluate('emptyFrames'), 0);
          assert.deepEqual([browserErrors, backend.requests], [[], []]);
        });

  it('leaves the page when the widget takes over, so that a program that holds its button looks for the one that is shown', async () => {
    const { page, release } = await openMarkupPage(browser, {
      initial: { ...checkoutWithoutInvoice, ...slowPolling },
      lang: 'en',
      held: /\.en-/,
    });
    const button = await page.getByRole('button', { name: 'Pay by SBP' }).elementHandle();
    await page.locator('pay-invoice[status=open]').waitFor();
    await release();
    await page.locator('[part=continue]').waitFor();
    assert.equal(await button.evaluate(({ isConnected }) => isConnected), false);
    assert.equal(await page.locator('[slot=markup]').count(), 0);
  });

  it('hands on what the payer has typed and chosen in it, and where he types', async () => {
    const { page, release } = await openMarkupPage(browser, {
      initial: { ...checkoutWithoutInvoice, ...slowPolling, amount: null, amount_limits: limits },
      lang: 'en',
      held: /\.en-/,
    });
    await page.getByRole('radio').nth(1).check();
    await page.getByRole('textbox').pressSequentially('25');
    await release();
    await page.locator('[part=continue]').waitFor();
    await page.keyboard.type('0');
    assert.deepEqual(await page.getByRole('textbox').evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value)), ['250']); // prettier-ignore
    assert.equal(await page.getByRole('radio').nth(1).isChecked(), true);
  });

  it('leaves the preferred method to the page where the payer has chosen none in it', async () => {
    const { page, release } = await openMarkupPage(browser, {
      initial: { ...checkoutWithoutInvoice, ...slowPolling },
      lang: 'en',
      held: /\.en-/,
    });
    await page.locator('pay-invoice').evaluate((tag) => tag.setAttribute('method', 'card'));
    await release();
    await page.locator('[part=continue]').waitFor();
    assert.equal(await page.getByRole('radio').nth(1).isChecked(), true);
  });

  /** Presses something of the markup, and the widget could take over before the press ends. Returns what ends it. */
  async function press(selector: string) {
    const opened = await openMarkupPage(browser, {
      initial: { ...checkoutWithoutInvoice, ...slowPolling },
      lang: 'en',
      held: /\.en-/,
    });
    const { page, release } = opened;
    const box = await boxOf(page, selector);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.locator('pay-invoice[status=open]').waitFor();
    await release();
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('.en-')),
    );
    await page.waitForTimeout(500);
    assert.equal(await page.locator('[slot=markup]').count(), 1);
    await page.mouse.up();
    return opened;
  }

  it('keeps the payer’s press on its button, which ends when the widget could have taken over', async () => {
    const { page, backend } = await press('button');
    await page.getByText('The pay page').waitFor();
    assert.deepEqual(backend.requests, [`POST /pay/${checkoutWithoutInvoice.id}`]);
  });

  it('keeps the payer’s press on a method, and is taken over once it has ended', async () => {
    const { page } = await press('.method ~ .method');
    await page.locator('[part=continue]').waitFor();
    assert.equal(await page.locator('[slot=markup]').count(), 0);
    assert.equal(await page.getByRole('radio').nth(1).isChecked(), true);
  });

  it('is not shown any longer once the checkout is paid, though the widget’s second file has not come', async () => {
    const initial = makePendingCheckout(card, { poll_after_ms: 500 });
    const { page, backend, heldFiles } = await openMarkupPage(browser, {
      initial,
      lang: 'en',
      held: /payment-screens/,
    });
    const markup = page.locator('[slot=markup]');
    await page.locator('pay-invoice[status=pending]').waitFor();
    await until('the request of the second file', () => heldFiles() > 0);
    assert.equal(await markup.isVisible(), true);
    backend.checkout = { ...makeEndedCheckout('paid'), id: initial.id };
    await page.locator('pay-invoice[status=paid]').waitFor();
    await markup.waitFor({ state: 'hidden' });
    assert.equal(await page.getByText('Paid', { exact: true }).first().isVisible(), true);
  });

  it('is not shown any longer once its invoice has another in its place, or its time is up', async () => {
    for (const next of [
      makePendingCheckout({ ...card, id: 'inv_other' }, slowPolling),
      makePendingCheckout({ ...card, expires_in_ms: 0 }, slowPolling),
    ]) {
      const initial = makePendingCheckout(card, { poll_after_ms: 500 });
      const { page, backend } = await openMarkupPage(browser, { initial, lang: 'ru', held: /payment-screens/ });
      await page.locator('pay-invoice[status=pending]').waitFor();
      assert.equal(await page.locator('[slot=markup]').isVisible(), true);
      backend.checkout = { ...next, server_time: new Date().toISOString() };
      await page.locator('[slot=markup]').waitFor({ state: 'hidden' });
    }
  });
});

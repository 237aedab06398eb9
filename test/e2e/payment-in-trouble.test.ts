import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { until } from '../support/wait-until.ts';
import { press } from './developer-panel.ts';
import { shopAndBrowser } from './shop-and-browser.ts';
import { choose, copyButton, heading, order, Sandbox, sbp, valueOf, visit, type Visit } from './visit-page.ts';

// Without the argument by which Playwright switches the back-forward cache off.
const withBackForwardCache = { ignoreDefaultArgs: ['--disable-back-forward-cache'] };
const { shop, browser } = await shopAndBrowser(withBackForwardCache);
const sandbox = new Sandbox(shop);

/** A payer to whom the requisites of a method are shown. */
async function waiting(
  method: string | RegExp = 'Карта',
): Promise<Visit & { readonly number: string; readonly id: string }> {
  const payer = await visit(browser, shop.url);
  await order(payer.page);
  await choose(payer.widget, method);
  const number = await valueOf(payer.widget, method === 'Карта' ? 'Card number' : 'Phone number');
  const invoice = (await sandbox.invoices()).find((held) => [held.card?.card_number, held.sbp?.phone].includes(number));
  return { ...payer, number, id: invoice?.id ?? '' };
}

/** Leaves the page and goes back. Resolves with whether the back-forward cache kept it. */
async function isKept(page: Page): Promise<boolean> {
  await page.evaluate(() => {
    window.addEventListener('pageshow', ({ persisted }) => {
      if (persisted) document.title = 'kept';
    });
  });
  await page.goto(`${shop.url}/demo/gallery.html`);
  await page.goBack({ waitUntil: 'commit' });
  return (await page.title()) === 'kept';
}

/** Whether this browser keeps pages at all; the headless shell that comes with `npm ci` does not. */
async function keepsPages(): Promise<boolean> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${shop.url}/healthz`);
  const kept = await isKept(page);
  await context.close();
  return kept;
}

describe('a payment in trouble', { timeout: 300_000, concurrency: 3 }, () => {
  it('shows the same invoice in two tabs, of which one sends the long polls, and both show that it is paid', async () => {
    const { context, page, widget, number, id } = await waiting();
    const waits = new Set<Request>();
    context.on('request', (request) => {
      if ('prefer' in request.headers()) waits.add(request);
    });
    context.on('requestfinished', (request) => waits.delete(request));
    context.on('requestfailed', (request) => waits.delete(request));
    const second = await context.newPage();
    await second.goto(page.url());
    const other = second.locator('pay-invoice');
    assert.equal(await valueOf(other, 'Card number'), number);

    await until('one waits for an answer and the other for its turn', async () => {
      const { held = [], pending = [] } = await page.evaluate(() => navigator.locks.query());
      return held.length === 1 && pending.length === 1;
    });
    assert.equal(waits.size, 1);
    await sandbox.simulate(id, 'pay');
    await Promise.all([heading(widget, 'Paid').waitFor(), heading(other, 'Paid').waitFor()]);
    await context.close();
  });

  it('is shown in the title of a background tab that sends no request of its own', async () => {
    const { context, page, widget, id } = await waiting();
    const hidden = await context.newPage();
    await hidden.addInitScript(() => {
      for (const [name, value] of Object.entries({ hidden: true, visibilityState: 'hidden' }))
        Object.defineProperty(document, name, { configurable: true, value });
    });
    await hidden.goto(page.url());
    await copyButton(hidden.locator('pay-invoice'), 'Card number').waitFor();
    const title = await hidden.title();
    const requests: Request[] = [];
    hidden.on('request', (request) => requests.push(request));
    // Longer than the 20 s after which a hidden page reads when no other tab does, and longer than one long poll.
    await page.waitForTimeout(27_000);
    assert.deepEqual(requests, []);
    await sandbox.simulate(id, 'pay');
    await heading(widget, 'Paid').waitFor();
    await until('the title shows it', async () => (await hidden.title()) === `Paid · ${title}`);
    await context.close();
  });

  it('is kept in the back-forward cache, and shows that it was paid meanwhile', async (t) => {
    const { context, page, widget, number, id } = await waiting();
    await until('its answer is held back', async () => {
      const { held = [] } = await page.evaluate(() => navigator.locks.query());
      return held.length === 1;
    });
    const kept = await isKept(page);
    assert.equal(await valueOf(widget, 'Card number'), number);
    if (await keepsPages()) assert.ok(kept, 'the page was loaded again');
    else t.diagnostic('NOT TESTED: this browser has no back-forward cache');
    const orderId = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('order_id') ?? '';
    await page.goto(`${shop.url}/demo/gallery.html`);
    await sandbox.simulate(id, 'pay');
    await until('the order is paid', async () => {
      const response = await fetch(`${shop.url}/shop/orders/${orderId}`);
      return ((await response.json()) as { status: string }).status === 'paid';
    });
    await page.goBack({ waitUntil: 'commit' });
    await heading(widget, 'Paid').waitFor();
    await context.close();
  });

  it('keeps the invoice on the screen offline, and shows paid when the connection is back', async () => {
    const { context, widget, number, id } = await waiting();
    await context.setOffline(true);
    await sandbox.simulate(id, 'pay');
    assert.equal(await valueOf(widget, 'Card number'), number);
    await context.setOffline(false);
    await heading(widget, 'Paid').waitFor();
    await context.close();
  });

  it('creates a new invoice after the first has expired', async () => {
    const { context, page, widget, number } = await waiting();
    await press(page, 'Let it expire');
    await heading(widget, 'Time to pay is over').waitFor();
    await widget.getByRole('button', { name: 'New invoice' }).click();
    await heading(widget, 'Have you already sent the money?').waitFor();
    await widget.getByRole('button', { name: 'No, new invoice' }).click();
    await choose(widget, 'Карта');
    assert.notEqual(await valueOf(widget, 'Card number'), number);
    await press(page, 'Pay it');
    await heading(widget, 'Paid').waitFor();
    await context.close();
  });

  it('lets the payer try again after the bank refused the payment', async () => {
    const { context, page, widget, number } = await waiting();
    await press(page, 'Refuse it');
    await heading(widget, 'Payment failed').waitFor();
    await widget.getByRole('button', { name: 'Try again' }).click();
    await choose(widget, 'Карта');
    assert.notEqual(await valueOf(widget, 'Card number'), number);
    await context.close();
  });

  it('warns before a second invoice, and shows paid when the replaced one is paid', async () => {
    const { context, widget, number, id } = await waiting();
    await widget.getByRole('button', { name: 'Another payment method' }).click();
    await widget.locator('.note', { hasText: 'Do not pay twice' }).waitFor();
    await choose(widget, sbp);
    await copyButton(widget, 'Phone number').waitFor();
    assert.equal(await widget.getByText(number).count(), 0);
    await sandbox.simulate(id, 'pay');
    await heading(widget, 'Paid').waitFor();
    await context.close();
  });
});

describe('a payment while the service is in trouble', { timeout: 300_000 }, () => {
  afterEach(() => sandbox.repair());

  it('shows requisites without a QR when the service cannot make one', async () => {
    const noQr = { operation: 'CreateInvoice', kind: 'status', status: 503, body: { code: 'internal' } };
    await sandbox.fault({ ...noQr, times: 2 });
    const { context, widget } = await waiting(sbp);
    assert.equal(await widget.locator('[part=qr]').count(), 0);
    await context.close();
  });

  it('shows the requisites of one invoice when the response was lost', async () => {
    await sandbox.set({ repeated_external_id: 'same' });
    await sandbox.fault({ operation: 'CreateInvoice', kind: 'lost', times: 1 });
    const { context, widget, number, id } = await waiting();
    const all = await sandbox.invoices();
    const made = all.filter(({ external_id }) => external_id === all[0]?.external_id);
    assert.deepEqual(
      made.map(({ card }) => card?.card_number),
      [number],
    );
    await sandbox.simulate(id, 'pay');
    await heading(widget, 'Paid').waitFor();
    await context.close();
  });

  it('never shows an invoice for another amount', async () => {
    await sandbox.fault({ operation: 'CreateInvoice', kind: 'wrong_amount', times: 1 });
    const { context, page, widget } = await visit(browser, shop.url);
    await order(page);
    await widget.evaluate(({ shadowRoot }) => {
      new MutationObserver(() => {
        if (shadowRoot?.querySelector('[part=requisites], [part=qr]')) document.title = 'requisites were shown';
      }).observe(shadowRoot ?? document, { childList: true, subtree: true });
    });
    await choose(widget, 'Карта');
    await widget.locator('[part=error]', { hasText: 'That did not work' }).waitFor();
    assert.notEqual(await page.title(), 'requisites were shown');
    await context.close();
  });

  // This test is the last one, because after an outage the shop calls the service less often for a while.
  it('keeps the invoice on the screen during an outage, and continues after it', async () => {
    const { context, page, widget, number, id } = await waiting();
    await sandbox.fault({ operation: '*', kind: 'status', status: 503, body: { code: 'unavailable' } });
    const note = widget.locator('[part=error]', { hasText: 'The connection was lost' });
    // A payer who returns to the page sees the note at once. Otherwise it is shown when the long poll ends.
    await until('the note is shown', async () => {
      await page.evaluate(() => window.dispatchEvent(new Event('focus')));
      return note.isVisible();
    });
    assert.equal(await valueOf(widget, 'Card number'), number);
    await sandbox.repair();
    await sandbox.simulate(id, 'pay');
    await heading(widget, 'Paid').waitFor();
    await context.close();
  });
});

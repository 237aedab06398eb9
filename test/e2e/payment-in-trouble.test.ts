import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { z } from 'zod';
import { until } from '../support/wait-until.ts';
import {
  card,
  chooseMethod,
  findCopyButton,
  findHeading,
  placeOrder,
  pressButton,
  sbp,
  shopAndBrowser,
  valueOf,
  visit,
  type Visit,
  goodsOf,
} from './visit-page.ts';

// By default Playwright starts Chromium with an argument that switches the back-forward cache off.
const withBackForwardCache = { ignoreDefaultArgs: ['--disable-back-forward-cache'] };
const { shop, browser } = await shopAndBrowser(withBackForwardCache);

const invoiceList = z.object({
  invoices: z.array(z.object({ id: z.string(), card: z.object({ card_number: z.string() }).optional() })),
});

/** Opens the shop as a payer who orders, chooses the card and sees its number. */
async function openRequisites(): Promise<Visit & { readonly number: string; readonly id: string }> {
  const payer = await visit(browser, goodsOf(shop));
  await placeOrder(payer.page);
  await chooseMethod(payer.widget, card);
  const number = await valueOf(payer.widget, 'Card number');
  const { invoices } = invoiceList.parse(await (await fetch(`${shop.sandbox}/sandbox/invoices`)).json());
  const invoice = invoices.find(({ card }) => card?.card_number === number);
  return { ...payer, number, id: invoice?.id ?? assert.fail() };
}

/** The bank pays an invoice. */
async function payAtBank(id: string): Promise<void> {
  const { status } = await fetch(`${shop.sandbox}/sandbox/invoices/${id}/pay`, { method: 'POST' });
  assert.equal(status, 200);
}

/** Leaves the page and goes back. Resolves with true if the page came from the back-forward cache. */
async function leaveAndReturn(page: Page): Promise<boolean> {
  await page.evaluate(() => {
    window.addEventListener('pageshow', ({ persisted }) => {
      if (persisted) document.title = 'kept';
    });
  });
  await page.goto(`${shop.url}/demo/gallery.html`);
  await page.goBack({ waitUntil: 'commit' });
  return (await page.title()) === 'kept';
}

/** Whether this browser has a back-forward cache. The headless shell that `npm ci` installs has none. */
async function hasBackForwardCache(): Promise<boolean> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${shop.url}/healthz`);
  return leaveAndReturn(page);
}

describe('the payment page when something goes wrong', { timeout: 300_000 }, () => {
  it('shows the same invoice in two tabs, and both show that it is paid', async () => {
    const { context, page, widget, number, id } = await openRequisites();
    const secondPage = await context.newPage();
    await secondPage.goto(page.url());
    const secondWidget = secondPage.locator('pay-invoice');
    assert.equal(await valueOf(secondWidget, 'Card number'), number);
    await payAtBank(id);
    await Promise.all([
      findHeading(widget, 'Payment received').waitFor(),
      findHeading(secondWidget, 'Payment received').waitFor(),
    ]);
  });

  it('shows in the title of a background tab, which sends no long poll, that the invoice is paid', async () => {
    const { context, page, widget, id } = await openRequisites();
    const hiddenPage = await context.newPage();
    await hiddenPage.addInitScript(() => {
      for (const [name, value] of Object.entries({ hidden: true, visibilityState: 'hidden' }))
        Object.defineProperty(document, name, { configurable: true, value });
    });
    await hiddenPage.goto(page.url());
    await findCopyButton(hiddenPage.locator('pay-invoice'), 'Card number').waitFor();
    const title = await hiddenPage.title();
    const requests: Request[] = [];
    hiddenPage.on('request', (request) => requests.push(request));
    await payAtBank(id);
    await findHeading(widget, 'Payment received').waitFor();
    // A hidden page reads every 20 s.
    await until('the title shows it', async () => (await hiddenPage.title()) === `✓ Paid · ${title}`, 25_000);
    assert.deepEqual(
      requests.filter((request) => 'prefer' in request.headers()),
      [],
    );
  });

  it('shows that the invoice was paid meanwhile, when it returns from the back-forward cache', async (t) => {
    const { page, widget, number, id } = await openRequisites();
    const isFromCache = await leaveAndReturn(page);
    assert.equal(await valueOf(widget, 'Card number'), number);
    if (await hasBackForwardCache()) assert.ok(isFromCache, 'the page was loaded again');
    else t.diagnostic('NOT TESTED: this browser has no back-forward cache');
    const orderId = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('order_id') ?? '';
    await page.goto(`${shop.url}/demo/gallery.html`);
    await payAtBank(id);
    await until('the order is paid', async () => {
      const response = await fetch(`${shop.url}/shop/orders/${orderId}`);
      return ((await response.json()) as { status: string }).status === 'paid';
    });
    await page.goBack({ waitUntil: 'commit' });
    await findHeading(widget, 'Payment received').waitFor();
  });

  it('keeps the invoice on the screen offline, and shows paid when the connection is back', async () => {
    const { context, widget, number, id } = await openRequisites();
    await context.setOffline(true);
    await payAtBank(id);
    assert.equal(await valueOf(widget, 'Card number'), number);
    await context.setOffline(false);
    await findHeading(widget, 'Payment received').waitFor();
  });

  it('shows a new invoice that the payer requests after the first one has expired', async () => {
    const { page, widget, number } = await openRequisites();
    await pressButton(page, 'Let it expire');
    await findHeading(widget, 'Payment time has run out').waitFor();
    await widget.getByRole('button', { name: 'Pay again' }).click();
    await findHeading(widget, 'Have you already sent the money?').waitFor();
    await widget.getByRole('button', { name: 'No, pay again' }).click();
    await chooseMethod(widget, card);
    assert.notEqual(await valueOf(widget, 'Card number'), number);
    await pressButton(page, 'Pay it');
    await findHeading(widget, 'Payment received').waitFor();
  });

  it('warns before a second invoice, and shows paid when the replaced invoice is paid', async () => {
    const { widget, number, id } = await openRequisites();
    await widget.getByRole('button', { name: 'Another payment method' }).click();
    await widget.locator('.note', { hasText: 'Do not pay twice' }).waitFor();
    await chooseMethod(widget, sbp);
    await findCopyButton(widget, 'Phone number').waitFor();
    assert.equal(await widget.getByText(number).count(), 0);
    await payAtBank(id);
    await findHeading(widget, 'Payment received').waitFor();
  });
});

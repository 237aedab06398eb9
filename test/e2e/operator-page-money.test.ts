// What a support person reads on the operator's page about money that came twice, or in another amount, and about the order.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { z } from 'zod';
import { axeViolations } from '../support/axe-violations.ts';
import { adminToken } from '../support/buyer.ts';
import { callAdmin } from '../support/documented-admin-answers.ts';
import { openForFile } from '../support/open-for-file.ts';
import { startStandalone } from '../support/start-standalone.ts';
import { until } from '../support/wait-until.ts';
import { openBrowser } from './visit-page.ts';

const server = await openForFile(startStandalone());
const browser = await openBrowser();
const created = z.object({ id: z.string(), capability: z.string() });
const invoices = z.object({ invoices: z.array(z.object({ id: z.string(), paid_amount: z.string().nullable() })) });
const phone = { viewport: { width: 360, height: 740 } };

async function post(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, await response.text());
}

const order = async (params: object): Promise<z.infer<typeof created>> =>
  created.parse((await callAdmin(server.url, '/admin/checkouts', adminToken, { currency: 'RUB', ...params })).json);

/** Asks for an invoice by a method, instead of the one that there is, and resolves with its id. */
async function requestInvoice({ id, capability }: z.infer<typeof created>, method: string): Promise<string> {
  const headers = { 'idempotency-key': crypto.randomUUID(), origin: new URL(server.url).origin };
  await post(`${server.url}/checkout/${capability}/invoice`, { payment_method_id: method, replace: true }, headers);
  const { json } = await callAdmin(server.url, `/admin/checkouts/${id}`, adminToken);
  return invoices.parse(json).invoices.at(-1)?.id ?? assert.fail();
}

/** Pays an invoice, and waits until the server knows what has come. */
async function pay(id: string, invoiceId: string): Promise<void> {
  await post(`${server.sandbox ?? ''}/sandbox/invoices/${invoiceId}/pay`, {});
  await until('the payment is known', async () => {
    const { json } = await callAdmin(server.url, `/admin/checkouts/${id}`, adminToken);
    return invoices.parse(json).invoices.find((invoice) => invoice.id === invoiceId)?.paid_amount !== null;
  });
}

async function payTwice(orderId: string): Promise<string> {
  const checkout = await order({ order_id: orderId, amount: '2400.00', description: 'Tea' });
  const both = [await requestInvoice(checkout, 'pm_sbp'), await requestInvoice(checkout, 'pm_card')];
  for (const invoiceId of both) await pay(checkout.id, invoiceId);
  return checkout.id;
}

async function openSignedIn(hash: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  await page.addInitScript((token) => sessionStorage.setItem('admin-token', token), adminToken);
  await page.goto(`${server.url}/admin${hash}`);
  await page.locator('main[aria-busy=false]').waitFor();
  return page;
}

const fact = (page: Page, name: string): Locator => page.locator(`dt:text-is("${name}") + dd`).first();

describe('the operator’s page about money', { timeout: 120_000 }, () => {
  it('says in the list and on the payment that it was paid twice, by what, and lists such payments', async () => {
    await payTwice('2001');
    await order({ order_id: '2002', amount: '10.00' });
    const page = await openSignedIn('');
    await page.getByRole('link', { name: /^2001.* · Tea · Transfer to a card \(Карта\)/s }).waitFor();
    await page.getByRole('link', { name: 'Paid more than once', exact: true }).click();
    await page.getByRole('heading', { name: 'Found' }).waitFor();
    assert.match(page.url(), /#\?kind=duplicate_payment$/);
    assert.equal(await page.getByRole('link', { name: /^2002/ }).count(), 0);
    await page.getByRole('link', { name: /Paid more than once: expected ₽2,400.00, ₽4,800.00 came/ }).click();
    const alarm = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Paid more than once' }) });
    await alarm.getByText('expected ₽2,400.00, ₽4,800.00 came (+₽2,400.00)').waitFor();
    for (const text of [
      /^\s*Invoice 1: ₽2,400.00, SBP,\s+\d\d:\d\d\s*$/,
      /^\s*Invoice 2: ₽2,400.00, Transfer to a card \(Карта\),\s+\d\d:\d\d\s*$/,
    ])
      await alarm.getByRole('listitem').filter({ hasText: text }).waitFor();
    await page.getByText('The payer asked for an invoice: Invoice 2, Transfer to a card (Карта)').waitFor();
    assert.equal(await fact(page, 'Method').textContent(), 'SBP');
    assert.equal(await page.getByText('still to come').count(), 0, 'a deadline of what is paid means nothing');
    assert.deepEqual(await axeViolations(page), []);
  });

  it('says the service’s word of a payment that was paid back since, and the time at which each came', async () => {
    const id = await payTwice('2005');
    const details = z.looseObject({
      invoices: z.array(z.looseObject({ id: z.string() })),
      outcomes: z.array(z.looseObject({ occurred_at: z.string() })),
    });
    const read = async (): Promise<z.infer<typeof details>> =>
      details.parse((await callAdmin(server.url, `/admin/checkouts/${id}`, adminToken)).json);
    const { invoices: both } = await read();
    await post(`${server.sandbox ?? ''}/sandbox/invoices/${both[1]?.id ?? ''}/status`, { status: 'REFUNDED' });
    await callAdmin(server.url, `/admin/checkouts/${id}/check`, adminToken, {});
    // The payments came a day before one was paid back.
    const known = await read();
    const dayBefore = (at: string): string => new Date(Date.parse(at) - 86_400_000).toISOString();
    const outcomes = known.outcomes.map((outcome) => ({ ...outcome, occurred_at: dayBefore(outcome.occurred_at) }));
    const page = await openSignedIn('');
    await page.route(`**/admin/checkouts/${id}?`, (route) => route.fulfill({ json: { ...known, outcomes } }));
    await page.getByRole('link', { name: /2005.*₽4,800.00 came.*The service says: PAID, REFUNDED/s }).click();
    const alarm = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Paid more than once' }) });
    const second =
      /Invoice 2: ₽2,400.00, Transfer to a card \(Карта\),\s+\d+ \w+, \d\d:\d\d; the service says since REFUNDED, \d\d:\d\d\s*$/;
    await alarm.getByRole('listitem').filter({ hasText: second }).waitFor();
    assert.equal(await page.getByText('Deadline: Invoice 2').count(), 0);
  });

  it('shows a kind that has no tab of its own while the address names it', async () => {
    const page = await openSignedIn('#?kind=amount_mismatch');
    const tab = page.getByRole('link', { name: 'Told: Another amount' });
    assert.equal(await tab.getAttribute('aria-current'), 'true');
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await tab.waitFor({ state: 'detached' });
  });

  for (const locale of ['en-GB', 'ru-RU'])
    it(`keeps its head in one line, and each sum and word in one, on a phone: ${locale}`, async () => {
      await payTwice(`3001-${locale}`);
      const description = 'Благотворительность';
      await order({ order_id: `3002-${locale}`, amount_limits: { min_amount: '100.00' }, description });
      const page = await openSignedIn('', { ...phone, locale });
      const tops = await page
        .locator('header.top > :not(.main), header.top .quiet')
        .evaluateAll((parts) => parts.map((part) => Math.round(part.getBoundingClientRect().bottom)));
      assert.ok(Math.max(...tops) - Math.min(...tops) < 12, tops.join(', '));
      const lines = await page.locator('.sum').evaluateAll((sums) => sums.map((sum) => sum.getClientRects().length));
      assert.ok(lines.length > 0 && lines.every((count) => count === 1), lines.join(', '));
      const word = page.getByText(description, { exact: true }).first();
      assert.equal(await word.evaluate((text) => text.getClientRects().length), 1, 'no word is broken');
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
    });

  it('shows the limits of an amount that the payer types, and by what he may pay', async () => {
    const limits = { min_amount: '100.00', max_amount: '5000.00' };
    const { id } = await order({ order_id: '2003', amount_limits: limits, methods: ['SBP', 'CARD'] });
    const page = await openSignedIn(`#${id}`);
    await page.getByText('₽100.00 – ₽5,000.00').waitFor();
    assert.equal(await fact(page, 'Amount').textContent(), 'The payer types the amount');
    assert.equal(await fact(page, 'Payment methods').textContent(), 'SBP, Transfer to a card');
  });

  it('offers no link while a person has to decide about money that came, and shows what came once he has counted it', async () => {
    const checkout = await order({ order_id: '2004', amount: '1500.00' });
    const invoiceId = await requestInvoice(checkout, 'pm_sbp');
    const fault = { operation: 'FetchInvoices', kind: 'wrong_amount', amount: '1400.00', once_paid: true };
    const faults = await fetch(`${server.sandbox ?? ''}/sandbox/faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([fault]),
    });
    assert.ok(faults.ok, await faults.text());
    await pay(checkout.id, invoiceId);
    const page = await openSignedIn(`#${checkout.id}`);
    await page.getByRole('button', { name: 'Decide' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Payment link' }).count(), 0);
    assert.equal(await page.locator('.amount').textContent(), '₽1,500.00');
    await page.getByRole('button', { name: 'Decide' }).press('Enter');
    await page.getByLabel(/^Count it/).check();
    await page.getByLabel('Why, and who has decided so').fill('Paid the rest in cash, Anna');
    await page.getByRole('dialog').getByRole('button', { name: 'Count it' }).press('Enter');
    await page.locator('.amount').filter({ hasText: '₽1,400.00' }).waitFor();
    await page.locator('h1:focus').filter({ hasText: 'Order 2004' }).waitFor({ timeout: 2000 }); // the button is gone
  });
});

describe('the details of a payment', { timeout: 60_000 }, () => {
  it('have their actions in one row on a phone, and a history with an icon for each who has caused something', async () => {
    const checkout = await order({ order_id: '2006', amount: '700.00' });
    await requestInvoice(checkout, 'pm_sbp');
    // At noon the deadline of the invoice is on the same day.
    const hours = 12 - new Date().getUTCHours();
    const timezoneId = `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
    const page = await openSignedIn(`#${checkout.id}`, { ...phone, locale: 'ru-RU', timezoneId });
    const buttons = page.getByRole('button', { name: /^(Ссылка для оплаты|Проверить у сервиса|Закрыть)$/ });
    const tops = await buttons.evaluateAll((all) => all.map((button) => button.getBoundingClientRect().top));
    assert.equal(tops.length, 3);
    assert.equal(new Set(tops).size, 1, 'in one row');
    const lines = page.locator('ol > li:not(.day)');
    const count = await lines.count();
    assert.ok(count >= 3);
    assert.equal(await lines.locator('svg[aria-hidden=true]').count(), count);
    assert.equal(await page.locator('ol > li.day').count(), 1, 'one day');
    for (const actor of ['Магазин', 'Плательщик', 'Сервис'])
      assert.ok((await lines.filter({ hasText: actor }).count()) > 0, `${actor} is read out`);
    await lines.filter({ hasText: 'Срок счёта: Счёт 1 (ещё впереди)' }).waitFor();
    assert.deepEqual(await axeViolations(page), []);
  });

  it('say what the service has answered to a check, or that it has not, and so does the history', async () => {
    const checkout = await order({ order_id: '2008', amount: '700.00' });
    await requestInvoice(checkout, 'pm_sbp');
    const page = await openSignedIn(`#${checkout.id}`);
    const check = async (text: RegExp): Promise<void> => {
      await page.getByRole('button', { name: 'Check at the service' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Check at the service' }).click();
      await page.getByRole('status').filter({ hasText: text }).waitFor();
      assert.deepEqual(await axeViolations(page), []);
    };
    const line = (text: string): Promise<void> => page.locator('ol > li').filter({ hasText: text }).waitFor();
    await check(/^\s*Invoice 1, \d\d:\d\d:\d\d: the service has answered PENDING\s*$/);
    await line('Checked at the service');
    const faults = `${server.sandbox ?? ''}/sandbox/faults`;
    const put = async (fault: object): Promise<void> => {
      await fetch(faults, { method: 'DELETE' });
      const body = JSON.stringify({ operation: 'FetchInvoices', ...fault });
      await fetch(faults, { method: 'PUT', headers: { 'content-type': 'application/json' }, body });
    };
    await put({ kind: 'status', status: 200, body: { invoices: [] } });
    await check(/^\s*Invoice 1, \d\d:\d\d:\d\d: the service has answered, and has said nothing of this invoice\./);
    assert.match((await fact(page, 'Asked since').textContent()) ?? '', /: the answer was without this invoice$/);
    await line('Asked the service: nothing about the invoice');
    await put({ kind: 'reset' });
    await check(/^\s*The service has not answered\. .* It is asked again by itself: look here in a few minutes\./);
    await line('Asked the service: no answer');
    assert.equal(await page.locator('ol > li').filter({ hasText: 'Checked at the service' }).count(), 1);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('status').filter({ hasText: 'has not answered' }).waitFor({ state: 'detached' });
    await fetch(faults, { method: 'DELETE' });
  });

  it('give the focus back to what has asked, when the answer was no and when it was yes', async () => {
    const { id } = await order({ order_id: '2007', amount: '700.00' });
    const page = await openSignedIn(`#${id}`);
    const focused = page.locator('button:focus');
    await page.getByRole('button', { name: 'Close' }).focus();
    for (const key of ['Enter', 'Escape']) await page.keyboard.press(key);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal((await focused.textContent({ timeout: 1000 }))?.trim(), 'Close');
    for (const key of ['Enter', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Open again' }).waitFor();
    assert.equal((await focused.textContent({ timeout: 1000 }))?.trim(), 'Open again');
  });
});

describe('the list of the operator’s page', { timeout: 60_000 }, () => {
  const checkout = {
    id: 'co_1',
    order_id: '1001',
    amount: '10.00',
    currency: 'RUB',
    status: 'paid',
    created_at: '2026-11-20T10:00:00Z',
    description: null,
    invoices: [],
  };

  it('says of a payment that could not be read, and shows the others; it asks for no more than it shows', async () => {
    const page = await openSignedIn('');
    const limits: string[] = [];
    await page.route('**/admin/checkouts?**', (route) => {
      const { searchParams } = new URL(route.request().url());
      if (searchParams.has('undelivered') || searchParams.has('needs_decision'))
        limits.push(searchParams.get('limit') ?? '');
      return route.fulfill({ json: { checkouts: [checkout], next_cursor: '1.co_1' } });
    });
    await page.route('**/admin/checkouts/co_1?', (route) => route.fulfill({ status: 500, body: 'a proxy’s page' }));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('link', { name: /1001 .*What the shop has not received could not be read/ }).waitFor();
    await page.getByRole('heading', { name: 'Waiting for your decision (1+)' }).waitFor();
    assert.equal(await page.getByRole('link', { name: /^\s*1001/ }).count(), 3);
    assert.equal(await page.locator('[role=alert]').textContent(), '');
    assert.deepEqual(limits, ['5', '5']);
    await page.getByRole('link', { name: 'Show all' }).first().click();
    await page.getByRole('heading', { name: 'Found' }).waitFor();
    assert.match(page.url(), /#\?needs_decision=1$/);
  });
});

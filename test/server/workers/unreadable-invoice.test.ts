import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../../src/base/clock.ts';
import { createInvoiceServiceClient } from '../../../src/server.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

// What FetchInvoices says about an invoice may be unreadable, there twice, or left out of a long list. It is not unknown then,
// and may be paid.

/** A checkout server with the real client, whose FetchInvoices returns `invoices`; the other operations work. */
async function openWith(invoices: unknown[]): Promise<TestCheckoutServer> {
  const clock: Clock = { now: () => harness.clock.now(), schedule: (ms, task) => harness.clock.schedule(ms, task) };
  const fetch: typeof globalThis.fetch = (url, init) => {
    const body: unknown = JSON.parse(typeof init?.body === 'string' ? init.body : '{}');
    const { amount, external_id } = { amount: '', external_id: '', ...(typeof body === 'object' ? body : {}) };
    const expires_at = new Date(harness.clock.now() + 900_000).toISOString();
    const { pathname } = new URL(url instanceof Request ? url.url : url);
    if (pathname.endsWith('/FetchPaymentOptions'))
      return Promise.resolve(Response.json({ options: [{ id: 'pm_card', type: 'CARD', available: true }] }));
    if (pathname.endsWith('/FetchInvoices')) return Promise.resolve(Response.json({ invoices }));
    const card = { card_number: '2200000000000004' };
    return Promise.resolve(Response.json({ id: 'inv_1', amount, external_id, expires_at, card }));
  };
  const log = (level: string, event: string, facts: object): void =>
    void harness.logEntries.push({ level, event, facts });
  const baseUrl = 'https://invoices.example';
  const service = createInvoiceServiceClient({ baseUrl, token: 'token', fetch, clock, log });
  const harness: TestCheckoutServer = await TestCheckoutServer.open({}, { service });
  assert.equal((await harness.until(harness.createInvoice())).status, 201);
  return harness;
}

for (const amount of [1500, '1 500,00', '1500.00 RUB', true])
  test(`an invoice whose amount cannot be read never expires by time (${JSON.stringify(amount)}), and is paid once it can`, async () => {
    const invoices = [{ id: 'inv_1', status: 'PAID', amount }] as unknown[];
    const harness = await openWith(invoices);
    await harness.advance(40 * 60_000); // its deadline, and the time after which a missing one is expired
    assert.equal((await harness.getCheckout()).checkout.status, 'pending');
    assert.deepEqual(harness.outcomes, [], 'the shop is not told that it expired');
    const dropped = harness.logEntries.filter(({ event }) => event === 'invoice_service_item_dropped');
    assert.deepEqual({ ...dropped[0] }, { ...dropped[0], level: 'error' });
    invoices[0] = { id: 'inv_1', status: 'PAID', amount: '1500.00' };
    await harness.advance(120_000);
    assert.equal((await harness.getCheckout()).checkout.status, 'paid');
  });

for (const words of [
  ['PAID', 'PENDING'],
  ['PENDING', 'PAID'],
])
  test(`an invoice that a response has twice, as ${words.join(' and ')}, is paid`, async () => {
    const harness = await openWith(words.map((status) => ({ id: 'inv_1', status, amount: '1500.00' })));
    await harness.advance(15_000);
    assert.deepEqual(
      harness.outcomes.map(({ kind }) => kind),
      ['paid'],
    );
  });

test('invoices that the service leaves out of a long list are asked for again, and their payments are found', async () => {
  const harness = await TestCheckoutServer.open();
  const { service } = harness;
  const ids: string[] = [];
  for (let order = 1; order <= 5; order += 1) {
    harness.id = await harness.createCheckout({ orderId: `order-${order}` });
    ids.push(harness.id);
    await harness.createInvoice();
  }
  const fetchInvoices = service.fetchInvoices.bind(service);
  service.fetchInvoices = async (wanted) => (await fetchInvoices(wanted)).slice(0, 2);
  for (const id of service.invoices.keys()) service.setStatus('PAID', id);
  await harness.advance(15_000);
  assert.equal(harness.outcomes.length, ids.length);
  assert.deepEqual(new Set(harness.outcomes.map(({ kind }) => kind)), new Set(['paid']));
});

test('an identifier that the service does not know costs one more call, and no more', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  harness.id = await harness.createCheckout({ orderId: 'order-2' });
  await harness.createInvoice();
  harness.service.invoices.delete('inv_2');
  harness.service.fetched.length = 0;
  await harness.advance(10_500); // one tick of invoices that nobody views
  const asked = harness.service.fetched.map((ids) => ids.length);
  assert.ok(asked.length <= 2, asked.join());
});

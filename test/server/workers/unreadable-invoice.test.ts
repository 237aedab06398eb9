import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../../src/base/clock.ts';
import { createInvoiceServiceClient } from '../../../src/server.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { serviceFetch } from '../../support/service-fetch.ts';

// FetchInvoices may return an unreadable invoice, return an invoice twice, or leave invoices out of a long list. Such an invoice
// exists at the service, and may be paid.

/** A checkout server with the real client, whose FetchInvoices returns `invoices`. The other operations succeed. */
async function openWithInvoices(invoices: unknown[]): Promise<TestCheckoutServer> {
  const clock: Clock = { now: () => harness.clock.now(), schedule: (ms, task) => harness.clock.schedule(ms, task) };
  const fetch = serviceFetch((operation, { amount, external_id }) => {
    if (operation === 'FetchPaymentOptions') return { options: [{ id: 'pm_card', type: 'CARD', available: true }] };
    if (operation === 'FetchInvoices') return { invoices };
    const expires_at = new Date(harness.clock.now() + 900_000).toISOString();
    return { id: 'inv_1', amount, external_id, expires_at, card: { card_number: '2200000000000004' } };
  });
  const log = (level: string, event: string, facts: object): void =>
    void harness.logEntries.push({ level, event, facts });
  const baseUrl = 'https://invoices.example';
  const service = createInvoiceServiceClient({ baseUrl, token: 'token', fetch, clock, log });
  const harness: TestCheckoutServer = await TestCheckoutServer.open({}, { service });
  assert.equal((await harness.until(harness.createInvoice())).status, 201);
  return harness;
}

for (const amount of [1500, '1 500,00', '1500.00 RUB', true])
  test(`an invoice whose amount cannot be read never expires by time, and is paid once the amount can be read (${JSON.stringify(amount)})`, async () => {
    const invoices = [{ id: 'inv_1', status: 'PAID', amount }] as unknown[];
    const harness = await openWithInvoices(invoices);
    await harness.advance(40 * 60_000); // past its deadline, and past the time after which a missing invoice expires
    assert.equal((await harness.getCheckout()).checkout.status, 'pending');
    assert.deepEqual(harness.outcomes, [], 'no outcome reports that the invoice expired');
    const droppedEntries = harness.logEntries.filter(({ event }) => event === 'invoice_service_item_dropped');
    assert.deepEqual({ ...droppedEntries[0] }, { ...droppedEntries[0], level: 'error' });
    invoices[0] = { id: 'inv_1', status: 'PAID', amount: '1500.00' };
    await harness.advance(120_000);
    assert.equal((await harness.getCheckout()).checkout.status, 'paid');
  });

for (const words of [
  ['PAID', 'PENDING'],
  ['PENDING', 'PAID'],
])
  test(`an invoice that a response contains twice, as ${words.join(' and as ')}, is reported as paid`, async () => {
    const harness = await openWithInvoices(words.map((status) => ({ id: 'inv_1', status, amount: '1500.00' })));
    await harness.advance(15_000);
    assert.deepEqual(harness.outcomeKinds(), ['paid']);
  });

test('invoices that the service leaves out of a long list are fetched again, and their payments are found', async () => {
  const harness = await TestCheckoutServer.open();
  const { service } = harness;
  const ids: string[] = [];
  for (let order = 1; order <= 5; order += 1) {
    harness.id = await harness.createCheckout({ orderId: `order-${order}` });
    ids.push(harness.id);
    await harness.createInvoice();
  }
  const fetchInvoices = service.fetchInvoices.bind(service);
  service.fetchInvoices = async (requestedIds) => (await fetchInvoices(requestedIds)).slice(0, 2);
  for (const id of service.invoices.keys()) service.setStatus('PAID', id);
  await harness.advance(15_000);
  assert.equal(harness.outcomes.length, ids.length);
  assert.deepEqual(new Set(harness.outcomes.map(({ kind }) => kind)), new Set(['paid']));
});

test('an identifier that the service does not know costs at most one additional FetchInvoices', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.id = await harness.createCheckout({ orderId: 'order-2' });
  await harness.createInvoice();
  harness.service.invoices.delete('inv_2');
  harness.service.fetchRequests.length = 0;
  await harness.advance(10_500); // one tick of invoices that nobody views
  const batchSizes = harness.service.fetchRequests.map((ids) => ids.length);
  assert.ok(batchSizes.length <= 2, batchSizes.join());
});

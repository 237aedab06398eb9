import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInvoiceServiceClient } from '../../../src/server.ts';
import { InvoiceServiceError, type ServiceFailure } from '../../../src/server-internals.ts';
import { endlessMs } from '../../../src/server/domain/fetch-decisions.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { serviceFetch } from '../../support/service-fetch.ts';

// A refusal of FetchInvoices says nothing about an invoice, unless the service answers for other invoices.

/** Past the deadline of an invoice, and past the time after which a missing one expires, in milliseconds. */
const pastItsEnd = 40 * 60_000;

/** The error of a gateway that answers with `httpStatus` and a body that is not the service's. */
function gatewayError(httpStatus: number): InvoiceServiceError {
  const failure: ServiceFailure = httpStatus >= 500 ? 'unavailable' : 'refused';
  return new InvoiceServiceError('a gateway', { failure, code: 'unknown', isOwnCode: false, httpStatus });
}

for (const httpStatus of [300, 404, 503])
  test(`a gateway that answers every fetch with ${httpStatus} ends no invoice, and the payment is found when it recovers`, async () => {
    const harness = await TestCheckoutServer.openWithInvoice();
    const fetchInvoices = harness.service.fetchInvoices.bind(harness.service);
    harness.service.fetchInvoices = () => Promise.reject(gatewayError(httpStatus));
    harness.service.setStatus('PAID');
    await harness.advance(pastItsEnd);
    assert.equal((await harness.getCheckout()).checkout.status, 'pending');
    assert.equal((await harness.getCheckout()).checkout.stale, true);
    assert.deepEqual(harness.outcomes, []);
    harness.service.fetchInvoices = fetchInvoices;
    await harness.advance(30_000);
    assert.deepEqual(harness.outcomeKinds(), ['paid']);
  });

test('a gateway that refuses every call is not asked for each identifier of a batch of a hundred', async () => {
  const harness = await TestCheckoutServer.open();
  for (let order = 2; order <= 101; order += 1) {
    harness.id = await harness.createCheckout({ orderId: `order-${order}` });
    await harness.createInvoice({ key: `key-${order}` });
  }
  const batchSizes: number[] = [];
  harness.service.fetchInvoices = (ids) => {
    batchSizes.push(ids.length);
    return Promise.reject(gatewayError(400));
  };
  await harness.advance(10_500);
  assert.ok(batchSizes.length <= 40, batchSizes.join());
});

for (const isOwnCode of [false, true])
  test(`one identifier that ${isOwnCode ? 'the service does not know' : 'a gateway refuses'} does not expire by time, and the others of its batch are fetched`, async () => {
    const harness = await TestCheckoutServer.openWithInvoice();
    const refusedId = harness.id;
    harness.id = await harness.createCheckout({ orderId: 'order-2' });
    await harness.createInvoice();
    const facts = { failure: 'refused', code: 'not_found', isOwnCode, httpStatus: 404 } as const;
    const fetchInvoices = harness.service.fetchInvoices.bind(harness.service);
    harness.service.fetchInvoices = (ids) =>
      ids.includes('inv_1') ? Promise.reject(new InvoiceServiceError('refused', facts)) : fetchInvoices(ids);
    harness.service.setStatus('PAID', 'inv_2');
    await harness.advance(pastItsEnd);
    assert.deepEqual(
      harness.outcomes.map(({ kind, invoiceId }) => [kind, invoiceId]),
      [['paid', 'inv_2']],
    );
    harness.id = refusedId;
    assert.equal((await harness.getCheckout()).checkout.status, 'pending');
  });

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

for (const amount of [1500, '1500.00 RUB'])
  test(`an invoice whose amount cannot be read never expires by time, and is paid once the amount can be read (${JSON.stringify(amount)})`, async () => {
    const invoices = [{ id: 'inv_1', status: 'PAID', amount }] as unknown[];
    const harness = await openWithInvoices(invoices);
    await harness.advance(pastItsEnd);
    assert.equal((await harness.getCheckout()).checkout.status, 'pending');
    assert.deepEqual(harness.outcomes, [], 'no outcome reports that the invoice expired');
    const droppedEntries = harness.logEntries.filter(({ event }) => event === 'invoice_service_item_dropped');
    assert.deepEqual({ ...droppedEntries[0] }, { ...droppedEntries[0], level: 'error' });
    invoices[0] = { id: 'inv_1', status: 'PAID', amount: '1500.00' };
    await harness.advance(120_000);
    assert.equal((await harness.getCheckout()).checkout.status, 'paid');
  });

for (const [first, second] of [
  [{ status: 'PAID' }, { status: 'PENDING' }],
  [{ status: 'EXPIRED' }, { status: 'PAID' }],
  [{ status: 'PAID' }, { status: 'PAID', amount: '15.00' }],
] as const)
  test(`an invoice that a response contains twice, as ${JSON.stringify([first, second])}, has no status until it comes once`, async () => {
    const invoice = { id: 'inv_1', amount: '1500.00' };
    const invoices: unknown[] = [
      { ...invoice, ...first },
      { ...invoice, ...second },
    ];
    const harness = await openWithInvoices(invoices);
    await harness.advance(pastItsEnd);
    assert.equal((await harness.getCheckout()).checkout.status, 'pending');
    assert.deepEqual(harness.outcomes, []);
    const shapes = harness.logEntries.map(({ facts }) => ({ shape: '', ...facts }).shape);
    assert.deepEqual(
      shapes.filter((shape) => shape === 'contradictory'),
      ['contradictory'],
    );
    invoices.splice(0, 2, { ...invoice, status: 'PAID' });
    await harness.advance(120_000);
    assert.deepEqual(harness.outcomeKinds(), ['paid']);
  });

test('an invoice that a response contains twice, the same, is read as one', async () => {
  const paid = { id: 'inv_1', amount: '1500.00', status: 'PAID' };
  const harness = await openWithInvoices([paid, { ...paid }]);
  await harness.advance(15_000);
  assert.deepEqual(harness.outcomeKinds(), ['paid']);
});

test('invoices that the service leaves out of a long list are fetched again, and their payments are found', async () => {
  const harness = await TestCheckoutServer.open();
  const { service } = harness;
  for (let order = 2; order <= 6; order += 1) {
    harness.id = await harness.createCheckout({ orderId: `order-${order}` });
    await harness.createInvoice();
    service.setStatus('PAID');
  }
  const fetchInvoices = service.fetchInvoices.bind(service);
  service.fetchInvoices = async (requestedIds) => (await fetchInvoices(requestedIds)).slice(0, 2);
  await harness.advance(15_000);
  assert.deepEqual(harness.outcomeKinds(), Array(5).fill('paid'));
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

// The end of polling of an invoice that may still be paid is told to the shop.

/** Lets the days pass for which an invoice is polled. The workers run once afterwards: each second costs several rounds of them. */
async function endPolling(harness: TestCheckoutServer): Promise<void> {
  harness.fakeClock.stall(endlessMs + 3_600_000);
  await harness.advance(20_000);
}

for (const title of ['with a status word in no list', 'without a deadline'])
  test(`an invoice ${title} that is no longer polled gives invoice_unresolved once, and an error in the log`, async () => {
    const harness = await TestCheckoutServer.open();
    if (title === 'without a deadline') harness.service.lifetimeMs = undefined;
    await harness.createInvoice();
    if (title !== 'without a deadline') harness.service.setStatus('HELD_BY_BANK');
    await endPolling(harness);
    assert.deepEqual(harness.outcomeKinds(), ['invoice_unresolved']);
    const entry = harness.logEntries.find(({ event }) => event === 'outcome_invoice_unresolved');
    assert.equal(entry?.level, 'error');
    await harness.sendWebhook(); // one more fetch, which changes nothing
    await harness.advance(60_000);
    assert.deepEqual(harness.outcomeKinds(), ['invoice_unresolved']);
    harness.service.setStatus('PAID');
    await harness.sendWebhook();
    await harness.advance(5000);
    assert.deepEqual(harness.outcomeKinds(), ['invoice_unresolved', 'paid']);
  });

test('an unresolved invoice is fetched again when a server starts whose lists have its status word', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.service.setStatus('SETTLED');
  await endPolling(harness);
  assert.deepEqual(harness.outcomeKinds(), ['invoice_unresolved']);
  await harness.server.stop();
  const restarted = harness.otherProcess({ statuses: { paid: ['PAID', 'Settled'] } });
  restarted.server.start();
  await harness.advance(5000);
  assert.deepEqual(restarted.outcomeKinds(), ['paid']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

// One invoice of the service pays one order, whatever the service answers.

/** Two orders, for both of which the service returns the invoice `inv_1`, with the `external_id` of each request. */
async function openWithSharedInvoice(isFirstClosed: boolean) {
  const harness = await TestCheckoutServer.open();
  const ids = [harness.id, await harness.createCheckout({ orderId: 'order-2' })];
  assert.equal((await harness.createInvoice()).status, 201);
  if (isFirstClosed) await harness.server.close(harness.id);
  harness.service.invoiceChanges = { id: 'inv_1' };
  harness.id = ids[1] ?? '';
  const second = await harness.createInvoice({ key: 'key-2' });
  return { harness, ids, second };
}

for (const isFirstClosed of [false, true])
  test(`an invoice that the service returns for two orders pays only the first${isFirstClosed ? ', also after it was closed' : ''}`, async () => {
    const { harness, ids, second } = await openWithSharedInvoice(isFirstClosed);
    assert.deepEqual([second.status, second.problem.code], [422, 'method_unavailable']);
    const entry = harness.logEntries.find(({ event }) => event === 'create_foreign_invoice');
    assert.equal(entry?.level, 'error');
    const fetchInvoices = harness.service.fetchInvoices.bind(harness.service);
    // The service names no external_id in its fetches.
    harness.service.fetchInvoices = async (requested) =>
      (await fetchInvoices(requested)).map((invoice) => ({ ...invoice, external_id: undefined }));
    harness.service.setStatus('PAID', 'inv_1');
    await harness.advance(60_000);
    assert.deepEqual(
      harness.outcomes.map(({ kind, orderId, checkoutId }) => [kind, orderId, checkoutId]),
      [['paid', 'order-1', ids[0]]],
    );
    assert.equal((await harness.getCheckout()).checkout.status, 'open');
  });

test('a fetched invoice with the external_id of another request neither pays nor ends an order, and is an error in the log', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const fetchInvoices = harness.service.fetchInvoices.bind(harness.service);
  harness.service.fetchInvoices = async (ids) =>
    (await fetchInvoices(ids)).map((invoice) => ({ ...invoice, external_id: 'att_of_another_order' }));
  for (const word of ['PAID', 'FAILED']) {
    harness.service.setStatus(word);
    await harness.advance(20 * 60_000);
    assert.deepEqual(harness.outcomes, []);
    assert.equal((await harness.getCheckout()).checkout.status, 'pending');
  }
  assert.ok(harness.logEntries.some(({ level, event }) => level === 'error' && event === 'external_id_mismatch'));
});

test('a payment in another mode than the server’s is test_payment, and the order stays unpaid', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  await harness.server.stop();
  const options = { store: harness.store, service: harness.service, clock: harness.clock };
  const live = new TestCheckoutServer({ ...options, mode: 'LIVE' });
  live.id = harness.id;
  live.server.start();
  harness.service.setStatus('PAID');
  await harness.advance(15_000);
  assert.deepEqual(
    live.outcomes.map(({ kind, mode }) => [kind, mode]),
    [['test_payment', 'TEST']],
  );
  const { checkout } = await live.getCheckout();
  assert.deepEqual([checkout.status, checkout.invoice, checkout.paid_at], ['open', null, null]);
});

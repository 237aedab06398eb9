import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGate, TestCheckoutServer } from '../../support/test-checkout-server.ts';

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
    harness.service.fetchedChanges = { external_id: undefined };
    harness.service.setStatus('PAID', 'inv_1');
    await harness.advance(60_000);
    assert.deepEqual(
      harness.outcomes.map(({ kind, orderId, checkoutId }) => [kind, orderId, checkoutId]),
      [['paid', 'order-1', ids[0]]],
    );
    assert.equal((await harness.getCheckout()).checkout.status, 'open');
  });

test('a fetched invoice with the external_id of another request is shown no longer and neither pays nor ends the order, and the shop is told once that it was paid', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.service.fetchedChanges = { external_id: 'att_of_another_order' };
  for (const [word, kinds] of [
    ['PENDING', []],
    ['FAILED', []],
    ['PAID', ['invoice_unresolved']],
  ] as const) {
    harness.service.setStatus(word);
    await harness.advance(20 * 60_000);
    const { checkout } = await harness.getCheckout();
    assert.deepEqual([checkout.status, checkout.invoice], ['open', null]);
    assert.deepEqual(harness.outcomeKinds(), kinds);
  }
  await harness.until(harness.server.check(harness.id));
  await harness.advance(20 * 60_000);
  assert.equal(harness.outcomes.length, 1);
  assert.ok(harness.logEntries.some(({ level, event }) => level === 'error' && event === 'external_id_mismatch'));
});

test('an invoice that was fetched once with the external_id of another request still pays its order', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const fetchInvoices = harness.service.fetchInvoices.bind(harness.service);
  harness.service.fetchInvoices = async (ids) => {
    harness.service.fetchInvoices = fetchInvoices;
    return (await fetchInvoices(ids)).map((invoice) => ({ ...invoice, external_id: 'att_of_another_order' }));
  };
  await harness.advance(60_000);
  assert.equal((await harness.getCheckout()).checkout.invoice, null);
  harness.service.setStatus('PAID');
  await harness.advance(60_000);
  assert.deepEqual(harness.outcomeKinds(), ['paid']);
});

test('a payment in another mode than the server’s is test_payment, and the order stays unpaid', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  await harness.server.stop();
  const live = harness.otherProcess({ mode: 'LIVE' });
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

test('one invoice that the service returned for two requests is one payment, reported as paid', async () => {
  const harness = await TestCheckoutServer.open();
  const { service } = harness;
  await harness.createInvoice();
  service.invoiceChanges = { id: 'inv_1' };
  const secondResponse = await harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
  assert.equal(secondResponse.checkout.invoice?.id, 'inv_1');
  service.setStatus('PAID', 'inv_1');
  await harness.advance(15_000);
  assert.deepEqual(
    harness.outcomes.map(({ kind, invoiceId }) => [kind, invoiceId]),
    [['paid', 'inv_1']],
    'nobody refunds the only payment',
  );
});

test('one invoice that the service returned for two requests with different amounts is paid for the request with its amount', async () => {
  const harness = await TestCheckoutServer.open({ amount: null, amountLimits: {} });
  const { service } = harness;
  await harness.createInvoice({ amount: '1500.00' });
  service.invoiceChanges = { id: 'inv_1', amount: '1500.00' };
  await harness.createInvoice({ key: 'key-2', amount: '1600.00', replace: true });
  service.setStatus('PAID', 'inv_1');
  await harness.advance(15_000);
  assert.deepEqual(
    harness.outcomes.map(({ kind, amount }) => [kind, amount]),
    [['paid', '1500.00']],
  );
});

test('an expired invoice that the service returns for a later request keeps its deadline', async () => {
  const harness = await TestCheckoutServer.open();
  const { service } = harness;
  await harness.createInvoice();
  await harness.advance(20 * 60_000);
  const deadline = (await harness.loadInvoices())[0]?.expiresAt;
  assert.ok(deadline);
  service.invoiceChanges = { id: 'inv_1', expires_at: new Date(deadline).toISOString() };
  await harness.until(harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true }));
  const attempts = await harness.loadInvoices();
  assert.deepEqual(
    attempts.map(({ invoice, expiresAt }) => [invoice.id, expiresAt]),
    Array(2).fill(['inv_1', deadline]),
  );
  assert.ok(!harness.logEntries.some(({ event }) => event === 'deadline_unreadable'));
});

test('the shop is told that a checkout failed, also when the replacement of its failed invoice is rejected later', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const gate = createGate();
  const fault = { kind: 'fails', failure: 'refused', code: 'failed_precondition' } as const;
  const createInvoice = harness.service.createInvoice.bind(harness.service);
  harness.service.createInvoice = async (request) => {
    await gate.promise;
    harness.service.createFaults.push(fault);
    return createInvoice(request);
  };
  const replacement = harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
  await harness.advance(1000);
  harness.service.setStatus('FAILED', 'inv_1');
  await harness.advance(5000);
  assert.deepEqual(harness.outcomes, [], 'the replacement may still succeed');
  gate.open();
  assert.equal((await harness.until(replacement)).status, 422);
  await harness.advance(5000);
  assert.equal((await harness.getCheckout()).checkout.status, 'failed');
  assert.deepEqual(
    harness.outcomes.map(({ kind, invoiceId }) => [kind, invoiceId]),
    [['failed', 'inv_1']],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

// An invoice that was paid with another amount than the order's. The service may
// return the other amount in the response to CreateInvoice, in a later FetchInvoices, or only once the invoice is paid.

const payOtherAmount: Readonly<Record<string, (harness: TestCheckoutServer) => Promise<void>>> = {
  async create(harness) {
    harness.service.invoiceChanges = { amount: '1500.01' };
    await harness.createInvoice();
    harness.service.setStatus('PAID');
  },
  async payment(harness) {
    await harness.createInvoice();
    await harness.advance(5000);
    harness.service.setFetchedAmount('1500.01');
    harness.service.setStatus('PAID');
  },
};

for (const [moment, pay] of Object.entries(payOtherAmount))
  test(`a payment of an amount that the service changed at the ${moment} is reported as amount_mismatch, not as paid`, async () => {
    const harness = await TestCheckoutServer.open();
    await pay(harness);
    await harness.advance(30_000);
    assert.deepEqual(
      harness.outcomes.map(({ kind, amount, expectedAmount }) => ({ kind, amount, expectedAmount })),
      [{ kind: 'amount_mismatch', amount: '1500.01', expectedAmount: '1500.00' }],
    );
    assert.ok(harness.logEntries.some(({ level, event }) => level === 'error' && event === 'outcome_amount_mismatch'));
    assert.equal((await harness.loadRecord()).paidExternalId, null);
  });

test('a payer who has paid another amount sees no requisites and no remaining time, and gets no other invoice', async () => {
  const harness = await TestCheckoutServer.open();
  await payOtherAmount['payment']?.(harness);
  await harness.advance(30_000);
  const { checkout } = await harness.getCheckout();
  assert.equal(checkout.status, 'pending');
  const { invoice } = checkout;
  assert.ok(invoice);
  assert.equal(invoice.expires_in_ms, 0, 'the element shows "checking" instead of a countdown');
  assert.equal(invoice.amount, '1500.00');
  for (const requisites of ['sbp', 'card', 'bank_transfer', 'nspk_url', 'payment_url'])
    assert.ok(!(requisites in invoice), `${requisites} are not shown again`);

  for (const request of [{ key: 'key-1' }, { key: 'key-2', method: 'pm_sbp', replace: true }])
    assert.deepEqual((await harness.createInvoice(request)).checkout.invoice, invoice);
  assert.equal(harness.service.createRequests.length, 1);
  const fetches = harness.service.fetchRequests.length;
  harness.service.setStatus('FAILED');
  await harness.advance(3 * 3_600_000);
  assert.equal(harness.service.fetchRequests.length, fetches, 'it is final');
  assert.equal(harness.outcomes.length, 1);
});

test('an order whose first payment had another amount becomes paid by a payment of its replaced invoice', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  await harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
  harness.service.setFetchedAmount('1499.99');
  harness.service.setStatus('PAID');
  await harness.advance(5000);
  harness.service.setStatus('PAID', 'inv_1');
  await harness.sendWebhook();
  await harness.advance(60_000);
  assert.deepEqual(
    harness.outcomes.map(({ kind, invoiceId }) => [kind, invoiceId]),
    [
      ['amount_mismatch', 'inv_2'],
      ['paid', 'inv_1'],
    ],
  );
  assert.equal((await harness.getCheckout()).checkout.status, 'paid');
});

test('a late payment of an invoice from before the order got another amount is an amount_mismatch, and the payer sees the order’s amount', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.service.setStatus('EXPIRED');
  await harness.advance(60_000);
  await harness.server.update(harness.id, { amount: '1600.00' });
  const ended = (await harness.getCheckout()).checkout;
  assert.deepEqual([ended.status, ended.amount, ended.invoice], ['expired', '1600.00', null]);
  harness.service.setStatus('PAID');
  await harness.until(harness.server.check(harness.id));
  await harness.advance(2000);
  assert.deepEqual(
    harness.outcomes.map(({ kind, amount, expectedAmount }) => [kind, amount, expectedAmount]).slice(1),
    [['amount_mismatch', '1500.00', '1600.00']],
  );
  const { checkout } = await harness.getCheckout();
  assert.deepEqual([checkout.status, checkout.invoice?.amount], ['pending', '1600.00']);
  const resolved = await harness.server.resolve(harness.id, { as: 'paid', note: 'the price had just changed' });
  assert.equal(resolved.status, 'paid');
  const paid = (await harness.getCheckout()).checkout;
  assert.deepEqual([paid.status, paid.invoice], ['paid', null]);
});

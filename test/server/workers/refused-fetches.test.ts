import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvoiceServiceError, type ServiceFailure } from '../../../src/server.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

// A refusal of FetchInvoices says nothing about an invoice, unless the service answers for other invoices.

/** The error of a gateway that answers with `httpStatus` and a body that is not the service's. */
function gatewayError(httpStatus: number): InvoiceServiceError {
  const failure: ServiceFailure = httpStatus >= 500 ? 'unavailable' : 'refused';
  return new InvoiceServiceError('a gateway', { failure, code: 'unknown', isOwnCode: false, httpStatus });
}

for (const [httpStatus, hours] of [
  [300, 1],
  [400, 1],
  [404, 1],
  [451, 26],
  [503, 2],
] as const)
  test(`a gateway that answers every fetch with ${httpStatus} for ${hours} hours ends no invoice, and the payment is found when it recovers`, async () => {
    const harness = await TestCheckoutServer.openWithInvoice();
    const fetchInvoices = harness.service.fetchInvoices.bind(harness.service);
    harness.service.fetchInvoices = () => Promise.reject(gatewayError(httpStatus));
    harness.service.setStatus('PAID');
    await harness.advance(hours * 3_600_000); // over the deadline
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

test('one identifier that the service refuses does not expire by time, and the others of its batch are fetched', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const refusedId = harness.id;
  harness.id = await harness.createCheckout({ orderId: 'order-2' });
  await harness.createInvoice();
  const fetchInvoices = harness.service.fetchInvoices.bind(harness.service);
  harness.service.fetchInvoices = (ids) =>
    ids.includes('inv_1') ? Promise.reject(gatewayError(400)) : fetchInvoices(ids);
  harness.service.setStatus('PAID', 'inv_2');
  await harness.advance(60 * 60_000);
  assert.deepEqual(
    harness.outcomes.map(({ kind, invoiceId }) => [kind, invoiceId]),
    [['paid', 'inv_2']],
  );
  harness.id = refusedId;
  assert.equal((await harness.getCheckout()).checkout.status, 'pending');
});

test('an identifier for which the service returns its own not_found does not expire by time', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const error = new InvoiceServiceError('not found', { failure: 'refused', code: 'not_found', httpStatus: 404 });
  harness.service.fetchInvoices = () => Promise.reject(error);
  await harness.advance(60 * 60_000);
  assert.equal((await harness.getCheckout()).checkout.status, 'pending');
  assert.deepEqual(harness.outcomes, []);
});

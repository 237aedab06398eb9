import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failure } from '../../support/fake-invoice-service.ts';
import { createGate, TestCheckoutServer } from '../../support/test-checkout-server.ts';

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

test('an outcome that was told before is not told again when a later create is rejected', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.service.setStatus('FAILED');
  await harness.advance(15_000);
  harness.service.createInvoice = () => Promise.reject(failure('refused', 'failed_precondition', 400));
  assert.equal((await harness.until(harness.createInvoice({ key: 'key-2' }))).status, 422);
  await harness.advance(5000);
  assert.deepEqual(harness.outcomeKinds(), ['failed']);
});

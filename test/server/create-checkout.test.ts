import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CheckoutConflictError, type CheckoutParams } from '../../src/server.ts';
import { checkoutParams, TestCheckoutServer } from '../support/test-checkout-server.ts';

// One order has one checkout (row 43 of the reliability rules).

test('the same order with the same parameters returns the same checkout', async () => {
  const harness = await TestCheckoutServer.open();
  assert.equal(await harness.server.create({ ...checkoutParams }), harness.id);
  assert.equal(await harness.server.create({ ...checkoutParams, amount: '1500' }), harness.id, 'the same amount');
  assert.notEqual(await harness.server.create({ ...checkoutParams, orderId: 'order-2' }), harness.id);
});

test('creates of one order at once, in two processes, return one checkout', async () => {
  const first = new TestCheckoutServer();
  const second = new TestCheckoutServer({ store: first.store });
  const ids = await Promise.all(
    [first, second, first, second].map(({ server }) => server.create({ ...checkoutParams })),
  );
  assert.equal(new Set(ids).size, 1);
});

const changes = [
  { amount: '1500.01' },
  { amount: null },
  { currency: 'USD' },
  { description: null },
  { successUrl: null },
  { failUrl: 'https://shop.example/failed' },
] as const satisfies readonly Partial<CheckoutParams>[];
for (const change of changes)
  test(`the same order with another ${Object.keys(change).join()} (${Object.values(change).join()}) is a conflict that names it`, async () => {
    const harness = await TestCheckoutServer.open();
    await assert.rejects(harness.server.create({ ...checkoutParams, ...change }), (error) => {
      assert.ok(error instanceof CheckoutConflictError);
      assert.equal(error.parameter, Object.keys(change)[0]);
      return true;
    });
  });

test('other limits of an amount that the payer types are a conflict', async () => {
  const typed = { amount: null, amountLimits: { minAmount: '10', maxAmount: '100.00' } };
  const harness = await TestCheckoutServer.open(typed);
  const params = { ...checkoutParams, ...typed };
  const same = { maxAmount: '100', minAmount: '10.00' };
  assert.equal(await harness.server.create({ ...params, amountLimits: same }), harness.id);
  for (const amountLimits of [{ minAmount: '10' }, { minAmount: '100', maxAmount: '100.00' }, null])
    await assert.rejects(harness.server.create({ ...params, amountLimits: amountLimits }), {
      parameter: 'amountLimits',
    });
});

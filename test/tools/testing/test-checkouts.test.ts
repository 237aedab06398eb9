import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Outcome } from '../../../src/server.ts';
import { createTestCheckouts } from '../../../src/testing.ts';

const order = { orderId: '1001', amount: '1500.00', currency: 'RUB' };

async function openShop(t: TestContext, isRefused = () => false) {
  const outcomes: Outcome[] = [];
  const shop = await createTestCheckouts({
    onOutcome: async (outcome) => {
      await Promise.resolve();
      if (isRefused()) throw new Error('the shop is down');
      outcomes.push(outcome);
    },
  });
  t.after(() => shop.close());
  return { shop, kinds: () => outcomes.map(({ kind }) => kind), outcomes };
}

for (const [action, kind] of [
  ['pay', 'paid'],
  ['fail', 'failed'],
  ['expire', 'expired'],
] as const)
  test(`${action} has called onOutcome with ${kind} when it resolves`, async (t) => {
    const { shop, outcomes } = await openShop(t);
    const { capability, id } = await shop.checkouts.create(order);
    const invoiceId = await shop[action](capability);
    assert.deepEqual(
      outcomes.map((outcome) => [outcome.kind, outcome.orderId, outcome.checkoutId, outcome.invoiceId]),
      [[kind, '1001', id, invoiceId]],
    );
  });

test('an outcome that the shop refuses is delivered again as time passes', async (t) => {
  let isDown = true;
  const { shop, kinds } = await openShop(t, () => isDown);
  const { capability } = await shop.checkouts.create(order);
  await shop.pay(capability);
  assert.deepEqual(kinds(), []);
  isDown = false;
  await shop.advance(60_000);
  assert.deepEqual(kinds(), ['paid']);
});

test('an amount that the payer types is paid, and a fault of the sandbox makes another amount of it', async (t) => {
  const { shop, outcomes } = await openShop(t);
  const { capability } = await shop.checkouts.create({
    orderId: 'donation',
    amountLimits: { minAmount: '50.00', maxAmount: '15000.00' },
    currency: 'RUB',
  });
  await shop.control('PUT', 'faults', { operation: 'FetchInvoices', kind: 'wrong_amount' });
  await shop.pay(capability, { amount: '700.00' });
  assert.deepEqual(
    outcomes.map(({ kind, expectedAmount }) => [kind, expectedAmount]),
    [['amount_mismatch', '700.00']],
  );
});

test('an invoice that nobody pays has expired after its time, and a refused request says why', async (t) => {
  const { shop, kinds } = await openShop(t);
  const { capability } = await shop.checkouts.create(order);
  await assert.rejects(shop.pay(capability, { method: 'pm_nothing' }), /HTTP 422.*method_unavailable/);
  const before = shop.now();
  await shop.advance(3_600_000);
  assert.equal(shop.now() - before, 3_600_000);
  assert.deepEqual(kinds(), []);
});

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { createOrders, shopMigrations } from '../../server-example/orders.ts';
import type { Mode } from '../../src/service-api.ts';
import type { CheckoutServerOptions } from '../../src/server.ts';
import { createSqliteStore } from '../../src/sqlite.ts';
import { checkoutIdOf } from '../../src/server/domain/identifiers.ts';
import { capabilities, TestCheckoutServer } from '../support/test-checkout-server.ts';

// Payments that must not fulfil an order; some tests open one database in TEST and then in LIVE.

const folder = await mkdtemp(join(tmpdir(), 'mode-'));
after(() => rm(folder, { recursive: true }));

/** The shop's store, orders and checkout server in one mode. */
async function openShop(mode: Mode, name: string, options: Partial<CheckoutServerOptions> = {}) {
  const store = await createSqliteStore({ file: join(folder, name), migrations: shopMigrations });
  const orders = createOrders(store.db, mode);
  const harness = new TestCheckoutServer({ ...options, store, mode, onOutcome: (outcome) => orders.settle(outcome) });
  harness.server.start();
  const close = async (): Promise<void> => {
    await harness.until(harness.server.stop());
    await store.close();
  };
  return { orders, harness, close };
}

/** Places an order and creates its invoice. */
async function placeOrder({ orders, harness }: Awaited<ReturnType<typeof openShop>>): Promise<string> {
  const order = await harness.until(
    orders.place([{ sku: 'cup', quantity: 1 }], (...params) => harness.server.create(...params)),
  );
  assert.ok(order);
  harness.id = checkoutIdOf(order.checkout);
  capabilities.set(harness.id, order.checkout);
  assert.equal((await harness.until(harness.createInvoice())).status, 201);
  return order.order_id;
}

const silenceErrors = (t: TestContext) => t.mock.method(process.stderr, 'write', () => true);

for (const moment of ['before', 'after'] as const)
  test(`an order that is paid in TEST ${moment} the shop switches to LIVE is not fulfilled by the LIVE shop`, async (t) => {
    const errors = silenceErrors(t);
    const name = `${moment}.db`;
    const trial = await openShop('TEST', name);
    const orderId = await placeOrder(trial);
    const { service, clock } = trial.harness;
    if (moment === 'before') {
      service.setStatus('PAID');
      await trial.harness.advance(30_000);
      assert.equal((await trial.orders.find(orderId))?.status, 'paid', 'the TEST shop fulfils its own orders');
    }
    await trial.close();

    const live = await openShop('LIVE', name, { service, clock });
    if (moment === 'after') {
      service.setStatus('PAID');
      await trial.harness.advance(30_000);
      assert.equal(errors.mock.callCount(), 1, 'the payment is logged for a person at the shop');
    }
    const order = await live.orders.find(orderId);
    assert.equal(order?.status, 'new');
    assert.equal(order.paid_at, null);
    assert.deepEqual(
      order.other_payments.map(({ kind, mode, amount }) => ({ kind, mode, amount })),
      [{ kind: moment === 'after' ? 'test_payment' : 'paid', mode: 'TEST', amount: '1500.00' }],
    );
    await live.close();
  });

test('a payment of another amount is shown with the order, and does not fulfil it', async (t) => {
  const errors = silenceErrors(t);
  const shop = await openShop('LIVE', 'mismatch.db');
  const orderId = await placeOrder(shop);
  shop.harness.service.setFetchedAmount('15.00');
  shop.harness.service.setStatus('PAID');
  await shop.harness.advance(30_000);
  const order = await shop.orders.find(orderId);
  assert.equal(order?.status, 'new');
  assert.deepEqual(
    order.other_payments.map(({ kind, mode, amount, expected_amount }) => ({ kind, mode, amount, expected_amount })),
    [{ kind: 'amount_mismatch', mode: 'LIVE', amount: '15.00', expected_amount: '1500.00' }],
  );
  assert.equal(errors.mock.callCount(), 1);
  await shop.close();
});

test('a create_unresolved outcome is shown with the order, and does not fulfil it', async (t) => {
  const errors = silenceErrors(t);
  const shop = await openShop('LIVE', 'unresolved.db');
  const orderId = await placeOrder(shop);
  const outcome = {
    id: 'att_1.create_unresolved',
    kind: 'create_unresolved',
    orderId,
    checkoutId: shop.harness.id,
    externalId: 'att_1',
    invoiceId: null,
    amount: '1500.00',
    expectedAmount: '1500.00',
    mode: 'LIVE',
    sequence: 1,
    occurredAt: Date.UTC(2026, 10, 20),
  } as const;
  for (const repeat of [1, 2]) {
    await shop.orders.settle(outcome);
    assert.equal(errors.mock.callCount(), repeat);
  }
  const order = await shop.orders.find(orderId);
  assert.equal(order?.status, 'new');
  const { kind, mode, amount, expectedAmount: expected_amount } = outcome;
  assert.deepEqual(order.other_payments, [{ kind, mode, invoice_id: 'att_1', amount, expected_amount }]);
  await shop.close();
});

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createOrders, shopMigrations } from '../../server-example/orders.ts';
import { defaultStatuses, type Outcome } from '../../src/server.ts';
import { toMerchantCheckout } from '../../src/server/domain/present-to-merchant.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { makeCheckoutRecord } from '../../src/tools/testing/checkout-records.ts';
import { openDatabase } from '../support/open-database.ts';

const folder = await mkdtemp(join(tmpdir(), 'orders-'));
const database = await openDatabase({ dataDir: folder }, [...checkoutMigrations, ...shopMigrations]);
const orders = createOrders(database.db, 'TEST');
after(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

/** Places an order of 490.00, and returns its identifier. */
async function placeOrder(): Promise<string> {
  const placedOrder = await orders.place([{ sku: 'sencha', quantity: 1 }], () =>
    Promise.resolve({
      ...toMerchantCheckout(makeCheckoutRecord('co_1'), 0, defaultStatuses),
      capability: 'chk_1',
      isNew: true,
    }),
  );
  return placedOrder?.order_id ?? assert.fail();
}

function createOutcome(changes: Partial<Outcome>): Outcome {
  return {
    id: 'out_1',
    kind: 'paid',
    orderId: '',
    checkoutId: 'co_1',
    externalId: 'e',
    invoiceId: 'inv_1',
    amount: '490.00',
    expectedAmount: '490.00',
    mode: 'TEST',
    occurredAt: Date.UTC(2026, 10, 20),
    sequence: 1,
    ...changes,
  };
}

test('the first paid outcome makes an order paid, and repeated outcomes change nothing', async () => {
  const order_id = await placeOrder();
  const findOrder = (): Promise<unknown> => orders.find(order_id);
  const created_at = (await orders.find(order_id))?.created_at;
  const newOrder = {
    order_id,
    status: 'new',
    amount: '490.00',
    currency: 'RUB',
    created_at,
    paid_at: null,
    other_payments: [],
  };
  assert.deepEqual(await findOrder(), newOrder);
  await orders.settle(createOutcome({ orderId: order_id, kind: 'failed', id: 'out_0' }));
  assert.deepEqual(await findOrder(), newOrder);
  for (let times = 0; times < 3; times += 1) await orders.settle(createOutcome({ orderId: order_id }));
  await orders.settle(
    createOutcome({ orderId: order_id, id: 'out_2', kind: 'duplicate_payment', occurredAt: Date.UTC(2026, 10, 21) }),
  );
  assert.deepEqual(await findOrder(), {
    ...newOrder,
    status: 'paid',
    paid_at: Date.UTC(2026, 10, 20),
    other_payments: [
      { kind: 'duplicate_payment', mode: 'TEST', invoice_id: 'inv_1', amount: '490.00', expected_amount: '490.00' },
    ],
  });
});

test('an order whose checkout cannot be created is not stored', async () => {
  let orderId = '';
  const placing = orders.place([{ sku: 'sencha', quantity: 1 }], (params) => {
    orderId = params.orderId;
    return Promise.reject(new Error('no checkout'));
  });
  await assert.rejects(placing, /no checkout/);
  assert.notEqual(orderId, '');
  assert.equal(await orders.find(orderId), undefined);
});

test('settling an outcome of an unknown order or kind rejects, so that the outcome is delivered again', async () => {
  const order_id = await placeOrder();
  await assert.rejects(orders.settle(createOutcome({ orderId: 'ord_unknown' })), /unknown order/);
  const outcomeOfUnknownKind = { ...createOutcome({ orderId: order_id }), kind: 'refunded' } as unknown as Outcome;
  await assert.rejects(orders.settle(outcomeOfUnknownKind), /unknown kind: refunded/);
  assert.equal((await orders.find(order_id))?.status, 'new');
});

test('each payment that does not fulfil its order is logged in one line of JSON, and other outcomes are not logged', async (t) => {
  const order_id = await placeOrder();
  const { mock } = t.mock.method(process.stderr, 'write', () => true);
  await orders.settle(createOutcome({ orderId: order_id, id: 'out_10' }));
  await orders.settle(createOutcome({ orderId: order_id, id: 'out_11', kind: 'failed' }));
  assert.equal(mock.callCount(), 0);
  await orders.settle(createOutcome({ orderId: order_id, id: 'out_12', kind: 'amount_mismatch', amount: '490.01' }));
  await orders.settle(createOutcome({ orderId: order_id, id: 'out_13', mode: 'LIVE' }));
  const lines = mock.calls.map(({ arguments: [line] }): unknown => {
    assert.ok(typeof line === 'string' && line.indexOf('\n') === line.length - 1);
    const parsed: unknown = JSON.parse(line);
    assert.ok(typeof parsed === 'object' && parsed !== null && 'time' in parsed);
    const { time, ...event } = parsed;
    assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    return event;
  });
  const event = { level: 'error', event: 'order_needs_attention', order_id, invoice_id: 'inv_1' };
  assert.deepEqual(lines, [
    { ...event, kind: 'amount_mismatch', mode: 'TEST', amount: '490.01', expected_amount: '490.00' },
    { ...event, kind: 'paid', mode: 'LIVE', amount: '490.00', expected_amount: '490.00' },
  ]);
});

test('a placed order has a reference of eight digits for the payer to quote, which is also stored', async () => {
  const references: unknown[] = [];
  const placedOrder = await orders.place([{ sku: 'sencha', quantity: 1 }], (params) => {
    references.push(params.reference);
    return Promise.resolve({
      ...toMerchantCheckout(makeCheckoutRecord('co_2'), 0, defaultStatuses),
      capability: 'chk_2',
      isNew: true,
    });
  });
  const row = await database.db
    .withTables<{ orders: { order_id: string; reference: string | null } }>()
    .selectFrom('orders')
    .select('reference')
    .where('order_id', '=', placedOrder?.order_id ?? '')
    .executeTakeFirst();
  assert.match(String(references[0]), /^\d{4}-\d{4}$/);
  assert.deepEqual(references, [row?.reference]);
});

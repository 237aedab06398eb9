import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createOrders, shopMigrations } from '../../server-example/orders.ts';
import type { Outcome } from '../../src/server.ts';
import { toMerchantCheckout } from '../../src/server/domain/present-to-merchant.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { makeCheckoutRecord } from '../../src/testing/checkout-records.ts';
import { openDatabase } from '../support/open-database.ts';

const root = await mkdtemp(join(tmpdir(), 'orders-'));
const database = await openDatabase({ dataDir: root }, [...checkoutMigrations, ...shopMigrations]);
const orders = createOrders(database.db, 'TEST');
after(async () => {
  await database.close();
  await rm(root, { recursive: true });
});

/** Places an order of 490.00, and returns its identifier. */
async function placeInStore(): Promise<string> {
  const placed = await orders.place([{ sku: 'sencha', quantity: 1 }], () =>
    Promise.resolve({ ...toMerchantCheckout(makeCheckoutRecord('chk_1'), 0), isNew: true }),
  );
  return placed?.order_id ?? assert.fail();
}

function outcome(changes: Partial<Outcome>): Outcome {
  return {
    id: 'out_1',
    kind: 'paid',
    orderId: '',
    checkoutId: 'chk_1',
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

test('marks an order as paid at its first paid outcome, and repeated outcomes change nothing', async () => {
  const order_id = await placeInStore();
  const findOrder = (): Promise<unknown> => orders.find(order_id);
  const created_at = (await orders.find(order_id))?.created_at;
  const fresh = {
    order_id,
    status: 'new',
    amount: '490.00',
    currency: 'RUB',
    created_at,
    paid_at: null,
    other_payments: [],
  };
  assert.deepEqual(await findOrder(), fresh);
  await orders.settle(outcome({ orderId: order_id, kind: 'failed', id: 'out_0' }));
  assert.deepEqual(await findOrder(), fresh);
  for (let times = 0; times < 3; times += 1) await orders.settle(outcome({ orderId: order_id }));
  await orders.settle(
    outcome({ orderId: order_id, id: 'out_2', kind: 'duplicate_payment', occurredAt: Date.UTC(2026, 10, 21) }),
  );
  assert.deepEqual(await findOrder(), {
    ...fresh,
    status: 'paid',
    paid_at: Date.UTC(2026, 10, 20),
    other_payments: [
      { kind: 'duplicate_payment', mode: 'TEST', invoice_id: 'inv_1', amount: '490.00', expected_amount: '490.00' },
    ],
  });
});

test('an order whose checkout cannot be created is not stored', async () => {
  let orderId = '';
  const refused = orders.place([{ sku: 'sencha', quantity: 1 }], (params) => {
    orderId = params.orderId;
    return Promise.reject(new Error('no checkout'));
  });
  await assert.rejects(refused, /no checkout/);
  assert.notEqual(orderId, '');
  assert.equal(await orders.find(orderId), undefined);
});

test('an outcome of an unknown order or kind is refused, so that it is delivered again', async () => {
  const order_id = await placeInStore();
  await assert.rejects(orders.settle(outcome({ orderId: 'ord_unknown' })), /unknown order/);
  const unknown = { ...outcome({ orderId: order_id }), kind: 'refunded' } as unknown as Outcome;
  await assert.rejects(orders.settle(unknown), /unknown kind: refunded/);
  assert.equal((await orders.find(order_id))?.status, 'new');
});

test('logs each payment that does not fulfil its order in one line of JSON, and no other', async (t) => {
  const order_id = await placeInStore();
  const { mock } = t.mock.method(process.stderr, 'write', () => true);
  await orders.settle(outcome({ orderId: order_id, id: 'out_10' }));
  await orders.settle(outcome({ orderId: order_id, id: 'out_11', kind: 'failed' }));
  assert.equal(mock.callCount(), 0);
  await orders.settle(outcome({ orderId: order_id, id: 'out_12', kind: 'amount_mismatch', amount: '490.01' }));
  await orders.settle(outcome({ orderId: order_id, id: 'out_13', mode: 'LIVE' }));
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

test('gives the payer a short number of the order to quote, which is not the order’s identifier', async () => {
  const references: unknown[] = [];
  const placed = await orders.place([{ sku: 'sencha', quantity: 1 }], (params) => {
    references.push(params.reference);
    return Promise.resolve({ ...toMerchantCheckout(makeCheckoutRecord('chk_2'), 0), isNew: true });
  });
  const row = await database.db
    .withTables<{ orders: { order_id: string; reference: string | null } }>()
    .selectFrom('orders')
    .select('reference')
    .where('order_id', '=', placed?.order_id ?? '')
    .executeTakeFirst();
  assert.match(String(references[0]), /^\d{4}-\d{4}$/);
  assert.deepEqual(references, [row?.reference]);
});

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { inspect } from 'node:util';
import { CheckoutConflictError, CheckoutParamsError, type CheckoutParams } from '../../src/server.ts';
import { checkoutParams, TestCheckoutServer } from '../support/test-checkout-server.ts';

const three = { orderId: 'order-1', amount: '1500.00', currency: 'RUB' };

test('three parameters create a checkout, and the others have defaults', async () => {
  const harness = new TestCheckoutServer();
  const checkout = await harness.server.create(three);
  assert.match(checkout.id, /^chk_[\w-]{24}$/);
  assert.deepEqual(checkout, {
    id: checkout.id,
    status: 'open',
    ...three,
    amountLimits: null,
    description: null,
    successUrl: null,
    failUrl: null,
    reference: null,
    expiresAt: null,
    metadata: null,
    createdAt: harness.clock.now(),
    paidAt: null,
    closedAt: null,
    invoices: [],
  });
  assert.equal(checkout.isNew, true);
});

test('a parameter that is null or undefined has its default', async () => {
  const harness = new TestCheckoutServer();
  const { id } = await harness.server.create(three);
  const given = { ...three, amountLimits: undefined, description: null, successUrl: undefined, failUrl: null };
  assert.equal((await harness.server.create(given)).id, id);
});

// One order has one checkout (row 43 of the reliability rules).

test('the same order with the same parameters returns the same checkout in its present state', async () => {
  const harness = await TestCheckoutServer.open();
  const { id } = harness;
  assert.deepEqual(await harness.server.create({ ...checkoutParams }), await harness.server.get(id));
  const again = await harness.server.create({ ...checkoutParams, amount: '1500' });
  assert.deepEqual([again.id, again.isNew], [id, false], 'the same amount');
  assert.notEqual((await harness.server.create({ ...checkoutParams, orderId: 'order-2' })).id, id);
  await harness.createInvoice();
  assert.equal((await harness.server.create({ ...checkoutParams })).status, 'pending');
});

test('concurrent creates of one order in two processes return one checkout, and isNew is true for one of them', async () => {
  const first = new TestCheckoutServer();
  const second = new TestCheckoutServer({ store: first.store });
  const checkouts = await Promise.all(
    [first, second, first, second].map(({ server }) => server.create({ ...checkoutParams })),
  );
  assert.equal(new Set(checkouts.map(({ id }) => id)).size, 1);
  assert.equal(checkouts.filter(({ isNew }) => isNew).length, 1);
});

const changes = [
  { amount: '1500.01' },
  { amount: null },
  { currency: 'USD' },
  { description: null },
  { successUrl: null },
  { failUrl: 'https://shop.example/failed' },
  { reference: '№ 1' },
  { expiresAt: Date.UTC(2100, 0, 1) },
  { metadata: { cart: 'a' } },
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
  assert.equal((await harness.server.create({ ...params, amountLimits: same })).id, harness.id);
  for (const amountLimits of [{ minAmount: '10' }, { minAmount: '100', maxAmount: '100.00' }, null])
    await assert.rejects(harness.server.create({ ...params, amountLimits }), { parameter: 'amountLimits' });
});

test('the same time as a Date and as a number, and the same metadata in another order, are the same parameters', async () => {
  const harness = new TestCheckoutServer();
  const at = harness.clock.now() + 60_000;
  const first = await harness.server.create({
    ...three,
    expiresAt: new Date(at),
    metadata: { cart: { id: 7, list: [1, null, 'x'] }, shop: 'a' },
  });
  assert.equal(first.expiresAt, at);
  await harness.advance(120_000);
  const again = { ...three, expiresAt: at, metadata: { shop: 'a', cart: { list: [1, null, 'x'], id: 7 } } };
  assert.equal((await harness.server.create(again)).id, first.id, 'also after expiresAt');
});

test('metadata is sent to the service beside the identifier of the order', async () => {
  const metadata = { cart: { id: 7 }, shop: 'a' };
  const harness = await TestCheckoutServer.open({ metadata });
  await harness.createInvoice();
  assert.deepEqual(harness.service.created[0]?.metadata, { ...metadata, order_id: 'order-1' });
});

const circular: Record<string, unknown> = {};
circular['self'] = { list: [circular] };

suite('create refuses', () => {
  for (const [given, options, message] of [
    [{ orderID: 'order-1', amount: '1.00', currency: 'RUB' }, {}, 'orderID: is unknown: did you mean orderId?'],
    [{ ...three, success_url: 'https://shop.example' }, {}, 'success_url: is unknown: did you mean successUrl?'],
    [{ ...three, colour: 'red' }, {}, 'colour: is unknown'],
    [
      { orderId: 'o', amountLimits: { min_amount: '1.00' }, currency: 'RUB' },
      {},
      'amountLimits.min_amount: is unknown: did you mean minAmount?',
    ],
    [
      { orderId: 'order-1', currency: 'RUB' },
      {},
      'amount: is required, or amountLimits for an amount that the payer types',
    ],
    [{ ...three, amount: 1500 }, {}, 'amount: must be a decimal number in a string, such as "100.00"'],
    [{ orderId: 'o', amount: '1' }, {}, 'currency: must be an ISO 4217 code such as "RUB", or null'],
    [{ ...three, orderId: 1001 }, {}, 'orderId: must be a string'],
    [{ ...three, orderId: 'a\0b' }, {}, 'orderId: must not contain a zero byte'],
    [{ ...three, reference: '' }, {}, 'reference: must not be empty'],
    [{ ...three, expiresAt: '2100-01-01' }, {}, 'expiresAt: must be a Date, or milliseconds since 1970'],
    [{ ...three, expiresAt: new Date(NaN) }, {}, 'expiresAt: must be a Date, or milliseconds since 1970'],
    [{ ...three, expiresAt: Number.MAX_SAFE_INTEGER }, {}, 'expiresAt: must not be after the year 9999'],
    [{ ...three, expiresAt: 1_700_000_000 }, {}, 'expiresAt: must be in the future'], // seconds
    [{ ...three, metadata: 'cart' }, {}, 'metadata: must be an object of JSON'],
    [{ ...three, metadata: { at: new Date(0) } }, {}, 'metadata: must be an object of JSON'],
    [{ ...three, metadata: { list: [1, undefined] } }, {}, 'metadata: must be an object of JSON'],
    [{ ...three, metadata: circular }, {}, 'metadata: must be an object of JSON'],
    [{ ...three, metadata: { text: 'x'.repeat(8192) } }, {}, 'metadata: must have at most 8192 characters as JSON'],
    [{ ...three, metadata: { order_id: '7' } }, {}, 'metadata: must have no order_id: the server sets it'],
    ['order-1', {}, 'params: must be an object'],
    [three, { transactoin: {} }, 'transactoin: is unknown'],
    [three, { transaction: {} }, /^transaction: must be a transaction of Kysely, or an object with executeSql/],
  ] as const)
    test(`${inspect(given, { maxStringLength: 20, breakLength: Infinity })} with ${inspect(options)}, and names what is wrong`, async () => {
      const { server } = new TestCheckoutServer();
      await assert.rejects(server.create(given as never, options as never), (error) => {
        assert.ok(error instanceof CheckoutParamsError);
        if (typeof message === 'string') assert.equal(error.message, message);
        else assert.match(error.message, message);
        return true;
      });
    });

  test('a transaction when the store has none', async () => {
    const { server } = new TestCheckoutServer();
    await assert.rejects(server.create(three, { transaction: { executeSql: () => [] } }), {
      name: 'TypeError',
      message: 'transaction: a store in memory has no transactions',
    });
  });
});

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { inspect } from 'node:util';
import { CheckoutConflictError } from '../../src/server.ts';
import { checkoutParams, TestCheckoutServer } from '../support/test-checkout-server.ts';

const requiredParams = { orderId: 'order-1', amount: '1500.00', currency: 'RUB' };

test('orderId, amount and currency are enough to create a checkout, and the other parameters have defaults', async () => {
  const harness = new TestCheckoutServer();
  const checkout = await harness.server.create(requiredParams);
  assert.match(checkout.id, /^co_[\w-]{24}$/);
  assert.match(checkout.capability, /^chk_[\w-]{48}$/);
  assert.deepEqual(checkout, {
    id: checkout.id,
    capability: checkout.capability,
    status: 'open',
    ...requiredParams,
    amountLimits: null,
    description: null,
    successUrl: null,
    failUrl: null,
    reference: null,
    expiresAt: null,
    metadata: null,
    methods: null,
    createdAt: Math.round(harness.clock.now()),
    paidAt: null,
    closedAt: null,
    invoices: [],
    isNew: true,
  });
});

// One order has one checkout.

test('a second create of an order with the same parameters returns the existing checkout in its present state', async () => {
  const harness = await TestCheckoutServer.open();
  const { id } = harness;
  const { isNew, capability, ...checkout } = await harness.server.create({ ...checkoutParams });
  assert.deepEqual([isNew, capability], [false, harness.capability]);
  assert.deepEqual({ ...checkout, actions: [], outcomes: [] }, await harness.server.get(id));
  const secondCheckout = await harness.server.create({ ...checkoutParams, amount: '01500.0' });
  assert.deepEqual([secondCheckout.id, secondCheckout.isNew], [id, false], '01500.0 and 1500.00 are the same amount');
  assert.notEqual((await harness.server.create({ ...checkoutParams, orderId: 'order-2' })).id, id);
  await harness.createInvoice();
  assert.equal((await harness.server.create({ ...checkoutParams })).status, 'pending');
});

test('concurrent creates of one order in two processes return one checkout, and isNew is true for one of them', async () => {
  const first = new TestCheckoutServer();
  const processes = [first, first.otherProcess()];
  const creates = [...processes, ...processes].map(({ server }) => server.create({ ...checkoutParams }));
  const checkouts = await Promise.all(creates);
  assert.equal(new Set(checkouts.map(({ id }) => id)).size, 1);
  assert.equal(checkouts.filter(({ isNew }) => isNew).length, 1);
});

for (const change of [{ amount: '1500.01' }, { currency: 'USD' }] as const)
  test(`a second create of an order with ${JSON.stringify(change)} is order_conflict, and the error names the parameter`, async () => {
    const harness = await TestCheckoutServer.open({}, { currencies: ['RUB', 'USD'] });
    const [path] = Object.keys(change);
    await assert.rejects(harness.server.create({ ...checkoutParams, ...change }), (error) => {
      assert.ok(error instanceof CheckoutConflictError);
      assert.deepEqual([error.code, error.path], ['order_conflict', path]);
      assert.equal(error.reason, `${path}: the order has a checkout with another value`, 'without advice');
      return true;
    });
    assert.deepEqual((await harness.loadRecord()).params, checkoutParams);
  });

test('a second create of an order with other texts, addresses, metadata, methods or expiresAt takes the new values', async () => {
  const harness = await TestCheckoutServer.open();
  const changes = {
    description: null,
    reference: '№ 1',
    successUrl: null,
    failUrl: 'https://shop.example/failed',
    expiresAt: Date.UTC(2100, 0, 1),
    metadata: { cart: 'a' },
    methods: ['SBP'],
  };
  const changed = await harness.server.create({ ...checkoutParams, amount: '1500', ...changes });
  assert.deepEqual([changed.id, changed.capability, changed.isNew], [harness.id, harness.capability, false]);
  assert.deepEqual(
    (await harness.loadRecord()).params,
    { ...checkoutParams, ...changes },
    'the amount keeps its digits',
  );
  const { version } = await harness.loadRecord();
  await harness.server.create({ ...checkoutParams, ...changes });
  assert.equal((await harness.loadRecord()).version, version, 'nothing is saved when nothing changes');
});

test('return addresses with international names are stored in ASCII, and others as they are written', async () => {
  const harness = await TestCheckoutServer.open();
  const addresses = { successUrl: 'https://магазин.рф/готово', failUrl: 'https://shop.example' };
  await harness.server.create({ ...checkoutParams, ...addresses });
  const { successUrl, failUrl } = (await harness.loadRecord()).params;
  assert.equal(successUrl, 'https://xn--80aairftm.xn--p1ai/%D0%B3%D0%BE%D1%82%D0%BE%D0%B2%D0%BE');
  assert.equal(failUrl, 'https://shop.example');
});

test('a closed checkout stays closed whatever create says, and reopen opens it', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  await harness.server.close(harness.id);
  harness.service.setStatus('FAILED');
  await harness.advance(5000);
  for (const changes of [{}, { description: 'Tea' }, { expiresAt: null }, {}]) {
    const { status, closedAt, isNew } = await harness.server.create({ ...checkoutParams, ...changes });
    assert.deepEqual([status, closedAt !== null, isNew], ['closed', true, false]);
    assert.equal((await harness.createInvoice({ key: 'key-2' })).problem.code, 'checkout_closed');
  }
  const { actions } = await harness.server.reopen(harness.id);
  assert.equal(actions.at(-1)?.action, 'reopen');
  const reopened = await harness.server.create(checkoutParams);
  assert.deepEqual([reopened.status, reopened.closedAt], ['failed', null]);
  assert.equal((await harness.until(harness.createInvoice({ key: 'key-3' }))).status, 201);
  const { version } = await harness.loadRecord();
  await harness.server.reopen(harness.id);
  assert.equal((await harness.loadRecord()).version, version, 'one that is open does not change');
});

test('a checkout that was closed stays closed for create once its capability has expired', async () => {
  const harness = new TestCheckoutServer({ timing: { lifetimeMs: 60_000 } });
  harness.id = await harness.createCheckout();
  await harness.server.close(harness.id);
  await harness.advance(61_000);
  assert.equal((await harness.server.create(checkoutParams)).status, 'closed');
});

test('only reopen removes an expiresAt that has passed, and it changes no paid checkout', async () => {
  const harness = new TestCheckoutServer();
  const expiresAt = Math.round(harness.clock.now()) + 60_000;
  harness.id = await harness.createCheckout({ expiresAt });
  harness.server.start();
  await harness.advance(120_000);
  assert.equal((await harness.server.create({ ...checkoutParams, expiresAt })).status, 'closed');
  for (const later of [undefined, null, expiresAt + 600_000]) {
    const created = await harness.server.create({ ...checkoutParams, expiresAt: later });
    assert.deepEqual([created.status, created.expiresAt], ['closed', expiresAt], 'create opens nothing');
  }
  const reopened = await harness.server.reopen(harness.id);
  assert.deepEqual([reopened.status, reopened.expiresAt], ['open', null]);
  await harness.createInvoice();
  await harness.server.close(harness.id);
  harness.service.setStatus('PAID');
  await harness.advance(5000);
  const { closedAt, status } = await harness.server.reopen(harness.id);
  assert.deepEqual([status, closedAt !== null], ['paid', true]);
  assert.equal((await harness.server.create(checkoutParams)).status, 'paid');
});

test('create gives an order a new capability once the old one has expired, and the old one stays 404', async () => {
  const harness = new TestCheckoutServer({ timing: { lifetimeMs: 60_000 } });
  harness.id = await harness.createCheckout();
  const oldCapability = harness.capability;
  await harness.advance(61_000);
  assert.equal((await harness.getCheckout()).status, 404);
  const renewed = await harness.server.create(checkoutParams);
  assert.deepEqual([renewed.id, renewed.isNew], [harness.id, false]);
  assert.notEqual(renewed.capability, oldCapability);
  assert.equal((await harness.request(`/${oldCapability}`)).status, 404);
  const response = await harness.request(`/${renewed.capability}`);
  assert.equal(response.status, 200);
  assert.equal((await harness.server.create(checkoutParams)).capability, renewed.capability, 'it is kept');
});

test('methods are what the payer sees, in their order, by id or type, and no other method is accepted', async () => {
  const harness = await TestCheckoutServer.open();
  const shownIds = async () => (await harness.getCheckout()).checkout.options.map(({ id }) => id);
  const reversed = (await shownIds()).toReversed();
  await harness.server.create({ ...checkoutParams, methods: reversed });
  assert.deepEqual(await shownIds(), reversed);
  await harness.server.create({ ...checkoutParams, methods: ['sbp', 'pm_other'] });
  assert.deepEqual(await shownIds(), ['pm_sbp']);
  assert.equal((await harness.createInvoice({ method: 'pm_card' })).problem.code, 'method_unavailable');
  assert.equal((await harness.createInvoice({ method: 'pm_sbp' })).status, 201);
});

for (const mode of ['TEST', 'LIVE'] as const)
  test(`amounts have at most the digits of their currency by ISO 4217 with ${mode}`, async () => {
    const { server } = new TestCheckoutServer({ mode, currencies: ['RUB', 'JPY', 'KWD'] });
    for (const [amount, currency, path] of [
      ['10.050', 'RUB', undefined],
      ['10', 'JPY', undefined],
      ['10.005', 'KWD', undefined],
      ['10.005', 'RUB', 'amount'],
      ['10.5', 'JPY', 'amount'],
      ['10.0005', 'KWD', 'amount'],
      ['10', 'ZZZ', 'currency'],
    ] as const) {
      const creating = server.create({ orderId: `${amount} ${currency}`, amount, currency });
      if (path === undefined) await creating;
      else await assert.rejects(creating, { code: 'invalid_params', path });
    }
  });

for (const [currency, mode, currencies, isAccepted] of [
  [null, 'LIVE', undefined, true],
  ['USD', 'LIVE', undefined, false],
  ['USD', 'TEST', undefined, false],
  ['USD', 'LIVE', ['RUB', 'USD'], true],
  ['RUB', 'LIVE', ['USD'], false],
] as const)
  test(`the currency ${currency ?? 'null'} is ${isAccepted ? 'accepted' : 'refused'} with ${mode} and ${currencies === undefined ? 'the default currencies' : `the currencies ${currencies.join()}`}`, async () => {
    const { server } = new TestCheckoutServer({ mode, ...(currencies && { currencies }) });
    const creating = server.create({ ...checkoutParams, currency });
    if (isAccepted) assert.equal((await creating).currency, currency);
    else await assert.rejects(creating, { message: /^currency: is not in the option currencies/ });
  });

test('a wrong set of parameters is told whole', async () => {
  const { server } = new TestCheckoutServer();
  await assert.rejects(server.create({ orderId: '', amount: 'ten', currency: 'RUB', descripton: '' } as never), {
    name: 'CheckoutParamsError',
    code: 'invalid_params',
    path: 'descripton',
    message: /^descripton: is unknown.*; orderId: must not be empty; amount: must be a decimal/,
  });
});

test('a second create of an order with other limits for the typed amount is a conflict', async () => {
  const typedAmountParams = { amount: null, amountLimits: { minAmount: '10', maxAmount: '100.00' } };
  const harness = await TestCheckoutServer.open(typedAmountParams);
  const params = { ...checkoutParams, ...typedAmountParams };
  const equalLimits = { maxAmount: '100', minAmount: '10.00' };
  assert.equal((await harness.server.create({ ...params, amountLimits: equalLimits })).id, harness.id);
  for (const amountLimits of [{ minAmount: '10' }, { minAmount: '100', maxAmount: '100.00' }, {}])
    await assert.rejects(harness.server.create({ ...params, amountLimits }), { path: 'amountLimits' });
});

test('expiresAt as a Date or a number, and metadata with its members in another order, are the same parameters', async () => {
  const harness = new TestCheckoutServer();
  const expiresAt = Math.round(harness.clock.now()) + 60_000;
  const firstCheckout = await harness.server.create({
    ...requiredParams,
    expiresAt: new Date(expiresAt),
    metadata: { cart: { id: 7, list: [1, null, 'x'] }, shop: 'a' },
  });
  assert.equal(firstCheckout.expiresAt, expiresAt);
  await harness.advance(120_000);
  const equalParams = { ...requiredParams, expiresAt, metadata: { shop: 'a', cart: { list: [1, null, 'x'], id: 7 } } };
  assert.equal((await harness.server.create(equalParams)).id, firstCheckout.id, 'also after expiresAt has passed');
});

const circular: Record<string, unknown> = {};
circular['self'] = { list: [circular] };

const tooEarly = 'must not be before the year 2000: a number is milliseconds, not days or seconds';

suite('create refuses', () => {
  for (const [params, message] of [
    [
      { orderID: 'order-1', amount: '1.00', currency: 'RUB' },
      'orderID: is unknown: did you mean orderId?; orderId: must be a string',
    ],
    [
      { orderId: 'o', amountLimits: { min_amount: '1.00' }, currency: 'RUB' },
      'amountLimits.min_amount: is unknown: did you mean minAmount?',
    ],
    [
      { orderId: 'order-1', currency: 'RUB' },
      'amount: is required, or amountLimits for an amount that the payer types',
    ],
    // The shop has not found the price.
    [{ ...requiredParams, amount: null }, 'amount: is required, or amountLimits for an amount that the payer types'],
    [{ ...requiredParams, amount: 1500 }, 'amount: must be a decimal number in a string, such as "100.00"'],
    [{ orderId: 'o', amount: '1' }, 'currency: must be an ISO 4217 code such as "RUB", or null'],
    [{ ...requiredParams, orderId: 1001 }, 'orderId: must be a string'],
    ...['undefined', 'null', 'NaN', 'None', '<nil>', '[object Object]'].map(
      (orderId) => [{ ...requiredParams, orderId }, 'orderId: is the text of a missing value'] as const,
    ),
    [{ ...requiredParams, orderId: 'a\0b' }, 'orderId: must not contain a zero byte'],
    [{ ...requiredParams, orderId: 'a\ud800' }, 'orderId: must not contain half of a character (a lone surrogate)'],
    [{ ...requiredParams, expiresAt: '2100-01-01' }, 'expiresAt: must be a Date, or milliseconds since 1970'],
    [{ ...requiredParams, expiresAt: Number.MAX_SAFE_INTEGER }, 'expiresAt: must not be after the year 9999'],
    [{ ...requiredParams, expiresAt: 1_800_000_000 }, `expiresAt: ${tooEarly}`], // seconds
    [{ ...requiredParams, expiresAt: new Date(1_800_000_000) }, `expiresAt: ${tooEarly}`],
    [{ ...requiredParams, expiresAt: 1_600_000_000_000 }, 'expiresAt: must be in the future'],
    [{ ...requiredParams, metadata: { at: new Date(0) } }, 'metadata: must be an object of JSON'],
    [{ ...requiredParams, metadata: circular }, 'metadata: must be an object of JSON'],
    [
      { ...requiredParams, metadata: { text: 'x'.repeat(8192) } },
      'metadata: must have at most 8192 characters as JSON',
    ],
    [{ ...requiredParams, metadata: { order_id: '7' } }, 'metadata: must have no order_id: the server sets it'],
    ['order-1', 'params: must be an object'],
  ] as const)
    test(`${inspect(params, { maxStringLength: 20, breakLength: Infinity })}: ${message}`, async () => {
      const { server } = new TestCheckoutServer();
      const creating = server.create(params as never);
      await assert.rejects(creating, { name: 'CheckoutParamsError', message });
    });

  for (const [options, message] of [
    [{ transactoin: {} }, 'transactoin: is unknown'],
    [{ transaction: {} }, /^transaction: must be a transaction of Kysely, or an object with executeSql/],
    [{ transaction: { executeSql: () => [] } }, 'transaction: a store in memory has no transactions'],
  ] as const)
    test(`the options ${inspect(options)}`, async () => {
      const { server } = new TestCheckoutServer();
      await assert.rejects(server.create(requiredParams, options as never), { code: 'invalid_params', message });
    });
});

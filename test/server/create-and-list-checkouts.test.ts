import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListCheckoutsQuery } from '../../src/server.ts';
import { checkoutParams, TestCheckoutServer } from '../support/test-checkout-server.ts';

test('get and list return the checkout that create returned', async () => {
  const { server } = new TestCheckoutServer();
  const { isNew, capability, ...checkout } = await server.create(checkoutParams);
  assert.deepEqual([isNew, capability.slice(0, 4)], [true, 'chk_']);
  assert.deepEqual(await server.get(checkout.id), { ...checkout, actions: [], outcomes: [] });
  assert.deepEqual(await server.getByOrder('order-1'), checkout);
  assert.deepEqual(await server.list({ orderId: 'order-1' }), { checkouts: [checkout], nextCursor: null });
});

test('get returns undefined for an unknown id, and list returns no checkout for an unknown order', async () => {
  const harness = await TestCheckoutServer.open();
  assert.equal(await harness.server.get('co_unknown'), undefined);
  assert.equal(await harness.server.get(harness.id.toUpperCase()), undefined);
  assert.equal(await harness.server.getByOrder('order-2'), undefined);
  assert.deepEqual(await harness.server.list({ orderId: 'order-2' }), { checkouts: [], nextCursor: null });
});

test('an identifier with a zero byte, which PostgreSQL refuses, is not passed to the store and finds nothing', async () => {
  const { server, store } = new TestCheckoutServer();
  store.load = store.loadByOrder = () => assert.fail('the store is called');
  assert.deepEqual([await server.get('co_\0'), await server.close('co_\0')], [undefined, undefined]);
  assert.deepEqual(await server.list({ orderId: '\0' }), { checkouts: [], nextCursor: null });
  assert.equal(await server.getByOrder('\0'), undefined);
});

test('list refuses an unknown member and names it', async () => {
  const { server } = new TestCheckoutServer();
  await assert.rejects(server.list({ order_id: 'order-1' } as never), {
    message: 'order_id: is unknown: did you mean orderId?',
  });
});

test('get shows the invoices with their status, and neither requisites nor secrets', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const { hookSecret } = await harness.loadRecord();
  const [attempt] = await harness.loadInvoices();
  const checkout = await harness.server.get(harness.id);
  assert.equal(checkout?.status, 'pending');
  assert.deepEqual(checkout.invoices, [
    {
      id: attempt?.invoice.id,
      externalId: attempt?.externalId,
      amount: '1500.00',
      status: 'pending',
      serviceStatus: null,
      statusHistory: [],
      needsDecision: false,
      resolution: null,
      paymentMethodId: 'pm_card',
      method: attempt?.method,
      createdAt: attempt?.createdAt,
      expiresAt: attempt?.expiresAt,
      checkedAt: null,
      nextCheckAt: attempt?.runAt,
    },
  ]);
  const text = JSON.stringify(checkout);
  for (const secret of [hookSecret, attempt?.invoice.card?.card_number, attempt?.invoice.payment_url, 'key-1'])
    assert.ok(secret !== undefined && !text.includes(secret), secret);
  harness.service.setStatus('PAID');
  await harness.advance(5000);
  const paidCheckout = await harness.server.get(harness.id);
  assert.equal(paidCheckout?.status, 'paid');
  assert.deepEqual(
    paidCheckout.invoices.map(({ status, serviceStatus }) => ({ status, serviceStatus })),
    [{ status: 'paid', serviceStatus: 'PAID' }],
  );
});

test('get returns an invoice in doubt with the status creating, and does not return an invoice that the service refused', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.createFaults.push({ kind: 'fails', failure: 'ambiguous' });
  const { status } = await harness.createInvoice();
  assert.equal(status, 202);
  const checkout = await harness.server.get(harness.id);
  assert.deepEqual(
    checkout?.invoices.map(({ id, status }) => ({ id, status })),
    [{ id: null, status: 'creating' }],
  );
  harness.id = await harness.createCheckout({ orderId: 'order-2' });
  harness.service.createFaults.push({ kind: 'fails', failure: 'refused' });
  await harness.createInvoice({ key: 'key-2' });
  assert.deepEqual((await harness.server.get(harness.id))?.invoices, []);
});

test('a repeated close returns the time of the first close, and the invoice of a closed checkout can still be paid', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const closedCheckout = await harness.server.close(harness.id);
  assert.equal(closedCheckout?.closedAt, Math.round(harness.clock.now()));
  assert.equal(closedCheckout.invoices.length, 1);
  await harness.advance(1000);
  assert.equal((await harness.server.close(harness.id))?.closedAt, closedCheckout.closedAt);
  harness.service.setStatus('PAID');
  await harness.advance(10_000);
  assert.equal((await harness.server.get(harness.id))?.status, 'paid');
  assert.deepEqual(harness.outcomeKinds(), ['paid']);
});

test('close does not change a paid checkout, and returns undefined for an unknown checkout', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(5000);
  const paidCheckout = await harness.server.getByOrder('order-1');
  assert.equal(paidCheckout?.closedAt, null);
  assert.ok(paidCheckout.paidAt !== null);
  assert.deepEqual(await harness.server.close(harness.id), paidCheckout);
  assert.equal(await harness.server.close('co_unknown'), undefined);
});

test('list returns pages, newest first, by status and time', async () => {
  const harness = await TestCheckoutServer.open();
  for (let n = 2; n <= 5; n += 1) {
    await harness.advance(1000);
    harness.id = await harness.createCheckout({ orderId: `order-${n}` });
  }
  await harness.createInvoice();
  await harness.server.close((await harness.server.getByOrder('order-3'))?.id ?? '');
  const orders: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await harness.server.list({ limit: 2, cursor });
    assert.ok(page.checkouts.length <= 2);
    orders.push(...page.checkouts.map(({ orderId }) => orderId));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual(orders, ['order-5', 'order-4', 'order-3', 'order-2', 'order-1']);
  const ordersOf = async (query: ListCheckoutsQuery) =>
    (await harness.server.list(query)).checkouts.map(({ orderId }) => orderId);
  assert.deepEqual(await ordersOf({ status: 'pending' }), ['order-5']);
  assert.deepEqual(await ordersOf({ status: 'closed' }), ['order-3']);
  assert.deepEqual(await ordersOf({ status: 'open' }), ['order-4', 'order-2', 'order-1']);
  const { createdAt = 0 } = (await harness.server.getByOrder('order-4')) ?? {};
  assert.deepEqual(await ordersOf({ createdAfter: createdAt }), ['order-5']);
  assert.deepEqual(await ordersOf({ createdBefore: new Date(createdAt), limit: 1 }), ['order-3']);
  for (const query of [{ limit: 0 }, { cursor: 'x' }, { status: 'new' as 'open' }])
    await assert.rejects(harness.server.list(query), { code: 'invalid_params', path: Object.keys(query)[0] });
});

test('update changes an open checkout, and not while an invoice of it can be paid', async () => {
  const harness = await TestCheckoutServer.open();
  const { server, id } = harness;
  const { etag } = await harness.getCheckout();
  const changed = await server.update(id, { amount: '1600.00', description: 'Tea', methods: ['SBP'] });
  assert.deepEqual([changed?.amount, changed?.description, changed?.currency], ['1600.00', 'Tea', 'RUB']);
  const seen = await harness.getCheckout({ 'if-none-match': etag });
  assert.deepEqual([seen.status, seen.checkout.amount], [200, '1600.00'], 'an open page follows');
  await harness.createInvoice({ method: 'pm_sbp' });
  assert.equal(harness.service.createRequests[0]?.amount, '1600.00');
  await assert.rejects(server.update(id, { amount: '1.00' }), {
    name: 'CheckoutConflictError',
    code: 'invoice_pending',
  });
  harness.service.setStatus('FAILED');
  await harness.advance(5000);
  assert.equal((await server.update(id, { amount: '1.00' }))?.amount, '1.00');
  await assert.rejects(server.update(id, { amount: '1.001' }), { code: 'invalid_params', path: 'amount' });
  await assert.rejects(server.update(id, { currency: 'USD' } as never), { code: 'invalid_params', path: 'currency' });
  await server.close(id);
  await assert.rejects(server.update(id, { description: null }), { code: 'checkout_closed' });
  assert.equal(await server.update('co_none', {}), undefined);
});

test('no invoice for the old amount is created after update has resolved, also by a request that began before', async () => {
  const harness = await TestCheckoutServer.open();
  const { store } = harness;
  const load = store.load.bind(store);
  let isFirst = true;
  store.load = async (...args) => {
    const record = await load(...args);
    if (isFirst) {
      isFirst = false;
      await harness.server.update(harness.id, { amount: '200.00' });
    }
    return record;
  };
  await harness.createInvoice();
  assert.deepEqual(
    harness.service.createRequests.map(({ amount }) => amount),
    ['200.00'],
  );
});

test('check fetches an invoice now that is no longer polled, and get shows the outcome with its delivery', async () => {
  const harness = await TestCheckoutServer.openWithInvoice({}, { timing: { lateMs: 0, graceMs: 0 } });
  harness.service.setStatus('FAILED');
  await harness.advance(10_000);
  const ended = await harness.server.get(harness.id);
  assert.deepEqual([ended?.status, ended?.invoices[0]?.nextCheckAt], ['failed', null]);
  harness.service.setStatus('PAID');
  const checked = await harness.until(harness.server.check(harness.id));
  assert.equal(checked?.status, 'paid');
  await harness.advance(5000);
  const { outcomes = [], invoices = [] } = (await harness.server.get(harness.id)) ?? {};
  assert.deepEqual(
    outcomes.map(({ kind, deliveries }) => [kind, deliveries.map(({ status, error }) => [status, error])]),
    [
      ['failed', [[null, null]]],
      ['paid', [[null, null]]],
    ],
  );
  assert.ok((invoices[0]?.checkedAt ?? 0) > (ended?.invoices[0]?.checkedAt ?? 0));
  assert.equal(await harness.server.check('co_none'), undefined);
});

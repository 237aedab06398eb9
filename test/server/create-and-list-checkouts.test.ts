import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasInvoice } from '../../src/server-internals.ts';
import type { CheckAnswer, ListCheckoutsQuery } from '../../src/server.ts';
import type { FakeInvoiceService } from '../support/fake-invoice-service.ts';
import { checkoutParams, TestCheckoutServer } from '../support/test-checkout-server.ts';

test('get and list return the checkout that create returned', async () => {
  const { server } = new TestCheckoutServer();
  const { isNew, capability, ...checkout } = await server.create(checkoutParams);
  assert.deepEqual([isNew, capability.slice(0, 4)], [true, 'chk_']);
  assert.deepEqual(await server.get(checkout.id), { ...checkout, actions: [], outcomes: [] });
  assert.deepEqual(await server.getByOrder('order-1'), await server.get(checkout.id));
  assert.deepEqual(await server.list({ orderId: 'order-1' }), { checkouts: [checkout], nextCursor: null });
});

for (const half of ['\0', '\ud800'])
  test(`an identifier with ${JSON.stringify(half)}, which a database refuses or replaces, is not passed to the store and finds nothing`, async () => {
    const { server, store } = new TestCheckoutServer();
    store.load = store.loadByOrder = () => assert.fail('the store is called');
    assert.equal(await server.get(`co_${half}`), undefined);
    await assert.rejects(server.close(`co_${half}`), { code: 'not_found' });
    assert.deepEqual(await server.list({ orderId: half }), { checkouts: [], nextCursor: null });
    assert.equal(await server.getByOrder(half), undefined);
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
      paidAmount: null,
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
      answeredAt: null,
      nextCheckAt: attempt?.runAt,
    },
  ]);
  const text = JSON.stringify(checkout);
  for (const secret of [hookSecret, attempt?.invoice.card?.card_number, attempt?.invoice.payment_url, 'key-1'])
    assert.ok(secret !== undefined && !text.includes(secret), secret);
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

test('close keeps the time of the first close, does not change a paid checkout, and its invoice can still be paid', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const closed = await harness.server.close(harness.id);
  assert.equal(closed.closedAt, Math.round(harness.clock.now()));
  await harness.advance(1000);
  assert.equal((await harness.server.close(harness.id)).closedAt, closed.closedAt);
  harness.service.setStatus('PAID');
  await harness.advance(10_000);
  const paid = await harness.server.getByOrder('order-1');
  assert.equal(paid?.status, 'paid');
  assert.deepEqual(await harness.server.close(harness.id), paid);
});

test('list refuses an empty order or search, which would select every checkout', async () => {
  const { server } = await TestCheckoutServer.open();
  for (const path of ['orderId', 'search'])
    await assert.rejects(server.list({ [path]: '' }), {
      code: 'invalid_params',
      path,
      message: `${path}: must not be empty`,
    });
});

test('list returns pages, newest first, by status and time', async () => {
  const harness = await TestCheckoutServer.open();
  for (let n = 2; n <= 5; n += 1) {
    await harness.advance(1000);
    harness.id = await harness.createCheckout({ orderId: `order-${n}` });
  }
  await harness.server.close(harness.id);
  const ordersOf = async (query: ListCheckoutsQuery) => {
    const { checkouts, nextCursor } = await harness.server.list(query);
    return { orders: checkouts.map(({ orderId }) => orderId), cursor: nextCursor ?? undefined };
  };
  const first = await ordersOf({ limit: 3 });
  const second = await ordersOf({ limit: 3, cursor: first.cursor });
  assert.deepEqual([...first.orders, ...second.orders], ['order-5', 'order-4', 'order-3', 'order-2', 'order-1']);
  assert.equal(second.cursor, undefined);
  assert.deepEqual((await ordersOf({ status: 'closed' })).orders, ['order-5']);
  const { createdAt = 0 } = (await harness.server.getByOrder('order-4')) ?? {};
  assert.deepEqual((await ordersOf({ createdAfter: createdAt })).orders, ['order-5']);
  assert.deepEqual((await ordersOf({ createdBefore: new Date(createdAt), limit: 1 })).orders, ['order-3']);
  const seconds = Math.floor(harness.clock.now() / 1000); // would list everything, or nothing
  const times = [{ createdAfter: seconds }, { createdBefore: seconds }];
  for (const query of [{ limit: 0 }, { cursor: 'x' }, { status: 'new' }, { order_id: 'order-1' }, ...times])
    await assert.rejects(harness.server.list(query as never), { code: 'invalid_params', path: Object.keys(query)[0] });
});

test('update changes an open checkout, and not while an invoice of it can be paid', async () => {
  const harness = await TestCheckoutServer.open();
  const { server, id } = harness;
  const { etag } = await harness.getCheckout();
  const changed = await server.update(id, { amount: '1600.00', description: 'Tea', methods: ['SBP'] });
  assert.deepEqual([changed.amount, changed.description, changed.currency], ['1600.00', 'Tea', 'RUB']);
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
  assert.equal((await server.update(id, { amount: '1.00' })).amount, '1.00');
  await assert.rejects(server.update(id, { amount: '1.001' }), { code: 'invalid_params', path: 'amount' });
  const inSeconds = Math.floor(harness.clock.now() / 1000) + 3600; // would close the order
  await assert.rejects(server.update(id, { expiresAt: inSeconds }), { code: 'invalid_params', path: 'expiresAt' });
  await assert.rejects(server.update(id, { currency: 'USD' } as never), { code: 'invalid_params', path: 'currency' });
  await server.close(id);
  await assert.rejects(server.update(id, { description: null }), { code: 'checkout_closed' });
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

test('check fetches a paid invoice too: the service’s word and the time come, and paid stays final', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(20_000);
  const paid = (await harness.server.get(harness.id))?.invoices[0] ?? assert.fail();
  await harness.advance(3_600_000);
  harness.service.setStatus('REFUNDED');
  const checked = await harness.until(harness.server.check(harness.id));
  const [invoice] = checked.invoices;
  assert.deepEqual([checked.status, invoice?.status, invoice?.serviceStatus], ['paid', 'paid', 'REFUNDED']);
  assert.deepEqual(
    invoice?.statusHistory.map(({ status }) => status),
    ['PAID', 'REFUNDED'],
  );
  const checkedAt = invoice.checkedAt ?? 0;
  assert.ok(checkedAt >= (paid.checkedAt ?? 0) + 3_600_000);
  await harness.advance(3_600_000);
  const later = await harness.server.get(harness.id);
  assert.deepEqual([later?.invoices[0]?.checkedAt, later?.invoices[0]?.nextCheckAt], [checkedAt, null], 'once');
  await harness.until(harness.server.check(harness.id));
  assert.ok(((await harness.server.get(harness.id))?.invoices[0]?.checkedAt ?? 0) > checkedAt, 'the word is the same');
  assert.deepEqual(harness.outcomeKinds(), ['paid']);
});

for (const [title, answer, setUp] of [
  ['with the status', 'told', (service) => service.setStatus('REFUNDED')],
  ['without the invoice', 'not_told', (service) => service.invoices.clear()],
  ['with one of another order', 'not_told', (service) => (service.fetchedChanges = { external_id: 'other' })],
  ['not at all', 'no_answer', (service) => (service.outage = { kind: 'fails', failure: 'unavailable' })],
] as const satisfies readonly (readonly [string, CheckAnswer, (service: FakeInvoiceService) => unknown])[])
  test(`a check that the service answers ${title} is ${answer} in the answer and in the history`, async () => {
    const harness = await TestCheckoutServer.openWithInvoice();
    harness.service.setStatus('PAID');
    await harness.advance(20_000);
    const before = (await harness.server.get(harness.id))?.invoices[0] ?? assert.fail();
    await harness.advance(60_000);
    setUp(harness.service);
    const { invoices, actions, status } = await harness.until(harness.server.check(harness.id));
    assert.equal(status, 'paid');
    assert.deepEqual(
      [invoices[0]?.checkedAt !== before.checkedAt, invoices[0]?.answeredAt !== before.answeredAt],
      [answer === 'told', answer !== 'no_answer'],
    );
    assert.deepEqual(
      actions.map((action) => [action.action, action.answer]),
      [['check', answer]],
    );
    const { facts } = harness.logEntries.find(({ event }) => event === 'checkout_checked') ?? assert.fail();
    assert.deepEqual(facts, { checkout: harness.id, answer });
  });

test('check of a checkout without an invoice asks nothing, and says so', async () => {
  const harness = await TestCheckoutServer.open();
  const { actions } = await harness.server.check(harness.id);
  assert.deepEqual(
    actions.map(({ answer }) => answer),
    ['no_invoice'],
  );
  assert.equal(harness.service.fetchRequests.length, 0);
});

test('check fetches an invoice now that is no longer polled, and get shows the outcome with its delivery', async () => {
  const harness = await TestCheckoutServer.openWithInvoice({}, { timing: { lateMs: 0, graceMs: 0 } });
  harness.service.setStatus('FAILED');
  await harness.advance(10_000);
  const ended = await harness.server.get(harness.id);
  assert.deepEqual([ended?.status, ended?.invoices[0]?.nextCheckAt], ['failed', null]);
  harness.service.setStatus('PAID');
  const checked = await harness.until(harness.server.check(harness.id));
  assert.equal(checked.status, 'paid');
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
});

/** Stores that the invoices were last fetched in an hour, as after a clock that was ahead and was set right. Resolves with that time. */
async function fetchedInAnHour(harness: TestCheckoutServer): Promise<number> {
  const record = (await harness.store.load(harness.id)) ?? assert.fail();
  const inAnHour = Math.floor(harness.clock.now()) + 3_600_000;
  const attempts = record.attempts.map((attempt) =>
    hasInvoice(attempt) ? { ...attempt, answeredAt: inAnHour, checkedAt: inAnHour } : attempt,
  );
  assert.equal(await harness.store.save({ ...record, attempts, version: record.version + 1 }, []), true);
  return inAnHour;
}

test('check and a create ask about an invoice that has ended, although its last fetch is later than now: the clock was set right', async () => {
  const harness = await TestCheckoutServer.openWithInvoice({}, { timing: { lateMs: 0, graceMs: 0 } });
  harness.service.setStatus('FAILED');
  await harness.advance(10_000);
  await fetchedInAnHour(harness);
  harness.service.setStatus('PAID');
  const answer = await harness.until(harness.createInvoice({ key: 'another' }));
  assert.deepEqual([answer.status, answer.problem.code], [409, 'already_paid'], 'no second invoice is created');
  const checked = await harness.until(harness.server.check(harness.id));
  assert.equal(checked.status, 'paid');
});

test('check of a payment whose last fetch is later than now brings the service’s word', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(20_000);
  const inAnHour = await fetchedInAnHour(harness);
  harness.service.setStatus('REFUNDED');
  const [invoice] = (await harness.until(harness.server.check(harness.id))).invoices;
  assert.deepEqual([invoice?.serviceStatus, (invoice?.checkedAt ?? Infinity) < inAnHour], ['REFUNDED', true]);
});

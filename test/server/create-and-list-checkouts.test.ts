import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkoutParams, TestCheckoutServer } from '../support/test-checkout-server.ts';

test('get and list return the checkout that create returned', async () => {
  const { server } = new TestCheckoutServer();
  const { isNew, capability, ...checkout } = await server.create(checkoutParams);
  assert.deepEqual([isNew, capability.slice(0, 4)], [true, 'chk_']);
  assert.deepEqual(await server.get(checkout.id), checkout);
  assert.deepEqual(await server.list({ orderId: 'order-1' }), [checkout]);
});

test('get returns undefined for an unknown id, and list returns no checkout for an unknown order', async () => {
  const harness = await TestCheckoutServer.open();
  assert.equal(await harness.server.get('co_unknown'), undefined);
  assert.equal(await harness.server.get(harness.id.toUpperCase()), undefined);
  assert.deepEqual(await harness.server.list({ orderId: 'order-2' }), []);
});

test('an identifier with a zero byte, which PostgreSQL refuses, is not passed to the store and finds nothing', async () => {
  const { server, store } = new TestCheckoutServer();
  store.load = store.loadByOrder = () => assert.fail('the store is called');
  assert.deepEqual([await server.get('co_\0'), await server.close('co_\0')], [undefined, undefined]);
  assert.deepEqual(await server.list({ orderId: '\0' }), []);
});

test('list refuses an unknown member and names it', async () => {
  const { server } = new TestCheckoutServer();
  await assert.rejects(server.list({ order_id: 'order-1' } as never), {
    message: 'order_id: is unknown: did you mean orderId?',
  });
});

test('get shows the invoices with their status, and neither requisites nor secrets', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const { hookSecret, attempts } = await harness.loadRecord();
  const [attempt] = attempts;
  const checkout = await harness.server.get(harness.id);
  assert.equal(checkout?.status, 'pending');
  assert.deepEqual(checkout.invoices, [
    {
      id: attempt?.invoice?.id,
      externalId: attempt?.externalId,
      amount: '1500.00',
      status: 'pending',
      serviceStatus: null,
      paymentMethodId: 'pm_card',
      method: attempt?.method,
      createdAt: attempt?.createdAt,
    },
  ]);
  const text = JSON.stringify(checkout);
  for (const secret of [hookSecret, attempt?.invoice?.card?.card_number, attempt?.invoice?.payment_url, 'key-1'])
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
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const closedCheckout = await harness.server.close(harness.id);
  assert.equal(closedCheckout?.closedAt, Math.round(harness.clock.now()));
  assert.equal(closedCheckout.invoices.length, 1);
  await harness.advance(1000);
  assert.equal((await harness.server.close(harness.id))?.closedAt, closedCheckout.closedAt);
  harness.service.setStatus('PAID');
  await harness.advance(10_000);
  assert.equal((await harness.server.get(harness.id))?.status, 'paid');
  assert.deepEqual(
    harness.outcomes.map(({ kind }) => kind),
    ['paid'],
  );
});

test('close does not change a paid checkout, and returns undefined for an unknown checkout', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(5000);
  const paidCheckout = await harness.server.get(harness.id);
  assert.equal(paidCheckout?.closedAt, null);
  assert.ok(paidCheckout.paidAt !== null);
  assert.deepEqual(await harness.server.close(harness.id), paidCheckout);
  assert.equal(await harness.server.close('co_unknown'), undefined);
});

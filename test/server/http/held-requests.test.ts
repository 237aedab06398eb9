import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../support/fake-clock.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('holds the answer for Prefer: wait until the checkout changes', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const { etag } = await harness.getCheckout();
  let answered = false;
  const held = harness.getCheckout({ 'if-none-match': etag, prefer: 'wait=25' }).finally(() => (answered = true));
  await harness.advance(10_000);
  assert.equal(answered, false);
  harness.service.setStatus('PAID');
  await harness.advance(3000);
  assert.equal(answered, true);
  const { status, checkout, headers } = await held;
  assert.equal(status, 200);
  assert.equal(checkout.status, 'paid');
  assert.equal(headers.get('preference-applied'), 'wait=25');
});

test('answers 304 when the wait times out, and leaves no timer', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.server.stop();
  harness.server = new TestCheckoutServer({ store: harness.store, clock: harness.clock }).server;
  const { etag } = await harness.getCheckout();
  const held = harness.getCheckout({ 'if-none-match': etag, prefer: 'wait=99' });
  await settle();
  assert.equal(harness.fakeClock.pending, 1);
  await harness.advance(29_999);
  assert.equal(harness.fakeClock.pending, 1);
  await harness.advance(1);
  const { status, headers } = await held;
  assert.equal(status, 304);
  assert.equal(headers.get('preference-applied'), 'wait=30', 'at most 30 seconds');
  assert.equal(harness.fakeClock.pending, 0);
});

test('a change that the payer does not see keeps the answer held', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const { etag } = await harness.getCheckout();
  let answered = false;
  const held = harness.getCheckout({ 'if-none-match': etag, prefer: 'wait=20' }).finally(() => (answered = true));
  harness.service.setStatus('IN_PROGRESS');
  await harness.advance(10_000);
  assert.equal((await harness.loadAttempts())[0]?.serviceStatus, 'IN_PROGRESS');
  assert.equal(answered, false);
  await harness.advance(10_000);
  assert.equal((await held).status, 304);
});

for (const [title, headers] of [
  ['no If-None-Match', { prefer: 'wait=25' }],
  ['wait=0', { 'if-none-match': '*', prefer: 'wait=0' }],
  ['no number', { 'if-none-match': '*', prefer: 'wait=soon' }],
  ['another preference', { 'if-none-match': '*', prefer: 'respond-async' }],
] as const)
  test(`does not wait with ${title}`, async () => {
    const harness = await TestCheckoutServer.open();
    const answer = await harness.getCheckout(headers);
    assert.equal(answer.headers.get('preference-applied'), null);
  });

test('does not wait once the checkout is paid, because paid is final', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(3000);
  assert.equal((await harness.getCheckout({ 'if-none-match': '*', prefer: 'wait=25' })).status, 304);
});

test('requests beyond the limits of long polls are answered at once, and stop() answers all that are held', async () => {
  const harness = await TestCheckoutServer.open({}, { limits: { waiters: 3, waitersOfCheckout: 2 } });
  const wait = (): Promise<unknown> => harness.getCheckout({ 'if-none-match': '*', prefer: 'wait=30' });
  const { id: first } = harness;
  const held = [wait(), wait()];
  await settle();
  assert.equal(
    (await harness.getCheckout({ 'if-none-match': '*', prefer: 'wait=30' })).status,
    304,
    'the limit of one checkout',
  );
  harness.id = await harness.createCheckout({ ...(await harness.loadRecord()).params, orderId: 'order-2' });
  held.push(wait());
  await settle();
  assert.equal(
    (await harness.getCheckout({ 'if-none-match': '*', prefer: 'wait=30' })).status,
    304,
    'the limit of all',
  );
  harness.id = first;
  let answered = 0;
  for (const answer of held) void answer.then(() => (answered += 1));
  await settle();
  assert.equal(answered, 0);
  await harness.server.stop();
  await settle();
  assert.equal(answered, 3);
});

test('a request is no longer held when its client aborts it', async () => {
  const harness = await TestCheckoutServer.open();
  const controller = new AbortController();
  const held = harness.request(`/${harness.id}`, {
    headers: { 'if-none-match': '*', prefer: 'wait=30' },
    signal: controller.signal,
  });
  await settle();
  controller.abort();
  assert.equal((await held).status, 304);
});

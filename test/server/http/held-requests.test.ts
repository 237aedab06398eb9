import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../support/fake-clock.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('a long poll without a change is answered with 304 when its time is over, and leaves no timer', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.server.stop();
  harness.server = new TestCheckoutServer({ store: harness.store, clock: harness.clock }).server;
  const { etag } = await harness.getCheckout();
  const longPoll = harness.getCheckout({ 'if-none-match': etag, prefer: 'wait=99' });
  await settle();
  assert.equal(harness.fakeClock.pending, 1);
  await harness.advance(29_999);
  assert.equal(harness.fakeClock.pending, 1);
  await harness.advance(1);
  const { status, headers } = await longPoll;
  assert.equal(status, 304);
  assert.equal(headers.get('preference-applied'), 'wait=30', 'at most 30 seconds');
  assert.equal(harness.fakeClock.pending, 0);
});

test('a long poll is not answered by a change that the payer does not see', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const { etag } = await harness.getCheckout();
  let isAnswered = false;
  const longPoll = harness.getCheckout({ 'if-none-match': etag, prefer: 'wait=20' }).finally(() => (isAnswered = true));
  harness.service.setStatus('IN_PROGRESS');
  await harness.advance(10_000);
  assert.equal((await harness.loadInvoices())[0]?.serviceStatus, 'IN_PROGRESS');
  assert.equal(isAnswered, false);
  await harness.advance(10_000);
  assert.equal((await longPoll).status, 304);
});

test('a read of a paid checkout is answered without a wait, because paid is final', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(3000);
  assert.equal((await harness.getCheckout({ 'if-none-match': '*', prefer: 'wait=25' })).status, 304);
});

test('requests beyond the limits of long polls are answered without a wait, and stop() ends all long polls', async () => {
  const harness = await TestCheckoutServer.open({}, { limits: { waiters: 51 } });
  const startLongPoll = (): Promise<unknown> => harness.getCheckout({ 'if-none-match': '*', prefer: 'wait=30' });
  const { id: firstId } = harness;
  const longPoll = Array.from({ length: 50 }, startLongPoll);
  await settle();
  assert.equal(
    (await harness.getCheckout({ 'if-none-match': '*', prefer: 'wait=30' })).status,
    304,
    'the limit of one checkout',
  );
  harness.id = await harness.createCheckout({ ...(await harness.loadRecord()).params, orderId: 'order-2' });
  longPoll.push(startLongPoll());
  await settle();
  assert.equal(
    (await harness.getCheckout({ 'if-none-match': '*', prefer: 'wait=30' })).status,
    304,
    'the limit of all checkouts',
  );
  harness.id = firstId;
  let isAnswered = 0;
  for (const response of longPoll) void response.then(() => (isAnswered += 1));
  await settle();
  assert.equal(isAnswered, 0);
  await harness.server.stop();
  await settle();
  assert.equal(isAnswered, 51);
});

test('a long poll ends when its client aborts the request', async () => {
  const harness = await TestCheckoutServer.open();
  const controller = new AbortController();
  const longPoll = harness.request(`/${harness.capability}`, {
    headers: { 'if-none-match': '*', prefer: 'wait=30' },
    signal: controller.signal,
  });
  await settle();
  controller.abort();
  assert.equal((await longPoll).status, 304);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLongPolls, createOutageBroadcast } from '../../../src/server/between-requests/long-polls.ts';
import { defaultLimits } from '../../../src/server/timing-and-limit-defaults.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('a long poll without a change is answered with 304 when its time is over, and leaves no timer', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.server.stop();
  const handler = harness.otherProcess();
  const { etag } = await handler.getCheckout();
  const longPoll = handler.longPoll(etag, 99);
  await harness.advance(29_999);
  assert.equal(harness.fakeClock.pending, 1);
  await harness.advance(1);
  const { status, headers } = await longPoll;
  assert.deepEqual([status, headers.get('preference-applied')], [304, 'wait=30'], 'at most 30 seconds');
  assert.equal(harness.fakeClock.pending, 0);
});

test('a long poll is not answered by a change that the payer does not see', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const { etag } = await harness.getCheckout();
  const longPoll = harness.longPoll(etag, 20);
  harness.service.setStatus('IN_PROGRESS');
  await harness.advance(10_000);
  assert.equal((await harness.loadInvoices())[0]?.serviceStatus, 'IN_PROGRESS');
  await harness.advance(10_000);
  assert.equal((await longPoll).status, 304);
});

test('a read of a paid checkout is answered without a wait, because paid is final', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(3000);
  assert.equal((await harness.longPoll()).status, 304);
});

test('requests beyond the limits of long polls are answered without a wait, and stop() ends all long polls', async () => {
  const harness = await TestCheckoutServer.open({}, { limits: { waiters: 51 } });
  const longPolls = Array.from({ length: 50 }, () => harness.longPoll());
  await settle();
  assert.equal((await harness.longPoll()).status, 304, 'the limit of one checkout');
  harness.id = await harness.createCheckout({ orderId: 'order-2' });
  longPolls.push(harness.longPoll());
  await settle();
  assert.equal((await harness.longPoll()).status, 304, 'the limit of all checkouts');
  let answered = 0;
  for (const response of longPolls) void response.then(() => (answered += 1));
  await settle();
  assert.equal(answered, 0);
  await harness.until(harness.server.stop());
  await settle();
  assert.equal(answered, 51);
});

test('stop() ends the long polls at a rate at which another server accepts their connections, within 5 s', async () => {
  for (const [count, tenths] of [
    [40, 0],
    [1000, 24],
    [8000, 49],
  ] satisfies [number, number][]) {
    const clock = new FakeClock();
    const longPolls = createLongPolls(clock, { waiters: count });
    const startedAt = clock.now();
    const tenthsSince = (): number => Math.round((clock.now() - startedAt) / 100);
    const ends: number[] = [];
    for (let index = 0; index < count; index += 1)
      void longPolls
        .begin(`checkout-${index}`, 30_000)
        ?.next()
        .then((reason) => reason === 'closed' && ends.push(tenthsSince()));
    const stopped = longPolls.stop().then(tenthsSince);
    await clock.advance(10_000);
    assert.equal(await stopped, tenths);
    assert.equal(ends.length, count);
    assert.equal(ends.filter((at) => at === 0).length, Math.max(40, count / 50), `of ${count}`);
  }
});

test('a server that was started twice and stopped leaves no timer, and holds long polls again after its next start', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.server.start();
  await harness.advance(5000);
  await harness.until(harness.server.stop());
  assert.equal(harness.fakeClock.pending, 0);
  harness.server.start();
  const longPoll = harness.longPoll((await harness.getCheckout()).etag, 20);
  harness.service.setStatus('PAID');
  await harness.advance(5000);
  assert.equal((await longPoll).checkout.status, 'paid');
});

test('a long poll ends when its client aborts the request', async () => {
  const harness = await TestCheckoutServer.open();
  const controller = new AbortController();
  const headers = { 'if-none-match': '*', prefer: 'wait=30' };
  const longPoll = harness.request(`/${harness.capability}`, { headers, signal: controller.signal });
  await settle();
  controller.abort();
  assert.equal((await longPoll).status, 304);
});

test('long polls end when an outage of the service makes the checkout stale, and when the outage ends', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const firstLongPoll = harness.longPoll((await harness.getCheckout()).etag);
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  await harness.advance(9000);
  const staleResponse = await Promise.race([firstLongPoll, settle()]);
  assert.equal(staleResponse?.checkout.stale, true);
  const secondLongPoll = harness.longPoll(staleResponse.etag);
  harness.service.outage = undefined;
  await harness.advance(9000);
  const freshResponse = await Promise.race([secondLongPoll, settle()]);
  assert.equal(freshResponse?.checkout.stale, false);
});

test('two hundred long polls are answered over several seconds when an outage begins', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const answeredAt: number[] = [];
  const holdLongPoll = async (_: unknown, index: number): Promise<void> => {
    const url = `/${harness.capabilityOf(await harness.createCheckout({ orderId: `held-${index}` }))}`;
    const { etag } = await harness.parseResponse(harness.request(url));
    const headers = { 'if-none-match': etag, prefer: 'wait=30' };
    const { checkout } = await harness.parseResponse(harness.request(url, { headers }));
    if (checkout.stale) answeredAt.push(harness.fakeClock.now());
  };
  const longPolls = Promise.all(Array.from({ length: 200 }, holdLongPoll));
  await settle();
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  await harness.advance(15_000);
  await longPolls;
  assert.equal(answeredAt.length, 200);
  const countsByTime = new Map<number, number>();
  for (const time of answeredAt) countsByTime.set(time, (countsByTime.get(time) ?? 0) + 1);
  assert.ok(Math.max(...countsByTime.values()) <= 4, 'at most 4 of 200 in each tenth of a second');
  assert.ok(Math.max(...answeredAt) - Math.min(...answeredAt) <= 5000);
});

test('long polls are woken by an outage that begins between two reads of the clock', async () => {
  const clock = new FakeClock();
  let reads = 0;
  let wakes = 0;
  const health = { isStale: () => (reads += 1) > 2, noteResponse: () => undefined, noteFailure: () => undefined };
  const longPolls = { ...createLongPolls(clock, defaultLimits), wakeAll: () => void (wakes += 1) };
  const broadcast = createOutageBroadcast({ clock, health }, longPolls);
  broadcast.start();
  await clock.advance(3000);
  broadcast.stop();
  assert.equal(wakes, 1);
});

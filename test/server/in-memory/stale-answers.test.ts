import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLongPolls } from '../../../src/server/in-memory/long-polls.ts';
import { createOutageBroadcast } from '../../../src/server/in-memory/long-polls.ts';
import { defaultLimits } from '../../../src/server/timing-and-limit-defaults.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('long polls end when an outage of the service makes the checkout stale, and when the outage ends', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const { etag } = await harness.getCheckout();
  const firstLongPoll = harness.getCheckout({ 'if-none-match': etag, prefer: 'wait=30' });
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  await harness.advance(9000);
  const staleResponse = await Promise.race([firstLongPoll, settle()]);
  assert.equal(staleResponse?.checkout.stale, true);
  const secondLongPoll = harness.getCheckout({ 'if-none-match': staleResponse.etag, prefer: 'wait=30' });
  harness.service.outage = undefined;
  await harness.advance(9000);
  const freshResponse = await Promise.race([secondLongPoll, settle()]);
  assert.equal(freshResponse?.checkout.stale, false);
});

test('two hundred long polls are answered over several seconds when an outage begins', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const ids = await Promise.all(
    Array.from({ length: 200 }, () => harness.createCheckout({ orderId: crypto.randomUUID() })),
  );
  const answeredAt: number[] = [];
  const holdLongPoll = async (id: string): Promise<void> => {
    const { etag } = await harness.parseResponse(harness.request(`/${harness.capabilityOf(id)}`));
    const headers = { 'if-none-match': etag, prefer: 'wait=30' };
    const { checkout } = await harness.parseResponse(harness.request(`/${harness.capabilityOf(id)}`, { headers }));
    if (checkout.stale) answeredAt.push(harness.fakeClock.now());
  };
  const longPolls = Promise.all(ids.map(holdLongPoll));
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

test('a read after a change of the poll interval is answered with 200, because a 304 cannot contain the interval', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const { etag } = await harness.getCheckout();
  const { service, store, clock } = harness;
  harness.server = new TestCheckoutServer({ service, store, clock, timing: { fastMs: 4000 } }).server;
  const { status, checkout } = await harness.getCheckout({ 'if-none-match': etag });
  assert.equal(status, 200);
  assert.equal(checkout.poll_after_ms, 4000);
});

test('a rejected create does not take the payment options from the payers of an outage', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.getCheckout();
  harness.service.createFaults.push({ kind: 'fails', failure: 'refused', code: 'failed_precondition' });
  assert.equal((await harness.createInvoice()).status, 422);
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  const { status, checkout } = await harness.until(harness.getCheckout());
  assert.equal(status, 200);
  assert.ok(checkout.options.length > 0);
});

test('long polls are woken by an outage that begins between two reads of the clock', async () => {
  const clock = new FakeClock();
  const woken: number[] = [];
  let reads = 0;
  const health = {
    isStale: () => (reads += 1) > 2,
    noteResponse: () => undefined,
    noteFailure: () => undefined,
  };
  const longPolls = { ...createLongPolls(clock, defaultLimits), wakeAll: () => void woken.push(reads) };
  const broadcast = createOutageBroadcast({ clock, health }, longPolls);
  broadcast.start();
  await clock.advance(3000);
  broadcast.stop();
  assert.equal(woken.length, 1);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../support/fake-clock.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('long polls end when the checkout becomes stale, and when the service answers again', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const { etag } = await harness.getCheckout();
  const held = harness.getCheckout({ 'if-none-match': etag, prefer: 'wait=30' });
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  await harness.advance(9000);
  const away = await Promise.race([held, settle()]);
  assert.equal(away?.checkout.stale, true);
  const again = harness.getCheckout({ 'if-none-match': away.etag, prefer: 'wait=30' });
  harness.service.outage = undefined;
  await harness.advance(9000);
  const back = await Promise.race([again, settle()]);
  assert.equal(back?.checkout.stale, false);
});

test('many long polls are not all answered at once when an outage begins', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const others = await Promise.all(
    Array.from({ length: 200 }, () => harness.createCheckout({ orderId: crypto.randomUUID() })),
  );
  const at: number[] = [];
  const hold = async (id: string): Promise<void> => {
    const { etag } = await harness.parseResponse(harness.request(`/${id}`));
    const headers = { 'if-none-match': etag, prefer: 'wait=30' };
    const { checkout } = await harness.parseResponse(harness.request(`/${id}`, { headers }));
    if (checkout.stale) at.push(harness.fakeClock.now());
  };
  const held = Promise.all(others.map(hold));
  await settle();
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  await harness.advance(15_000);
  await held;
  assert.equal(at.length, 200);
  const counts = new Map<number, number>();
  for (const time of at) counts.set(time, (counts.get(time) ?? 0) + 1);
  assert.ok(Math.max(...counts.values()) <= 4, 'at most a fiftieth in each tenth of a second');
  assert.ok(Math.max(...at) - Math.min(...at) <= 5000);
});

test('a long poll that times out reads the checkout once more, because an outage does not save it', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const { etag } = await harness.getCheckout();
  await harness.server.stop(); // without workers, an outage wakes no long poll
  const { service, store, clock } = harness;
  harness.server = new TestCheckoutServer({ service, store, clock }).server;
  const held = harness.getCheckout({ 'if-none-match': etag, prefer: 'wait=20' });
  await settle();
  service.optionsFaults.push({ kind: 'fails', failure: 'unavailable' });
  await harness.getCheckout({}, '?options=1');
  await harness.advance(20_000);
  const { status, checkout } = await held;
  assert.equal(status, 200);
  assert.equal(checkout.stale, true);
});

test('a changed poll interval is sent with a new checkout, because a 304 cannot contain it', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const { etag } = await harness.getCheckout();
  const { service, store, clock } = harness;
  harness.server = new TestCheckoutServer({ service, store, clock, timing: { fastMs: 4000 } }).server;
  const { status, checkout } = await harness.getCheckout({ 'if-none-match': etag });
  assert.equal(status, 200);
  assert.equal(checkout.poll_after_ms, 4000);
});

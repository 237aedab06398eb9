import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../support/fake-clock.ts';
import { terms, World } from '../../support/checkout-world.ts';

test('whoever waits hears within a second or so that the service has stopped answering, and that it answers again', async () => {
  const world = await World.open();
  await world.ask();
  const { etag } = await world.get();
  const held = world.get({ 'if-none-match': etag, prefer: 'wait=30' });
  world.service.outage = { kind: 'fails', failure: 'unavailable' };
  await world.pass(9000);
  const away = await Promise.race([held, settle()]);
  assert.equal(away?.checkout.stale, true);
  const again = world.get({ 'if-none-match': away.etag, prefer: 'wait=30' });
  world.service.outage = undefined;
  await world.pass(9000);
  const back = await Promise.race([again, settle()]);
  assert.equal(back?.checkout.stale, false);
});

test('many who wait do not hear of an outage all at once', async () => {
  const world = await World.open();
  await world.ask();
  const others = await Promise.all(Array.from({ length: 200 }, () => world.server.create(terms)));
  const at: number[] = [];
  const hold = async (id: string): Promise<void> => {
    const { etag } = await world.read(world.request(`/${id}`));
    const headers = { 'if-none-match': etag, prefer: 'wait=30' };
    const { checkout } = await world.read(world.request(`/${id}`, { headers }));
    if (checkout.stale) at.push(world.fake.now());
  };
  const held = Promise.all(others.map(hold));
  await settle();
  world.service.outage = { kind: 'fails', failure: 'unavailable' };
  await world.pass(15_000);
  await held;
  assert.equal(at.length, 200);
  const counts = new Map<number, number>();
  for (const time of at) counts.set(time, (counts.get(time) ?? 0) + 1);
  assert.ok(Math.max(...counts.values()) <= 4, 'a fiftieth in each tenth of a second');
  assert.ok(Math.max(...at) - Math.min(...at) <= 5000);
});

test('an answer whose time is up is looked at once more: staleness is not saved', async () => {
  const world = await World.open();
  await world.ask();
  const { etag } = await world.get();
  await world.server.stop(); // nobody tells of the outage
  const { service, store, clock } = world;
  world.server = new World({ service, store, clock }).server;
  const held = world.get({ 'if-none-match': etag, prefer: 'wait=20' });
  await settle();
  service.optionsFaults.push({ kind: 'fails', failure: 'unavailable' });
  await world.get({}, '?options=1');
  await world.pass(20_000);
  const { status, checkout } = await held;
  assert.equal(status, 200);
  assert.equal(checkout.stale, true);
});

test('another pace of polls is told by a new picture: a 304 could not tell it', async () => {
  const world = await World.open();
  await world.ask();
  const { etag } = await world.get();
  const { service, store, clock } = world;
  world.server = new World({ service, store, clock, timing: { fastMs: 4000 } }).server;
  const { status, checkout } = await world.get({ 'if-none-match': etag });
  assert.equal(status, 200);
  assert.equal(checkout.poll_after_ms, 4000);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, type CheckoutStore } from '../../../src/server.ts';
import { createNotModifiedCache } from '../../../src/server/live/not-modified-cache.ts';
import { gate, World } from '../../support/checkout-world.ts';

// Who asks again whether something has changed is answered from memory, as long as nothing has.

/** A store that counts its loads, and may keep what it saves to itself. */
function countingStore({ tells = true, store = createMemoryStore() } = {}) {
  const counted = { loads: 0 };
  const counting: CheckoutStore = {
    ...store,
    load(id) {
      counted.loads += 1;
      return store.load(id);
    },
    subscribe: (listener) => (tells ? store.subscribe(listener) : () => undefined),
  };
  return { counted, store: counting };
}

async function pending(store: CheckoutStore): Promise<World> {
  const world = await World.open({}, { store });
  await world.ask();
  await world.get();
  return world;
}

test('asks the store once for many who have seen what there is', async () => {
  const { store, counted } = countingStore();
  const world = await pending(store);
  const { etag } = await world.get();
  const before = counted.loads;
  for (let index = 0; index < 10; index += 1) {
    await world.pass(1000);
    assert.equal((await world.get({ 'if-none-match': etag })).status, 304);
  }
  assert.ok(counted.loads - before <= 2, `${counted.loads - before} loads`); // the watcher's, for the first status
});

test('asks the store again when a notice may have been lost', async () => {
  const { store } = countingStore({ tells: false });
  const world = await pending(store);
  const { etag } = await world.get();
  world.service.say('PAID');
  await world.pass(61_000);
  assert.equal((await world.get({ 'if-none-match': etag })).checkout.status, 'paid');
});

test('does not keep what was loaded before a save, and made into a picture after it', async () => {
  const { store } = countingStore();
  const loading = gate();
  let isHeld = false;
  const slow: CheckoutStore = {
    ...store,
    async load(id) {
      const record = await store.load(id);
      if (isHeld) await loading.promise;
      return record;
    },
  };
  const world = await World.open({}, { store: slow });
  await world.ask();
  isHeld = true;
  const early = world.get();
  await new Promise(setImmediate);
  isHeld = false;
  world.service.say('PAID');
  await world.pass(4000);
  loading.open();
  assert.equal((await early).checkout.status, 'pending');
  assert.equal((await world.get()).checkout.status, 'paid');
});

test('asks the store at once when notices were lost', async () => {
  let lose = (): void => undefined;
  const { store } = countingStore({ tells: false });
  const losing: CheckoutStore = {
    ...store,
    subscribe(_, lost = () => undefined) {
      lose = lost;
      return () => undefined;
    },
  };
  const world = await pending(losing);
  const { etag } = await world.get();
  const waiting = world.get({ 'if-none-match': etag, prefer: 'wait=30' });
  world.service.say('PAID');
  await world.pass(4000);
  assert.equal((await world.get({ 'if-none-match': etag })).status, 304, 'nobody has told');
  lose();
  assert.equal((await world.get({ 'if-none-match': etag })).checkout.status, 'paid');
  await world.pass(0);
  assert.equal((await waiting).checkout.status, 'paid');
});

test('throws nobody back who has seen at another process what this one has not heard of', async () => {
  const { store } = countingStore();
  const world = await pending(store);
  const here = world.server;
  const there = new World({ store: countingStore({ store, tells: false }).store, service: world.service });
  there.id = world.id;
  const { etag } = await there.get();
  assert.equal((await there.get({ 'if-none-match': etag })).status, 304);
  world.service.say('PAID');
  await world.pass(4000);
  assert.equal(world.server, here);
  const paid = await world.get();
  assert.equal(paid.checkout.status, 'paid');
  assert.equal((await there.get({ 'if-none-match': paid.etag })).status, 304);
  assert.equal((await there.get()).checkout.status, 'paid');
});

test('does not answer at once when the capability has ended', async () => {
  const world = await World.open({}, { timing: { lifetimeMs: 5000 } });
  await world.ask();
  const { etag } = await world.get();
  await world.pass(6000);
  assert.equal((await world.get({ 'if-none-match': etag })).status, 404);
});

test('keeps the newest, for a minute, however many there are', () => {
  let now = 0;
  const recents = createNotModifiedCache({ now: () => now });
  const shown = { etag: '"x"', stale: false, isWatched: true, endsAt: Infinity };
  for (let number = 0; number < 20_001; number += 1) recents.begin(`chk_${number}`)(shown);
  assert.equal(recents.get('chk_0'), undefined);
  assert.equal(recents.get('chk_1'), shown);
  now = 59_999;
  assert.equal(recents.get('chk_1'), shown);
  recents.begin('chk_1')(shown);
  now = 60_000;
  assert.equal(recents.get('chk_2'), undefined);
  assert.equal(recents.get('chk_1'), shown);
  now = -3_600_000; // somebody has set the clock
  assert.equal(recents.get('chk_1'), undefined);
  recents.begin('chk_3')(shown);
  recents.forgetAll();
  assert.equal(recents.get('chk_3'), undefined);
});

test('says "stale" from memory too', async () => {
  const world = await pending(createMemoryStore());
  const { etag } = await world.get();
  world.service.outage = { kind: 'fails', failure: 'unavailable' };
  await world.pass(9000);
  const { status, checkout } = await world.get({ 'if-none-match': etag });
  assert.equal(status, 200);
  assert.equal(checkout.stale, true);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, type CheckoutStore } from '../../src/server.ts';
import { gate, World } from '../support/checkout-world.ts';

// Who asks again for what has not changed is answered from memory.

/** A store that counts its loads, and may keep what it saves to itself. */
function countingStore({ tells = true } = {}) {
  const store = createMemoryStore();
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

test('asks the store once for many reads of the same', async () => {
  const { store, counted } = countingStore();
  const world = await pending(store);
  const before = counted.loads;
  const { etag } = await world.get();
  for (let index = 0; index < 10; index += 1) {
    await world.pass(1000);
    assert.equal((await world.get({ 'if-none-match': etag })).status, 304);
    assert.equal((await world.get()).checkout.server_time, new Date(world.clock.now()).toISOString());
  }
  assert.ok(counted.loads - before <= 2, `${counted.loads - before} loads`); // the watcher's, for the first status
});

test('asks the store again when a notice may have been lost', async () => {
  const { store } = countingStore({ tells: false });
  const world = await pending(store);
  const { etag } = await world.get();
  world.service.say('PAID');
  await world.pass(16_000);
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

test('does not answer at once what is to be held, or is no read of a checkout', async () => {
  const world = await pending(createMemoryStore());
  const { etag } = await world.get();
  const path = `/checkout/${world.id}`;
  const glance = (headers: Record<string, string>, at = path, method = 'GET') =>
    world.server.glance(at, { method, headers: new Headers(headers) })?.status;
  assert.equal(glance({}), 200);
  assert.equal(glance({ 'if-none-match': etag }), 304);
  assert.equal(glance({ 'if-none-match': '"x"', prefer: 'wait=10' }), 200);
  assert.equal(glance({ 'if-none-match': etag, prefer: 'wait=10' }), undefined);
  assert.equal(glance({}, `${path}?options=1`), undefined);
  assert.equal(glance({}, `/x?y=${path}`), undefined);
  assert.equal(glance({}, `${path}/invoice`), undefined);
  assert.equal(glance({}, path, 'HEAD'), undefined);
  assert.equal(glance({}, `${path}x`), undefined);
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

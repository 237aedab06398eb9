import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, type CheckoutStore } from '../../../src/server.ts';
import { createNotModifiedCache } from '../../../src/server/in-memory/not-modified-cache.ts';
import { createGate, TestCheckoutServer } from '../../support/test-checkout-server.ts';

// Repeated conditional requests are answered from memory while the checkout is unchanged.

/** A store that counts its loads. Without `notifies`, its saves send no notifications. */
function countingStore({ notifies = true, store = createMemoryStore() } = {}) {
  const counted = { loads: 0 };
  const counting: CheckoutStore = {
    ...store,
    load(id) {
      counted.loads += 1;
      return store.load(id);
    },
    subscribe: (listener) => (notifies ? store.subscribe(listener) : () => undefined),
  };
  return { counted, store: counting };
}

async function pending(store: CheckoutStore): Promise<TestCheckoutServer> {
  const harness = await TestCheckoutServer.open({}, { store });
  await harness.createInvoice();
  await harness.getCheckout();
  return harness;
}

test('reads the store once for many requests with the current ETag', async () => {
  const { store, counted } = countingStore();
  const harness = await pending(store);
  const { etag } = await harness.getCheckout();
  const before = counted.loads;
  for (let index = 0; index < 10; index += 1) {
    await harness.advance(1000);
    assert.equal((await harness.getCheckout({ 'if-none-match': etag })).status, 304);
  }
  assert.ok(counted.loads - before <= 2, `${counted.loads - before} loads`); // by the status poller, for the first status
});

test('reads the store again after a minute, when a notification may have been lost', async () => {
  const { store } = countingStore({ notifies: false });
  const harness = await pending(store);
  const { etag } = await harness.getCheckout();
  harness.service.setStatus('PAID');
  await harness.advance(61_000);
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).checkout.status, 'paid');
});

test('does not cache a view that was loaded before a save and built after it', async () => {
  const { store } = countingStore();
  const loading = createGate();
  let isHeld = false;
  const slow: CheckoutStore = {
    ...store,
    async load(id) {
      const record = await store.load(id);
      if (isHeld) await loading.promise;
      return record;
    },
  };
  const harness = await TestCheckoutServer.open({}, { store: slow });
  await harness.createInvoice();
  isHeld = true;
  const early = harness.getCheckout();
  await new Promise(setImmediate);
  isHeld = false;
  harness.service.setStatus('PAID');
  await harness.advance(4000);
  loading.open();
  const { checkout, etag } = await early;
  assert.equal(checkout.status, 'pending');
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).checkout.status, 'paid');
});

test('reads the store at once after notifications were lost', async () => {
  let lose = (): void => undefined;
  const { store } = countingStore({ notifies: false });
  const losing: CheckoutStore = {
    ...store,
    subscribe(_, lost = () => undefined) {
      lose = lost;
      return () => undefined;
    },
  };
  const harness = await pending(losing);
  const { etag } = await harness.getCheckout();
  const waiting = harness.getCheckout({ 'if-none-match': etag, prefer: 'wait=30' });
  harness.service.setStatus('PAID');
  await harness.advance(4000);
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).status, 304, 'no notification has come');
  lose();
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).checkout.status, 'paid');
  await harness.advance(0);
  assert.equal((await waiting).checkout.status, 'paid');
});

test('never answers with an older checkout than the one that the payer has from another process', async () => {
  const { store } = countingStore();
  const harness = await pending(store);
  const other = new TestCheckoutServer({
    store: countingStore({ store, notifies: false }).store,
    service: harness.service,
  });
  other.id = harness.id;
  const { etag } = await other.getCheckout();
  assert.equal((await other.getCheckout({ 'if-none-match': etag })).status, 304);
  harness.service.setStatus('PAID');
  await harness.advance(4000);
  const paid = await harness.getCheckout();
  assert.equal(paid.checkout.status, 'paid');
  assert.equal((await other.getCheckout({ 'if-none-match': paid.etag })).status, 304);
  assert.equal((await other.getCheckout()).checkout.status, 'paid');
});

test('does not answer from the cache after the capability has expired', async () => {
  const harness = await TestCheckoutServer.open({}, { timing: { lifetimeMs: 5000 } });
  await harness.createInvoice();
  const { etag } = await harness.getCheckout();
  await harness.advance(6000);
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).status, 404);
});

test('keeps a limited number of the newest views, each for a minute', () => {
  let now = 0;
  const cache = createNotModifiedCache({ now: () => now });
  const view = { etag: '"x"', stale: false, isViewed: true, endsAt: Infinity };
  for (let number = 0; number < 20_001; number += 1) cache.begin(`chk_${number}`)(view);
  assert.equal(cache.get('chk_0'), undefined);
  assert.equal(cache.get('chk_1'), view);
  now = 59_999;
  assert.equal(cache.get('chk_1'), view);
  cache.begin('chk_1')(view);
  now = 60_000;
  assert.equal(cache.get('chk_2'), undefined);
  assert.equal(cache.get('chk_1'), view);
  now = -3_600_000; // the clock was set back
  assert.equal(cache.get('chk_1'), undefined);
  cache.begin('chk_3')(view);
  cache.forgetAll();
  assert.equal(cache.get('chk_3'), undefined);
});

test('answers with the stale checkout, and not with 304, after the service has stopped answering', async () => {
  const harness = await pending(createMemoryStore());
  const { etag } = await harness.getCheckout();
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  await harness.advance(9000);
  const { status, checkout } = await harness.getCheckout({ 'if-none-match': etag });
  assert.equal(status, 200);
  assert.equal(checkout.stale, true);
});

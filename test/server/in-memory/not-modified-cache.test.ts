import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, type CheckoutStore } from '../../../src/server.ts';
import { createNotModifiedCache } from '../../../src/server/in-memory/not-modified-cache.ts';
import { createGate, TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { withLoadIfChanged } from '../../support/extended-stores.ts';

// Repeated conditional requests are answered from memory while the checkout is unchanged.

/** A store that counts its loads. When `notifies` is false, its saves send no notifications. */
function createCountingStore({ notifies = true, store = createMemoryStore() } = {}) {
  const counter = { loads: 0 };
  const countingStore: CheckoutStore = {
    ...store,
    load(id) {
      counter.loads += 1;
      return store.load(id);
    },
    subscribe: (listener) => (notifies ? store.subscribe(listener) : () => undefined),
  };
  return { counter, store: countingStore };
}

async function openWithInvoice(store: CheckoutStore): Promise<TestCheckoutServer> {
  const harness = await TestCheckoutServer.open({}, { store });
  await harness.createInvoice();
  await harness.getCheckout();
  return harness;
}

test('requests with the current ETag are answered without a load of the checkout', async () => {
  const { store, counter } = createCountingStore();
  const harness = await openWithInvoice(store);
  const { etag } = await harness.getCheckout();
  const loadsBefore = counter.loads;
  for (let index = 0; index < 10; index += 1) {
    await harness.advance(1000);
    assert.equal((await harness.getCheckout({ 'if-none-match': etag })).status, 304);
  }
  assert.ok(counter.loads - loadsBefore <= 2, `${counter.loads - loadsBefore} loads`); // the loads are the status poller's, for the first status
});

test('a request more than a minute later loads the checkout, because a notification may have been lost', async () => {
  const { store } = createCountingStore({ notifies: false });
  const harness = await openWithInvoice(store);
  const { etag } = await harness.getCheckout();
  harness.service.setStatus('PAID');
  await harness.advance(61_000);
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).checkout.status, 'paid');
});

test('a view older than a minute is used again when the store confirms its version', async () => {
  const versionedStore = withLoadIfChanged(createMemoryStore());
  const { store, counter } = createCountingStore({ notifies: false, store: versionedStore });
  const readVersions: number[] = [];
  const loadIfChanged: CheckoutStore['loadIfChanged'] = async (id, version) => {
    readVersions.push(version);
    return versionedStore.loadIfChanged?.(id, version);
  };
  const harness = await TestCheckoutServer.open({}, { store: { ...store, loadIfChanged } });
  await harness.createInvoice();
  await harness.advance(4000); // the status poller saves the first status
  const { etag } = await harness.getCheckout();
  // The cache of records has 2,000 entries: after the reads of as many other checkouts, only the view is left in memory.
  for (let number = 0; number < 2000; number += 1) {
    const otherId = await harness.createCheckout({ orderId: `other-${number}` });
    await (await harness.request(`/${harness.capabilityOf(otherId)}`)).text();
  }
  const viewUntil = async (ms: number): Promise<void> => {
    for (let waitedMs = 0; waitedMs < ms; waitedMs += 20_000) {
      await harness.advance(20_000);
      assert.equal((await harness.getCheckout({ 'if-none-match': etag })).status, 304);
    }
  };
  await viewUntil(40_000);
  const loadsBefore = counter.loads;
  readVersions.length = 0;
  await viewUntil(60_000);
  assert.deepEqual([counter.loads - loadsBefore, readVersions.length], [0, 1]);
  harness.service.setStatus('PAID'); // no notification comes
  await harness.advance(61_000);
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).checkout.status, 'paid');
});

test('a view that was loaded before a save and built after it is not cached', async () => {
  const { store } = createCountingStore();
  const loadGate = createGate();
  let isHeld = false;
  const slowStore: CheckoutStore = {
    ...store,
    async load(id) {
      const record = await store.load(id);
      if (isHeld) await loadGate.promise;
      return record;
    },
  };
  const harness = await TestCheckoutServer.open({}, { store: slowStore });
  await harness.createInvoice();
  isHeld = true;
  const earlyResponse = harness.getCheckout();
  await new Promise(setImmediate);
  isHeld = false;
  harness.service.setStatus('PAID');
  await harness.advance(4000);
  loadGate.open();
  const { checkout, etag } = await earlyResponse;
  assert.equal(checkout.status, 'pending');
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).checkout.status, 'paid');
});

test('a request or long poll loads the checkout as soon as the loss of notifications is known', async () => {
  let lose = (): void => undefined;
  const { store } = createCountingStore({ notifies: false });
  const storeWithLosses: CheckoutStore = {
    ...store,
    subscribe(_, lost = () => undefined) {
      lose = lost;
      return () => undefined;
    },
  };
  const harness = await openWithInvoice(storeWithLosses);
  const { etag } = await harness.getCheckout();
  const longPoll = harness.getCheckout({ 'if-none-match': etag, prefer: 'wait=30' });
  harness.service.setStatus('PAID');
  await harness.advance(4000);
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).status, 304, 'no notification has come');
  lose();
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).checkout.status, 'paid');
  await harness.advance(0);
  assert.equal((await longPoll).checkout.status, 'paid');
});

test('a payer who has the newer checkout from one process never gets an older checkout from another process', async () => {
  const { store } = createCountingStore();
  const harness = await openWithInvoice(store);
  const otherProcess = new TestCheckoutServer({
    store: createCountingStore({ store, notifies: false }).store,
    service: harness.service,
  });
  otherProcess.id = harness.id;
  const { etag } = await otherProcess.getCheckout();
  assert.equal((await otherProcess.getCheckout({ 'if-none-match': etag })).status, 304);
  harness.service.setStatus('PAID');
  await harness.advance(4000);
  const paidResponse = await harness.getCheckout();
  assert.equal(paidResponse.checkout.status, 'paid');
  assert.equal((await otherProcess.getCheckout({ 'if-none-match': paidResponse.etag })).status, 304);
  assert.equal((await otherProcess.getCheckout()).checkout.status, 'paid');
});

test('a request with the current ETag is answered with 404 after the capability has expired', async () => {
  const harness = await TestCheckoutServer.open({}, { timing: { lifetimeMs: 5000 } });
  await harness.createInvoice();
  const { etag } = await harness.getCheckout();
  await harness.advance(6000);
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).status, 404);
});

test('the cache keeps the newest 20,000 views, each for a minute', () => {
  let now = 0;
  const cache = createNotModifiedCache({ now: () => now });
  const view = { capability: 'chk', etag: '"x"', version: 1, stale: false, isViewed: true, endsAt: Infinity };
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

test('a request with the current ETag is answered with the stale checkout, not with 304, when an outage of the service has begun', async () => {
  const harness = await openWithInvoice(createMemoryStore());
  const { etag } = await harness.getCheckout();
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  await harness.advance(9000);
  const { status, checkout } = await harness.getCheckout({ 'if-none-match': etag });
  assert.equal(status, 200);
  assert.equal(checkout.stale, true);
});

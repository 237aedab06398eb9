import assert from 'node:assert/strict';
import { test, describe } from 'node:test';
import { createMemoryStore, type CheckoutStore } from '../../../src/server.ts';
import { endpoint, TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { matchesEtag, waitPreference } from '../../../src/server/http/handlers.ts';

// Requests of a payer who waits read the version of the checkout, and load it only when it has changed.

/** A store that records which reads of payers it answers. When `notifies` is false, its saves send no notifications. */
function createCountingStore({ notifies = true, store = createMemoryStore() } = {}) {
  const reads: string[] = [];
  const countingStore: CheckoutStore = {
    ...store,
    load(id, options) {
      if (options?.isView === true) reads.push('load');
      return store.load(id);
    },
    loadVersion(id) {
      reads.push('loadVersion');
      return store.loadVersion(id);
    },
    subscribe: (listener, lost) => (notifies ? store.subscribe(listener, lost) : () => undefined),
  };
  return { reads, store: countingStore };
}

async function openWithInvoice(store: CheckoutStore): Promise<TestCheckoutServer> {
  const harness = await TestCheckoutServer.openWithInvoice({}, { store });
  await harness.advance(4000); // the status poller saves the first status
  await harness.getCheckout();
  return harness;
}

test('requests with capabilities of nobody make no payer who waits load his checkout', async () => {
  const { store, reads } = createCountingStore();
  const harness = await openWithInvoice(store);
  const { etag } = await harness.getCheckout();
  for (let number = 0; number < 20_001; number += 1)
    await harness.server.handle(new Request(`${endpoint}/chk_${String(number).padStart(44, '0')}`), { address: '' });
  reads.length = 0;
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).status, 304);
  assert.deepEqual(reads, ['loadVersion']);
});

test('a long poll reads the version once, and the checkout once when it has changed', async () => {
  const { store, reads } = createCountingStore();
  const harness = await openWithInvoice(store);
  const { etag } = await harness.getCheckout();
  reads.length = 0;
  const headers = { 'if-none-match': etag, prefer: 'wait=25' };
  assert.equal((await harness.until(harness.getCheckout(headers))).status, 304);
  assert.deepEqual(reads, ['loadVersion']);
  const longPoll = harness.getCheckout(headers);
  harness.service.setStatus('PAID');
  assert.equal((await harness.until(longPoll)).checkout.status, 'paid');
  assert.deepEqual(reads, ['loadVersion', 'loadVersion', 'loadVersion', 'load']);
});

test('a payment is shown although no notification of it has come', async () => {
  const { store } = createCountingStore({ notifies: false });
  const harness = await openWithInvoice(store);
  const { etag } = await harness.getCheckout();
  harness.service.setStatus('PAID');
  await harness.advance(4000);
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).checkout.status, 'paid');
});

test('a long poll is answered as soon as the loss of notifications is known', async () => {
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
  lose();
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

test('a request with the current ETag is answered with the stale checkout when an outage of the service has begun', async () => {
  const harness = await openWithInvoice(createMemoryStore());
  const { etag } = await harness.getCheckout();
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  await harness.advance(9000);
  const { status, checkout } = await harness.getCheckout({ 'if-none-match': etag });
  assert.equal(status, 200);
  assert.equal(checkout.stale, true);
});

describe('Prefer: wait', () => {
  for (const [header, expected] of [
    ['wait=25', 25],
    ['wait = 25', 25],
    ['WAIT=7', 7],
    ['wait="7"', 7],
    ['wait=99', 30],
    ['wait=0', 0],
    ['wait=999999999', 30],
    ['respond-async, wait=10', 10],
    ['foo="a, wait=3", wait=4', 4],
    ['wait=5; x=1, wait=9', 5],
    ['handling=lenient; wait=9', undefined],
    ['wait', undefined],
    ['wait=-1', undefined],
    ['wait=1.5', undefined],
    ['wait=1e1', undefined],
    ['wait=10s', undefined],
    ['waiting=3', undefined],
    ['', undefined],
    [',,,', undefined],
    [`wait=${'9'.repeat(2000)}`, undefined],
  ] as const)
    test(`as ${JSON.stringify(header.slice(0, 40))} requests ${expected === undefined ? 'no wait' : `a wait of ${expected} s`}`, () => {
      assert.equal(waitPreference(header), expected);
    });
});

test('If-None-Match matches when one of its ETags equals the current ETag as a whole, weak or strong', () => {
  const etag = 'W/"abc"';
  for (const header of ['W/"abc"', '"abc"', '"x", "abc"', '"x",W/"abc"', '*', '"a,b", "abc"'])
    assert.ok(matchesEtag(header, etag), header);
  for (const header of ['abc', '"ab"', '"abcd"', '"x"', '', '"abc', 'W/abc', '**', '"*"'])
    assert.ok(!matchesEtag(header, etag), header);
  assert.ok(!matchesEtag(null, etag));
});

import assert from 'node:assert/strict';
import { test, describe } from 'node:test';
import { createMemoryStore, StoreUnavailableError, type CheckoutStore } from '../../../src/server.ts';
import type { LoadPurpose } from '../../../src/server-internals.ts';
import { endpoint, TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { matchesEtag, waitPreference } from '../../../src/server/http/handlers.ts';

// Requests of a payer who waits load the checkout only when it has changed.

/** A store that records what payers load checkouts for. When `notifies` is false, its saves send no notifications. */
function createCountingStore({ notifies = true, store = createMemoryStore() } = {}) {
  const reads: (LoadPurpose | undefined)[] = [];
  const notifications = { lose: (): void => undefined };
  const countingStore: CheckoutStore = {
    ...store,
    load(id, options) {
      if (options?.purpose !== undefined) reads.push(options.purpose);
      return store.load(id);
    },
    subscribe(listener, lost = () => undefined) {
      notifications.lose = lost;
      return notifies ? store.subscribe(listener, lost) : () => undefined;
    },
  };
  return { reads, store: countingStore, notifications };
}

async function openWithInvoice(store: CheckoutStore) {
  const harness = await TestCheckoutServer.openWithInvoice({}, { store });
  await harness.advance(4000); // the status poller saves the first status
  const { etag } = await harness.getCheckout();
  return { harness, etag };
}

test('requests with capabilities of nobody make no payer who waits load his checkout', async () => {
  const { store, reads } = createCountingStore();
  const { harness, etag } = await openWithInvoice(store);
  for (let number = 0; number < 20_001; number += 1)
    await harness.server.handle(new Request(`${endpoint}/chk_${String(number).padStart(44, '0')}`), { address: '' });
  reads.length = 0;
  assert.equal((await harness.until(harness.longPoll(etag))).status, 304);
  assert.deepEqual(reads, []);
});

test('a long poll of an unchanged checkout reads nothing, and a changed one is read once', async () => {
  const { store, reads } = createCountingStore();
  const { harness, etag } = await openWithInvoice(store);
  reads.length = 0;
  assert.equal((await harness.until(harness.longPoll(etag))).status, 304);
  assert.deepEqual(reads, []);
  const longPoll = harness.longPoll(etag);
  harness.service.setStatus('PAID');
  assert.equal((await harness.until(longPoll)).checkout.status, 'paid');
  assert.deepEqual(reads, ['tell']);
});

test('a checkout that was saved while it was read is read again by the next long poll', async () => {
  const memoryStore = createMemoryStore();
  const { store, reads } = createCountingStore({ store: memoryStore });
  const gate = { wait: Promise.resolve() };
  const slowStore: CheckoutStore = {
    ...store,
    async load(id, options) {
      const record = await store.load(id, options);
      if (options?.purpose === 'look') await gate.wait;
      return record;
    },
  };
  const { harness } = await openWithInvoice(slowStore);
  let openGate = (): void => undefined;
  gate.wait = new Promise((resolve) => (openGate = resolve));
  const reading = harness.getCheckout();
  harness.service.setStatus('PAID');
  await harness.advance(4000);
  openGate();
  const { checkout, etag } = await reading;
  assert.equal(checkout.status, 'pending', 'the read began before the payment');
  reads.length = 0;
  assert.equal((await harness.longPoll(etag)).checkout.status, 'paid');
  assert.deepEqual(reads, ['hold']);
});

test('a payment is told once the database, which could not be read when it was saved, can be read again', async () => {
  const { store } = createCountingStore();
  let isOverloaded = false;
  const overloadedStore: CheckoutStore = {
    ...store,
    load: (id, options) =>
      isOverloaded && options?.purpose === 'tell'
        ? Promise.reject(new StoreUnavailableError('overloaded'))
        : store.load(id, options),
  };
  const { harness, etag } = await openWithInvoice(overloadedStore);
  const longPoll = harness.longPoll(etag);
  isOverloaded = true;
  harness.service.setStatus('PAID');
  await harness.advance(6000);
  isOverloaded = false;
  await harness.advance(2000);
  assert.equal((await longPoll).checkout.status, 'paid');
});

test('after a minute a view is read again, so that a lost notification that nobody notices delays a payer by no more', async () => {
  const { store } = createCountingStore({ notifies: false });
  const { harness, etag } = await openWithInvoice(store);
  harness.service.setStatus('PAID');
  await harness.advance(4000);
  assert.equal((await harness.until(harness.longPoll(etag))).status, 304);
  await harness.advance(31_000);
  assert.equal((await harness.until(harness.longPoll(etag))).checkout.status, 'paid');
});

test('without notifications a payment is shown to the next read, and to a long poll once their loss is known', async () => {
  const { store, notifications } = createCountingStore({ notifies: false });
  const { harness, etag } = await openWithInvoice(store);
  const longPoll = harness.longPoll(etag);
  harness.service.setStatus('PAID');
  await harness.advance(4000);
  assert.equal((await harness.getCheckout({ 'if-none-match': etag })).checkout.status, 'paid');
  notifications.lose();
  await harness.advance(0);
  assert.equal((await longPoll).checkout.status, 'paid');
});

test('a payer who has the newer checkout from one process never gets an older checkout from another process', async () => {
  const { store } = createCountingStore();
  const { harness, etag } = await openWithInvoice(store);
  const otherProcess = harness.otherProcess({ store: createCountingStore({ store, notifies: false }).store });
  await otherProcess.getCheckout();
  assert.equal((await otherProcess.getCheckout({ 'if-none-match': etag })).status, 304);
  harness.service.setStatus('PAID');
  await harness.advance(4000);
  const paidResponse = await harness.getCheckout();
  assert.equal(paidResponse.checkout.status, 'paid');
  assert.equal((await otherProcess.getCheckout({ 'if-none-match': paidResponse.etag })).status, 304);
  assert.equal((await otherProcess.getCheckout()).checkout.status, 'paid');
});

test('a read after a change of the poll interval is answered with 200, because a 304 cannot contain the interval', async () => {
  const { harness, etag } = await openWithInvoice(createMemoryStore());
  const restarted = harness.otherProcess({ timing: { fastMs: 4000 } });
  const { status, checkout } = await restarted.getCheckout({ 'if-none-match': etag });
  assert.deepEqual([status, checkout.poll_after_ms], [200, 4000]);
});

describe('Prefer: wait', () => {
  for (const [header, expected] of [
    ['wait = 25', 25],
    ['WAIT=7', 7],
    ['wait="7"', 7],
    ['wait=999999999', 30],
    ['foo="a, wait=3", wait=4', 4],
    ['wait=5; x=1, wait=9', 5],
    ['handling=lenient; wait=9', undefined],
    ['wait', undefined],
    ['wait=1.5', undefined],
    ['wait=10s', undefined],
    ['waiting=3', undefined],
    [',,,', undefined],
    [`wait=${'9'.repeat(2000)}`, undefined],
  ] as const)
    test(`as ${JSON.stringify(header.slice(0, 40))} requests ${expected === undefined ? 'no wait' : `a wait of ${expected} s`}`, () => {
      assert.equal(waitPreference(header), expected);
    });
});

for (const own of ['abc', 'abc-', 'abc-br', 'abc-gzip'])
  for (const suffix of ['', '-gzip', '-br'])
    for (const weak of ['W/', ''])
      test(`If-None-Match: ${weak}"${own}${suffix}" matches W/"${own}", as a proxy that compresses sends it back`, () => {
        assert.ok(matchesEtag(`"other", ${weak}"${own}${suffix}"`, `W/"${own}"`));
        for (const other of ['abcd', '', 'ab', 'abc-d', 'abc--'])
          assert.ok(!matchesEtag(`${weak}"${own}${suffix}"`, `W/"${other}"`), other);
      });

test('If-None-Match matches when one of its ETags equals the current ETag as a whole, weak or strong', () => {
  const etag = 'W/"abc"';
  for (const header of ['W/"abc"', '"abc"', '"x",W/"abc"', '*', '"a,b", "abc"'])
    assert.ok(matchesEtag(header, etag), header);
  for (const header of ['abc', '"ab"', '"abcd"', '', '"abc', '**', '"*"', null])
    assert.ok(!matchesEtag(header, etag), String(header));
});

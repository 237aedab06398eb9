import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { createMemoryStore, type Attempt, type CheckoutStore } from '../../../src/server.ts';
import { createRecordCache, type RecordCache } from '../../../src/server/in-memory/checkout-record-cache.ts';
import { makeCheckoutRecord } from '../../../src/testing/checkout-records.ts';
import { settle } from '../../support/fake-clock.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { countExpedites, withLoadIfChanged } from '../../support/extended-stores.ts';

/** A store with `loadIfChanged` that records which of its methods are called. */
function createVersionedStore() {
  const versionedStore = withLoadIfChanged(createMemoryStore());
  const reads: string[] = [];
  const store: CheckoutStore = {
    ...versionedStore,
    load(id) {
      reads.push('load');
      return versionedStore.load(id);
    },
    async loadIfChanged(id, version) {
      reads.push('loadIfChanged');
      return versionedStore.loadIfChanged?.(id, version);
    },
  };
  return { store, takeReads: () => reads.splice(0) };
}

describe('the record cache', () => {
  let store: CheckoutStore;
  let takeReads: () => readonly string[];
  let cache: RecordCache;

  beforeEach(async () => {
    ({ store, takeReads } = createVersionedStore());
    cache = createRecordCache(store);
    await store.insert(makeCheckoutRecord('c'));
  });

  test('loads a checkout once, and then calls loadIfChanged', async () => {
    const cacheEntry = await cache.load('c', false);
    assert.deepEqual(cacheEntry?.record, makeCheckoutRecord('c'));
    assert.equal(await cache.load('c', false), cacheEntry);
    assert.deepEqual(takeReads(), ['load', 'loadIfChanged']);
  });

  test('returns the new record of a checkout that was saved', async () => {
    await cache.load('c', false);
    const savedRecord = makeCheckoutRecord('c', { version: 2, closedAt: 5 });
    await store.save(savedRecord, []);
    assert.deepEqual((await cache.load('c', false))?.record, savedRecord);
    assert.deepEqual((await cache.load('c', false))?.record, savedRecord);
    assert.deepEqual(takeReads(), ['load', 'loadIfChanged', 'loadIfChanged']);
  });

  test('loads the whole checkout for a caller that uses its schedule', async () => {
    await cache.load('c', false);
    await cache.load('c', true);
    assert.deepEqual(takeReads(), ['load', 'load']);
  });

  test('returns undefined for a checkout that was deleted', async () => {
    await cache.load('c', false);
    await store.purge({ createdBefore: Infinity, expiredBefore: Infinity, after: undefined, limit: 10 });
    assert.equal(await cache.load('c', false), undefined);
    assert.equal(await cache.load('c', false), undefined);
    assert.deepEqual(takeReads(), ['load', 'loadIfChanged', 'load']);
  });

  test('keeps only the 2,000 records that were loaded last', async () => {
    for (let n = 0; n < 2000; n += 1) {
      await store.insert(makeCheckoutRecord(`c${n}`));
      await cache.load(`c${n}`, false);
    }
    await cache.load('c', false);
    takeReads();
    await cache.load('c1', false);
    await cache.load('c0', false);
    assert.deepEqual(takeReads(), ['loadIfChanged', 'load']);
  });

  test('keeps nothing for a store without loadIfChanged', async () => {
    const cacheWithoutVersions = createRecordCache({ load: (id) => store.load(id) });
    await cacheWithoutVersions.load('c', false);
    await cacheWithoutVersions.load('c', false);
    assert.deepEqual(takeReads(), ['load', 'load']);
  });
});

describe('reads of a checkout from a store with loadIfChanged', () => {
  test('load the checkout once while a payer views it, and show each change', async () => {
    const { store, takeReads } = createVersionedStore();
    const harness = await TestCheckoutServer.open({}, { store });
    await harness.createInvoice();
    takeReads();
    const firstResponse = await harness.getCheckout();
    const secondResponse = await harness.getCheckout();
    assert.deepEqual(takeReads(), ['load', 'loadIfChanged']);
    assert.equal(secondResponse.etag, firstResponse.etag);
    const record = (await store.load(harness.id)) ?? assert.fail();
    const [attempt = assert.fail()] = await harness.loadInvoices();
    const paidAttempt: Attempt = { ...attempt, outcome: 'paid', runAt: null };
    const savedRecord = { ...record, attempts: [paidAttempt], paidExternalId: attempt.externalId, paidAt: 1 };
    await store.save({ ...savedRecord, version: record.version + 1 }, []);
    await settle();
    const thirdResponse = await harness.getCheckout();
    assert.equal(thirdResponse.checkout.status, 'paid');
    assert.notEqual(thirdResponse.etag, firstResponse.etag);
  });

  test('expedite the next fetch once, when the first payer views the checkout, and then write nothing', async () => {
    const { store } = createVersionedStore();
    const harness = await TestCheckoutServer.open({}, { store });
    await harness.createInvoice();
    await harness.advance(5 * 60_000); // nobody views it: the invoice is fetched every 15 seconds
    const expedites = countExpedites(store);
    for (let index = 0; index < 5; index += 1) await harness.getCheckout();
    assert.equal(expedites.count, 1);
  });

  test('show with stale and another ETag that the service does not respond', async () => {
    const { store } = createVersionedStore();
    const harness = await TestCheckoutServer.open({}, { store });
    await harness.createInvoice();
    await harness.getCheckout();
    const responseBeforeOutage = await harness.getCheckout();
    harness.service.outage = { kind: 'fails', failure: 'unavailable' };
    await harness.advance(8000);
    const responseInOutage = await harness.getCheckout();
    assert.deepEqual([responseBeforeOutage.checkout.stale, responseInOutage.checkout.stale], [false, true]);
    assert.notEqual(responseInOutage.etag, responseBeforeOutage.etag);
  });
});

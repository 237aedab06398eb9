import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { createMemoryStore, type Attempt, type CheckoutStore } from '../../../src/server.ts';
import { createRecordCache, type RecordCache } from '../../../src/server/in-memory/checkout-record-cache.ts';
import { makeCheckoutRecord } from '../../../src/testing/checkout-records.ts';
import { settle } from '../../support/fake-clock.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

/** A store with `loadIfChanged`, which records its reads. */
function versionedStore() {
  const inner = createMemoryStore();
  const reads: string[] = [];
  const store: CheckoutStore = {
    ...inner,
    load(id) {
      reads.push('load');
      return inner.load(id);
    },
    async loadIfChanged(id, version) {
      reads.push('loadIfChanged');
      const record = await inner.load(id);
      return record?.version === version ? 'unchanged' : record;
    },
  };
  return { store, takeReads: () => reads.splice(0) };
}

describe('the record cache', () => {
  let store: CheckoutStore;
  let takeReads: () => readonly string[];
  let cache: RecordCache;

  beforeEach(async () => {
    ({ store, takeReads } = versionedStore());
    cache = createRecordCache(store);
    await store.insert(makeCheckoutRecord('c'));
  });

  test('loads a checkout once, and then calls loadIfChanged', async () => {
    const first = await cache.load('c', false);
    assert.deepEqual(first?.record, makeCheckoutRecord('c'));
    assert.equal(await cache.load('c', false), first);
    assert.deepEqual(takeReads(), ['load', 'loadIfChanged']);
  });

  test('returns the new record of a checkout that was saved', async () => {
    await cache.load('c', false);
    const saved = makeCheckoutRecord('c', { version: 2, closedAt: 5 });
    await store.save(saved, []);
    assert.deepEqual((await cache.load('c', false))?.record, saved);
    assert.deepEqual((await cache.load('c', false))?.record, saved);
    assert.deepEqual(takeReads(), ['load', 'loadIfChanged', 'loadIfChanged']);
  });

  test('loads the whole checkout for a caller that uses its schedule', async () => {
    await cache.load('c', false);
    await cache.load('c', true);
    assert.deepEqual(takeReads(), ['load', 'load']);
  });

  test('returns nothing for a checkout that was deleted', async () => {
    await cache.load('c', false);
    await store.purge({ createdBefore: Infinity, unpaidCreatedBefore: Infinity, after: undefined, limit: 10 });
    assert.equal(await cache.load('c', false), undefined);
    assert.equal(await cache.load('c', false), undefined);
    assert.deepEqual(takeReads(), ['load', 'loadIfChanged', 'load']);
  });

  test('keeps no more than 2,000 records, the ones that were loaded last', async () => {
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
    const plain = createRecordCache({ load: (id) => store.load(id) });
    await plain.load('c', false);
    await plain.load('c', false);
    assert.deepEqual(takeReads(), ['load', 'load']);
  });
});

describe('reads of a checkout from a store with loadIfChanged', () => {
  test('load the checkout once while a payer views it, and show each change', async () => {
    const { store, takeReads } = versionedStore();
    const harness = await TestCheckoutServer.open({}, { store });
    await harness.createInvoice();
    takeReads();
    const first = await harness.getCheckout();
    const second = await harness.getCheckout();
    assert.deepEqual(takeReads(), ['load', 'loadIfChanged']);
    assert.equal(second.etag, first.etag);
    const record = (await store.load(harness.id)) ?? assert.fail();
    const [attempt = assert.fail()] = record.attempts;
    const paid: Attempt = { ...attempt, outcome: 'paid', runAt: null };
    const saved = { ...record, attempts: [paid], paidExternalId: attempt.externalId, paidAt: 1 };
    await store.save({ ...saved, version: record.version + 1 }, []);
    await settle();
    const third = await harness.getCheckout();
    assert.equal(third.checkout.status, 'paid');
    assert.notEqual(third.etag, first.etag);
  });

  test('show that the service does not answer, and give that view another ETag', async () => {
    const { store } = versionedStore();
    const harness = await TestCheckoutServer.open({}, { store });
    await harness.createInvoice();
    await harness.getCheckout();
    const before = await harness.getCheckout();
    harness.service.outage = { kind: 'fails', failure: 'unavailable' };
    await harness.advance(8000);
    const during = await harness.getCheckout();
    assert.deepEqual([before.checkout.stale, during.checkout.stale], [false, true]);
    assert.notEqual(during.etag, before.etag);
  });
});

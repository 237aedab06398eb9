import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore } from '../../src/server.ts';
import { storeContract } from './contract/store-contract.ts';
import { makeCheckoutRecord } from '../support/make-checkout-records.ts';

storeContract('the store in memory', () =>
  Promise.resolve({ store: createMemoryStore(), close: () => Promise.resolve() }),
);

test('the memory store rejects a second checkout with the same identifier and names the reason', async () => {
  const store = createMemoryStore();
  await store.insert(makeCheckoutRecord('c'));
  await assert.rejects(
    store.insert(makeCheckoutRecord('c')),
    new Error('there is a checkout with this identifier already'),
  );
});

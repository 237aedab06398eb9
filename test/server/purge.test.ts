import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createMemoryStore, type CheckoutStore } from '../../src/server.ts';
import { defaultTiming } from '../../src/server-internals.ts';
import { makeCheckoutRecord, makeAttempt } from '../support/make-checkout-records.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

const { lifetimeMs } = defaultTiming;

async function openServer(t: TestContext, store: CheckoutStore = createMemoryStore()) {
  const harness = await TestCheckoutServer.open({}, { store });
  t.after(() => harness.server.stop());
  return { harness, store, now: harness.clock.now() };
}

async function insertPaid(store: CheckoutStore, id: string, createdAt: number): Promise<void> {
  const attempts = [makeAttempt(`e of ${id}`, { runAt: null, outcome: 'paid' })];
  await store.insert(makeCheckoutRecord(id, { createdAt, paidExternalId: `e of ${id}`, attempts }));
}

test('a purge deletes settled checkouts in batches with pauses, and resolves with their number', async (t) => {
  const { harness, store, now } = await openServer(t);
  for (let count = 0; count < 250; count += 1) await insertPaid(store, `c${count}`, now - 2000);
  await insertPaid(store, 'younger', now - 1000);
  const purged = harness.server.purge({ olderThan: new Date(now - 1000) });
  await harness.fakeClock.advance(10);
  assert.equal(await store.load('c0'), undefined);
  assert.equal((await store.load('c99'))?.id, 'c99', 'the first batch does not contain the 100th checkout');
  await harness.fakeClock.advance(1000);
  assert.equal(await purged, 250);
  assert.equal((await store.load('younger'))?.id, 'younger');
  assert.deepEqual(harness.logEntries.at(-1)?.facts, { deleted: 250 });
});

test('a purge keeps an unpaid checkout until its capability has expired', async (t) => {
  const { store, harness, now } = await openServer(t);
  await store.insert(makeCheckoutRecord('usable', { createdAt: now - lifetimeMs }));
  await store.insert(makeCheckoutRecord('expired', { createdAt: now - lifetimeMs - 1 }));
  assert.equal(await harness.server.purge({ olderThan: now }), 1);
  assert.equal((await store.load('usable'))?.id, 'usable');
});

test('a purge refuses an invalid time', async (t) => {
  const { harness } = await openServer(t);
  const daysOrSeconds = [90, 0, -90, new Date(90), Math.floor(harness.clock.now() / 1000)];
  for (const olderThan of [NaN, Infinity, new Date('yesterday'), ...daysOrSeconds])
    await assert.rejects(harness.server.purge({ olderThan }), {
      code: 'invalid_params',
      path: 'olderThan',
      message: /^olderThan: /,
    });
});

test('stopping the server ends a purge after its current batch', async (t) => {
  const { harness, store, now } = await openServer(t);
  for (let count = 0; count < 250; count += 1) await insertPaid(store, `c${count}`, now - 2000);
  const purged = harness.server.purge({ olderThan: now });
  await harness.fakeClock.advance(1); // shorter than the pause between two batches
  await Promise.all([
    assert.rejects(purged, /stopped after 25 checkouts were deleted/),
    harness.server.stop(),
    harness.fakeClock.advance(1000),
  ]);
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { after, describe, test, type TestContext } from 'node:test';
import { createSqliteStore } from '../../src/sqlite.ts';
import { makeCheckoutRecord } from '../support/make-checkout-records.ts';
import { openSqliteFile } from '../../src/stores/sqlite-file.ts';
import { createGate } from '../support/test-checkout-server.ts';
import { embeddedDatabases } from './databases.ts';

// A SQLite store has one connection for writes. Each call settles within 5 s, whatever else holds that connection or the file.

const databases = await embeddedDatabases();
after(() => databases.end());

async function openStore(t: TestContext) {
  const file = join((await databases.fresh()).dataDir, 'shop.db');
  const store = await createSqliteStore({ file });
  t.after(() => store.close());
  return { file, store };
}

/** Resolves with how a call settled, and after how many milliseconds; `hangs` after 6 s. */
async function settle(call: Promise<unknown>): Promise<{ readonly result: unknown; readonly ms: number }> {
  const startedAt = performance.now();
  const result = await Promise.race([call.catch((error: unknown) => error), delay(6000, 'hangs')]);
  return { result, ms: performance.now() - startedAt };
}

test("a call inside the shop's own transaction without { transaction } rejects at once and says what to pass, and the store works on", async (t) => {
  const { store } = await openStore(t);
  const { result, ms } = await settle(
    store.db.transaction().execute(() => store.insert(makeCheckoutRecord('without'))),
  );
  assert.ok(result instanceof Error && result.name === 'TransactionRequiredError', String(result));
  assert.match(result.message, /pass \{ transaction \}/);
  assert.ok(ms < 1000, `${ms} ms`);
  const query = store.db.transaction().execute(() => store.db.selectFrom('checkouts').select('id').execute());
  assert.match(String((await settle(query)).result), /pass \{ transaction \}/);
  assert.equal(await store.insert(makeCheckoutRecord('without')), true);
  await store.db.transaction().execute((transaction) => store.insert(makeCheckoutRecord('with'), transaction));
  assert.deepEqual((await store.load('with'))?.id, 'with');
});

test('work that was started inside a transaction and runs after its end is no call inside it', async (t) => {
  const { store } = await openStore(t);
  const gate = createGate();
  let late: Promise<boolean> = Promise.resolve(false);
  await store.db.transaction().execute(() => {
    late = gate.promise.then(() => store.insert(makeCheckoutRecord('late')));
    return Promise.resolve();
  });
  gate.open();
  assert.equal(await late, true);
});

test('many new orders are refused while the event loop is slow, which is the queue of a database that works in its thread', async (t) => {
  const { store } = await openStore(t);
  const results: boolean[] = [];
  for (let count = 0; count < 6; count += 1) {
    for (let order = 0; order < 4; order += 1)
      results.push(await store.insert(makeCheckoutRecord(`${count}-${order}`)));
    for (const startedAt = performance.now(); performance.now() - startedAt < 220;);
    await nextTurn();
  }
  await assert.rejects(store.insert(makeCheckoutRecord('refused')), { reason: 'overloaded' });
  assert.deepEqual(results, Array<boolean>(24).fill(true));
  await delay(20);
  assert.equal(await store.insert(makeCheckoutRecord('refused')), true);
});

test('a program that makes orders for longer than a second without a pause has each of them', async (t) => {
  const { store } = await openStore(t);
  const startedAt = performance.now();
  for (let count = 0; performance.now() - startedAt < 1300; count += 1)
    assert.equal(await store.insert(makeCheckoutRecord(`order-${count}`)), true);
});

describe('a call that has to wait', { concurrency: true }, () => {
  test("calls reject within 5 s while another caller's transaction stays open, and succeed after its end", async (t) => {
    const { store } = await openStore(t);
    const gate = createGate();
    const slowTransaction = store.db.transaction().execute(() => gate.promise);
    const calls = ['a', 'b', 'c'].map((id) => settle(store.insert(makeCheckoutRecord(id))));
    for (const { result, ms } of await Promise.all(calls)) {
      assert.ok(result instanceof Error && result.name === 'StoreUnavailableError', String(result));
      assert.ok(ms < 5000, `${ms} ms`);
    }
    const waiting = store.insert(makeCheckoutRecord('d'));
    gate.open();
    await slowTransaction;
    assert.equal(await waiting, true);
  });

  test('five writers reject within 5 s while another program holds the lock of the file, because their time in the queue counts', async (t) => {
    const { file, store } = await openStore(t);
    const otherProgram = openSqliteFile(file);
    otherProgram.exec('begin immediate');
    const calls = ['a', 'b', 'c', 'd', 'e'].map((id) => settle(store.insert(makeCheckoutRecord(id))));
    for (const { result, ms } of await Promise.all(calls)) {
      assert.ok(result instanceof Error && result.name === 'StoreUnavailableError', String(result));
      assert.ok(ms < 5000, `${ms} ms`);
    }
    otherProgram.exec('rollback');
    otherProgram.close();
    assert.equal(await store.insert(makeCheckoutRecord('f')), true);
  });
});

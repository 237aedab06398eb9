import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createMemoryStore, type CheckoutStore } from '../../src/server.ts';
import { createSqliteStore } from '../../src/sqlite.ts';
import { makeCheckoutRecord, makeOutcome } from '../support/make-checkout-records.ts';
import { runInOtherProcess } from '../support/other-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

// A cursor of the feed names the store and the outcome: what a restored or another database has is never left out.

async function openStore(t: TestContext, file = join(temporaryFolder(t), 'shop.db')) {
  const store = await createSqliteStore({ file });
  t.after(() => store.close());
  return { file, store };
}

/** Saves an outcome in a checkout of its own. */
async function saveOutcome(store: CheckoutStore, id: string): Promise<void> {
  await store.insert(makeCheckoutRecord(id));
  await store.save(makeCheckoutRecord(id, { version: 2 }), [makeOutcome(id, { checkoutId: id, orderId: id })]);
}

const readFeed = (store: CheckoutStore, after?: string, limit?: number) =>
  new TestCheckoutServer({ store }).server.outcomes({ after, limit });

/** The cursor after all outcomes that a store has. */
async function lastCursor(store: CheckoutStore): Promise<string> {
  return (await readFeed(store)).nextCursor ?? assert.fail('there is no outcome');
}

const isUnknown = { name: 'CheckoutConflictError', code: 'cursor_unknown', path: 'after', message: /without a cursor/ };

test('after a restore of a backup, cursors of what is in it work, and later ones are unknown, also when it has more outcomes', async (t) => {
  const { file, store } = await openStore(t);
  await saveOutcome(store, 'before the backup');
  const cursorBefore = await lastCursor(store);
  runInOtherProcess(`open(file).exec("vacuum into '" + file + ".backup'")`, file);
  await saveOutcome(store, 'lost');
  const cursorLost = await lastCursor(store);
  const { store: restored } = await openStore(t, `${file}.backup`);
  await assert.rejects(readFeed(restored, cursorLost), isUnknown);
  for (const id of ['after the restore', 'and later']) await saveOutcome(restored, id);
  await assert.rejects(readFeed(restored, cursorLost), isUnknown);
  const { outcomes } = await readFeed(restored, cursorBefore);
  assert.deepEqual(
    outcomes.map(({ id }) => id),
    ['after the restore', 'and later'],
  );
});

for (const [title, create] of [
  ['another SQLite file', async (t: TestContext) => (await openStore(t)).store],
  ['a store in memory', () => Promise.resolve(createMemoryStore())],
] as const)
  test(`a cursor of ${title} is unknown, although the store has an outcome at its position`, async (t) => {
    const { store } = await openStore(t);
    const other = await create(t);
    for (const one of [store, other]) await saveOutcome(one, 'first');
    await assert.rejects(readFeed(store, await lastCursor(other)), isUnknown);
    await assert.rejects(readFeed(other, await lastCursor(store)), isUnknown);
  });

test('a cursor that is no cursor of any store is unknown', async () => {
  const store = createMemoryStore();
  await saveOutcome(store, 'first');
  const [storeId = '', , digest = ''] = (await lastCursor(store)).split('.');
  for (const cursor of ['1', '0', 'x', `${storeId}.2.${digest}`, `${storeId}.0.${digest}`, `${storeId}.1.x`, storeId])
    await assert.rejects(readFeed(store, cursor), isUnknown, cursor);
  for (const cursor of ['', 'a b', '/', 'x'.repeat(101)])
    await assert.rejects(readFeed(store, cursor), { name: 'CheckoutParamsError' }, cursor);
});

test('a cursor of an outcome that was deleted since is still right, and pages have their full length', async () => {
  const store = createMemoryStore();
  for (const id of ['a', 'b', 'c']) await saveOutcome(store, id);
  const first = await readFeed(store, undefined, 1);
  const second = await readFeed(store, first.nextCursor ?? undefined, 1);
  assert.deepEqual(
    [first, second].map(({ outcomes }) => outcomes.map(({ id }) => id)),
    [['a'], ['b']],
  );
  await store.markOutcomeDelivered('b', 10);
  await store.purge({ createdBefore: Infinity, expiredBefore: Infinity, after: undefined, limit: 10 });
  const third = await readFeed(store, second.nextCursor ?? undefined, 1);
  assert.deepEqual(
    third.outcomes.map(({ id }) => id),
    ['c'],
  );
});

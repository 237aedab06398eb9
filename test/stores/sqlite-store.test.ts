import assert from 'node:assert/strict';
import { mock, test, type TestContext } from 'node:test';
import { sql, type Kysely } from 'kysely';
import { openDatabase } from '../support/open-database.ts';
import type { CheckoutTables } from '../../src/stores/table-row-types.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { createGate } from '../support/test-checkout-server.ts';
import { makeCheckoutRecord } from '../support/make-checkout-records.ts';
import { until } from '../support/wait-until.ts';

// Behaviour of the store that only SQLite has, or that is tested only on SQLite.

async function openStore(t: TestContext, folder = temporaryFolder(t)) {
  const database = await openDatabase({ dataDir: folder });
  t.after(() => database.close());
  return { folder, database, store: createSqlStore(database) };
}

/** Reads the setting `synchronous` of a connection. With `full`, a commit waits for the disk. */
async function readSynchronous(db: Kysely<CheckoutTables>): Promise<string> {
  const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(db);
  return ['off', 'normal', 'full'][rows[0]?.synchronous ?? -1] ?? 'unknown';
}

test('every commit waits for the disk, except the commits of writeWithoutSync', async (t) => {
  const { database } = await openStore(t);
  const { db, writeWithoutSync } = database;
  const readInTransaction = () => db.transaction().execute((transaction) => readSynchronous(transaction));
  assert.equal(await readInTransaction(), 'full');
  const changeGate = createGate();
  const unsyncedWrite = writeWithoutSync(async (connection) => {
    await changeGate.promise;
    return readSynchronous(connection);
  });
  const concurrentTransaction = readInTransaction();
  changeGate.open();
  assert.equal(await unsyncedWrite, 'normal');
  assert.equal(await concurrentTransaction, 'full');
  await assert.rejects(
    writeWithoutSync(() => Promise.reject(new Error('a change that failed'))),
    /a change that failed/,
  );
  assert.equal(await readInTransaction(), 'full');
  await assert.rejects(
    writeWithoutSync(() => {
      throw new Error('a query that could not be built');
    }),
    /could not be built/,
  );
  assert.equal(await readInTransaction(), 'full');
  await assert.rejects(writeWithoutSync((connection) => sql`update nothing set x = 1`.execute(connection)));
  assert.equal(await readInTransaction(), 'full');
});

test('listeners are notified of a save whose commit got no response, because it may be committed', async (t) => {
  const { database } = await openStore(t);
  const store = createSqlStore({
    ...database,
    write: async (work) => {
      await work();
      throw new Error('the connection is gone');
    },
  });
  await createSqlStore(database).insert(makeCheckoutRecord('c'));
  const notifiedIds: string[] = [];
  t.after(store.subscribe((id) => void notifiedIds.push(id)));
  await assert.rejects(store.save(makeCheckoutRecord('c', { version: 2 }), []), /the connection is gone/);
  assert.deepEqual(notifiedIds, ['c']);
  assert.deepEqual(await store.load('c'), makeCheckoutRecord('c', { version: 2 }));
});

test('after a save without a response, lost notifications are reported a second time, because the save may be committed late', async (t) => {
  const { database } = await openStore(t);
  let reportMissed = (): void => undefined;
  const store = createSqlStore({
    ...database,
    write: () => Promise.reject(new Error('the connection is gone')),
    listen(_, onMissed) {
      reportMissed = onMissed;
      return () => undefined;
    },
  });
  await createSqlStore(database).insert(makeCheckoutRecord('c'));
  let lostCount = 0;
  t.after(
    store.subscribe(
      () => undefined,
      () => (lostCount += 1),
    ),
  );
  t.mock.timers.enable({ apis: ['setTimeout'] });
  reportMissed();
  t.mock.timers.tick(5000);
  assert.equal(lostCount, 1, 'no save is in doubt');
  await assert.rejects(store.save(makeCheckoutRecord('c', { version: 2 }), []));
  reportMissed();
  assert.equal(lostCount, 2);
  t.mock.timers.tick(1000);
  assert.equal(lostCount, 3);
  t.mock.timers.tick(5000);
  assert.equal(lostCount, 3);
});

test('a store detects saves of another process even if its first check has failed', async (t) => {
  const { folder, database, store } = await openStore(t);
  const otherProcess = await openStore(t, folder);
  await store.insert(makeCheckoutRecord('c'));
  const notifiedIds: string[] = [];
  t.after(store.subscribe((id) => void notifiedIds.push(id)));
  const failingSelect = mock.method(database.db, 'selectFrom', () => {
    throw new Error('the disk is busy');
  });
  assert.equal(await otherProcess.store.save(makeCheckoutRecord('c', { version: 2 }), []), true);
  await until('a check has failed', () => failingSelect.mock.callCount() > 0);
  assert.equal(notifiedIds.length, 0);
  failingSelect.mock.restore();
  await until('the notification arrives', () => notifiedIds.includes('c'));
});

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock, test, type TestContext } from 'node:test';
import { sql, type Kysely } from 'kysely';
import { openDatabase } from '../support/open-database.ts';
import type { CheckoutTables } from '../../src/stores/table-row-types.ts';
import { checkoutMigrations } from '../../src/stores/checkout-migrations.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { createGate } from '../support/test-checkout-server.ts';
import { makeCheckoutRecord } from '../../src/testing/checkout-records.ts';
import { until } from '../support/wait-until.ts';

// What the file's database does of its own.

async function open(t: TestContext, dataDir?: string) {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'embedded-')));
  const database = await openDatabase({ dataDir: folder }, checkoutMigrations);
  t.after(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { folder, database, store: createSqlStore(database) };
}

/** How a commit that is made now would be put on the disk. */
async function safetyOf(db: Kysely<CheckoutTables>): Promise<string> {
  const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(db);
  return ['off', 'normal', 'full'][rows[0]?.synchronous ?? -1] ?? 'unknown';
}

test('waits for the disk at every commit except those of leases', async (t) => {
  const { database } = await open(t);
  const { db, writeWithoutSync: lightly } = database;
  const inTransaction = () => db.transaction().execute((transaction) => safetyOf(transaction));
  assert.equal(await inTransaction(), 'full');
  const changing = createGate();
  const light = lightly(async (connection) => {
    await changing.promise;
    return safetyOf(connection);
  });
  const meanwhile = inTransaction();
  changing.open();
  assert.equal(await light, 'normal');
  assert.equal(await meanwhile, 'full');
  await assert.rejects(
    lightly(() => Promise.reject(new Error('a change that failed'))),
    /a change that failed/,
  );
  assert.equal(await inTransaction(), 'full');
  await assert.rejects(
    lightly(() => {
      throw new Error('a query that could not be built');
    }),
    /could not be built/,
  );
  assert.equal(await inTransaction(), 'full');
  await assert.rejects(lightly((connection) => sql`update nothing set x = 1`.execute(connection)));
  assert.equal(await inTransaction(), 'full');
});

test('notifies about a save whose commit got no response, because it may have been made', async (t) => {
  const { database } = await open(t);
  const store = createSqlStore({
    ...database,
    write: async (work) => {
      await work();
      throw new Error('the connection is gone');
    },
  });
  await store.insert(makeCheckoutRecord('c'));
  const heard: string[] = [];
  t.after(store.subscribe((id) => void heard.push(id)));
  await assert.rejects(store.save(makeCheckoutRecord('c', { version: 2 }), []), /the connection is gone/);
  assert.deepEqual(heard, ['c']);
  assert.deepEqual(await store.load('c'), makeCheckoutRecord('c', { version: 2 }));
});

test('after a save without a response, lost notifications are reported once more: the commit may come after the new connection', async (t) => {
  const { database } = await open(t);
  let miss = (): void => undefined;
  const store = createSqlStore({
    ...database,
    write: () => Promise.reject(new Error('the connection is gone')),
    listen(_, onMissed) {
      miss = onMissed;
      return () => undefined;
    },
  });
  await store.insert(makeCheckoutRecord('c'));
  let lost = 0;
  t.after(
    store.subscribe(
      () => undefined,
      () => (lost += 1),
    ),
  );
  t.mock.timers.enable({ apis: ['setTimeout'] });
  miss();
  t.mock.timers.tick(5000);
  assert.equal(lost, 1, 'no save is in doubt');
  await assert.rejects(store.save(makeCheckoutRecord('c', { version: 2 }), []));
  miss();
  assert.equal(lost, 2);
  t.mock.timers.tick(1000);
  assert.equal(lost, 3);
  t.mock.timers.tick(5000);
  assert.equal(lost, 3);
});

test('detects saves of another process after its first check has failed', async (t) => {
  const { folder, database, store } = await open(t);
  const other = await open(t, folder);
  await store.insert(makeCheckoutRecord('c'));
  const heard: string[] = [];
  t.after(store.subscribe((id) => void heard.push(id)));
  const failing = mock.method(database.db, 'selectFrom', () => {
    throw new Error('the disk is busy');
  });
  assert.equal(await other.store.save(makeCheckoutRecord('c', { version: 2 }), []), true);
  await until('a look has failed', () => failing.mock.callCount() > 0);
  assert.equal(heard.length, 0);
  failing.mock.restore();
  await until('the save is heard of', () => heard.includes('c'));
});

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock, test, type TestContext } from 'node:test';
import { sql, type Kysely } from 'kysely';
import { openDatabase } from '../support/open-database.ts';
import type { CheckoutTables } from '../../src/stores/table-row-types.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { createGate } from '../support/test-checkout-server.ts';
import { makeCheckoutRecord } from '../../src/testing/checkout-records.ts';
import { until } from '../support/wait-until.ts';

// Behaviour of the store that depends on SQLite, or is tested on SQLite alone.

async function open(t: TestContext, dataDir?: string) {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'embedded-')));
  const database = await openDatabase({ dataDir: folder }, checkoutMigrations);
  t.after(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { folder, database, store: createSqlStore(database) };
}

/** The present setting of `synchronous`, by which a commit waits for the disk or not. */
async function synchronousOf(db: Kysely<CheckoutTables>): Promise<string> {
  const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(db);
  return ['off', 'normal', 'full'][rows[0]?.synchronous ?? -1] ?? 'unknown';
}

test('waits for the disk at every commit except those of writeWithoutSync', async (t) => {
  const { database } = await open(t);
  const { db, writeWithoutSync } = database;
  const inTransaction = () => db.transaction().execute((transaction) => synchronousOf(transaction));
  assert.equal(await inTransaction(), 'full');
  const changing = createGate();
  const withoutSync = writeWithoutSync(async (connection) => {
    await changing.promise;
    return synchronousOf(connection);
  });
  const meanwhile = inTransaction();
  changing.open();
  assert.equal(await withoutSync, 'normal');
  assert.equal(await meanwhile, 'full');
  await assert.rejects(
    writeWithoutSync(() => Promise.reject(new Error('a change that failed'))),
    /a change that failed/,
  );
  assert.equal(await inTransaction(), 'full');
  await assert.rejects(
    writeWithoutSync(() => {
      throw new Error('a query that could not be built');
    }),
    /could not be built/,
  );
  assert.equal(await inTransaction(), 'full');
  await assert.rejects(writeWithoutSync((connection) => sql`update nothing set x = 1`.execute(connection)));
  assert.equal(await inTransaction(), 'full');
});

test('notifies of a save whose commit got no response, because it may be committed', async (t) => {
  const { database } = await open(t);
  const store = createSqlStore({
    ...database,
    write: async (work) => {
      await work();
      throw new Error('the connection is gone');
    },
  });
  await store.insert(makeCheckoutRecord('c'));
  const notified: string[] = [];
  t.after(store.subscribe((id) => void notified.push(id)));
  await assert.rejects(store.save(makeCheckoutRecord('c', { version: 2 }), []), /the connection is gone/);
  assert.deepEqual(notified, ['c']);
  assert.deepEqual(await store.load('c'), makeCheckoutRecord('c', { version: 2 }));
});

test('reports lost notifications once more after a save without a response, which may be committed after the new connection', async (t) => {
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
  const notified: string[] = [];
  t.after(store.subscribe((id) => void notified.push(id)));
  const failing = mock.method(database.db, 'selectFrom', () => {
    throw new Error('the disk is busy');
  });
  assert.equal(await other.store.save(makeCheckoutRecord('c', { version: 2 }), []), true);
  await until('a check has failed', () => failing.mock.callCount() > 0);
  assert.equal(notified.length, 0);
  failing.mock.restore();
  await until('the notification arrives', () => notified.includes('c'));
});

import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import { Client } from 'pg';
import { openDatabase } from '../support/open-database.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import type { CheckoutStore } from '../../src/server.ts';
import { makeCheckoutRecord, makeAttempt } from '../../src/testing/checkout-records.ts';
import { until } from '../support/wait-until.ts';
import { postgresDatabases } from './databases.ts';

// Behaviour that only PostgreSQL has: connections break, and of two transactions in a deadlock one is rolled back.

const kind = await postgresDatabases();
after(() => kind?.end());

/** A store with one checkout, and another client of its database. */
async function open(t: TestContext, databases: NonNullable<typeof kind>) {
  const place = await databases.fresh();
  const database = await openDatabase(place, checkoutMigrations);
  t.after(() => database.close());
  const otherClient = new Client({ connectionString: place.databaseUrl });
  await otherClient.connect();
  t.after(() => otherClient.end());
  const store = createSqlStore(database);
  const record = makeCheckoutRecord('c', { attempts: [makeAttempt('e1'), makeAttempt('e2')] });
  await store.insert(record);
  /** Resolves when a query of the store waits for a lock. */
  const untilLocked = () =>
    until("a query waits for the other client's lock", async () => {
      const { rows } = await otherClient.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });
  const terminateOthers = () =>
    otherClient.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
  return { store, record, otherClient, untilLocked, terminateOthers };
}

/** Records the notifications of a store: the saved checkouts, and how often notifications may have been lost. */
function recordNotifications(t: TestContext, store: CheckoutStore) {
  const received = { ids: [] as string[], lost: 0 };
  const stop = store.subscribe(
    (id) => void received.ids.push(id),
    () => (received.lost += 1),
  );
  t.after(stop);
  return received;
}

if (kind !== undefined) {
  test("a table of another program with the name of the store's `migrations` is refused with one line, and is not changed", async (t) => {
    const place = await kind.fresh();
    const shop = new Client({ connectionString: place.databaseUrl });
    await shop.connect();
    t.after(() => shop.end());
    await shop.query('create table migrations (id serial primary key, timestamp bigint not null, name text not null)');
    await assert.rejects(openDatabase(place, checkoutMigrations, { schema: 'public' }), {
      name: 'DatabaseOpenError',
      message:
        'the database of DATABASE_URL cannot be opened: its table migrations is of another program: choose another schema or tablePrefix',
    });
    const { rows } = await shop.query(`select tablename from pg_tables where schemaname = 'public'`);
    assert.deepEqual(rows, [{ tablename: 'migrations' }]);
  });

  test('a save that was rolled back by a deadlock is repeated', async (t) => {
    const { store, record, otherClient, untilLocked } = await open(t, kind);
    await otherClient.query('begin');
    await otherClient.query(`update pay_invoice.schedules set call_count = 7 where attempt_id = 'e1'`);
    const saved = store.save({ ...record, version: 2 }, []);
    await untilLocked();
    await otherClient.query(`set local deadlock_timeout = '60s'`); // so that the store's transaction detects the deadlock first
    await otherClient.query(`update pay_invoice.checkouts set saved_at = 7 where id = 'c'`);
    await otherClient.query('commit');
    assert.equal(await saved, true);
    assert.deepEqual(await store.load('c'), { ...record, version: 2 });
  });

  test('a read is repeated when its connection is terminated, as by a restart of the database', async (t) => {
    const { store, record, otherClient, untilLocked, terminateOthers } = await open(t, kind);
    await otherClient.query('begin');
    await otherClient.query('lock table pay_invoice.checkouts in access exclusive mode');
    const loaded = store.load('c');
    await untilLocked();
    await terminateOthers();
    await otherClient.query('rollback');
    assert.deepEqual(await loaded, record);
  });

  test('idle connections that were terminated fail no query, and notifications of other processes arrive again', async (t) => {
    const { store, record, otherClient, terminateOthers } = await open(t, kind);
    await Promise.all(Array.from({ length: 10 }, () => store.load('c')));
    const received = recordNotifications(t, store);
    const arrives = async (id: string): Promise<boolean> => {
      await otherClient.query(`select pg_notify('pay_invoice.saved', 'other-process ${id}')`);
      return received.ids.includes(id);
    };
    await until('a notification arrives', () => arrives('before'));
    await terminateOthers();
    assert.deepEqual(await store.load('c'), record);
    assert.equal(await store.save({ ...record, version: 2 }, []), true);
    assert.equal(received.lost, 1, 'notifications before the first connection');
    await until('a notification arrives again', () => arrives('after'), 20_000);
    assert.equal(received.lost, 2, 'notifications before the second connection');
  });

  test('no index has a column that a save or a poll changes, except the index of due schedules', async (t) => {
    const { otherClient } = await open(t, kind);
    // An update that changes no indexed column can be a HOT update: it writes to no index.
    const { rows } = await otherClient.query<{ columns: string }>(`
      select format('%s(%s)', relname, string_agg(attname, ', ' order by attnum)) as columns
      from pg_index join pg_attribute on attrelid = indexrelid join pg_class on pg_class.oid = indrelid
      where relname in ('checkouts', 'attempts', 'schedules') group by indexrelid, relname
    `);
    assert.deepEqual(rows.map(({ columns }) => columns).sort(), [
      'attempts(checkout_id, position)',
      'attempts(external_id)',
      'checkouts(created_at, id)',
      'checkouts(id)',
      'checkouts(order_id)',
      'schedules(attempt_id)',
      'schedules(claimable_at)',
    ]);
  });
}

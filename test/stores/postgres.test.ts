import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import { Client } from 'pg';
import { openDatabase } from '../support/open-database.ts';
import { checkoutMigrations } from '../../src/stores/checkout-migrations.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import type { CheckoutStore } from '../../src/server.ts';
import { makeCheckoutRecord, makeAttempt } from '../../src/testing/checkout-records.ts';
import { until } from '../support/wait-until.ts';
import { postgresDatabases } from './databases.ts';

// What only a database on the other end of a network does: it breaks connections, and undoes one of two transactions that
// wait for each other.

const kind = await postgresDatabases();
after(() => kind?.end());

/** A store with one checkout, and another user of its database. */
async function open(t: TestContext, databases: NonNullable<typeof kind>) {
  const place = await databases.fresh();
  const database = await openDatabase(place, checkoutMigrations);
  t.after(() => database.close());
  const stranger = new Client({ connectionString: place.databaseUrl });
  await stranger.connect();
  t.after(() => stranger.end());
  const store = createSqlStore(database);
  const record = makeCheckoutRecord('c', { attempts: [makeAttempt('e1'), makeAttempt('e2')] });
  await store.insert(record);
  /** Resolves when a query of the store waits for a lock. */
  const waits = () =>
    until('a query waits for the stranger', async () => {
      const { rows } = await stranger.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });
  const cutAll = () =>
    stranger.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
  return { store, record, stranger, waits, cutAll };
}

/** What a store tells from now on: which checkouts were saved, and how often it may have missed some. */
function listenTo(t: TestContext, store: CheckoutStore) {
  const told = { heard: [] as string[], lost: 0 };
  const stop = store.subscribe(
    (id) => void told.heard.push(id),
    () => (told.lost += 1),
  );
  t.after(stop);
  return told;
}

if (kind !== undefined) {
  test('a table migrations of another program under the name of the own one is refused in one line, and is kept', async (t) => {
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
    const { store, record, stranger, waits } = await open(t, kind);
    await stranger.query('begin');
    await stranger.query(`update pay_invoice.schedules set call_count = 7 where attempt_id = 'e1'`);
    const saved = store.save({ ...record, version: 2 }, []);
    await waits();
    await stranger.query(`set local deadlock_timeout = '60s'`); // the other one notices, and gives way
    await stranger.query(`update pay_invoice.checkouts set saved_at = 7 where id = 'c'`);
    await stranger.query('commit');
    assert.equal(await saved, true);
    assert.deepEqual(await store.load('c'), { ...record, version: 2 });
  });

  test('a read is repeated when its connection is cut, as by a restart of the database', async (t) => {
    const { store, record, stranger, waits, cutAll } = await open(t, kind);
    await stranger.query('begin');
    await stranger.query('lock table pay_invoice.checkouts in access exclusive mode');
    const loaded = store.load('c');
    await waits();
    await cutAll();
    await stranger.query('rollback');
    assert.deepEqual(await loaded, record);
  });

  test('idle connections that were cut fail no query, and notifications of other processes arrive again', async (t) => {
    const { store, record, stranger, cutAll } = await open(t, kind);
    await Promise.all(Array.from({ length: 10 }, () => store.load('c')));
    const told = listenTo(t, store);
    const isHeard = async (id: string): Promise<boolean> => {
      await stranger.query(`select pg_notify('pay_invoice.saved', 'somebody ${id}')`);
      return told.heard.includes(id);
    };
    await until('a notice is heard', () => isHeard('before'));
    await cutAll();
    assert.deepEqual(await store.load('c'), record);
    assert.equal(await store.save({ ...record, version: 2 }, []), true);
    assert.equal(told.lost, 1, 'what was told before the first listening');
    await until('a notice is heard again', () => isHeard('after'), 20_000);
    assert.equal(told.lost, 2, 'what was told while nobody listened');
  });

  test('no index has a column that a save or a poll changes, but for the one that finds what is due', async (t) => {
    const { stranger } = await open(t, kind);
    // An update that changes no indexed column can be a HOT update: it writes to no index.
    const { rows } = await stranger.query<{ columns: string }>(`
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

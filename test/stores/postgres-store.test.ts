import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import { Client } from 'pg';
import { openDatabase, openStore } from '../support/open-database.ts';
import { createPostgresStore, postgresDdl } from '../../src/stores/postgres-store.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { connectionsOfUrl, release } from '../../src/stores/postgres-pool.ts';
import type { CheckoutStore } from '../../src/server.ts';
import { makeCheckoutRecord, makeAttempt } from '../support/make-checkout-records.ts';
import { until } from '../support/wait-until.ts';
import { postgresDatabases } from './databases.ts';

// Cases that occur only with PostgreSQL, such as broken connections and deadlocks.

const postgres = await postgresDatabases();
after(() => postgres?.end());

/** Opens a store with one checkout, and another client of its database. */
async function openWithCheckout(t: TestContext, databases: NonNullable<typeof postgres>) {
  const place = await databases.fresh();
  const store = await openStore(place);
  t.after(() => store.close());
  const otherClient = new Client({ connectionString: place.databaseUrl });
  await otherClient.connect();
  t.after(() => otherClient.end());
  const record = makeCheckoutRecord('c', { attempts: [makeAttempt('e1'), makeAttempt('e2')] });
  await store.insert(record);
  /** Resolves when a query of the store waits for a lock. */
  const waitUntilLocked = () =>
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
  return { store, record, otherClient, waitUntilLocked, terminateOthers };
}

/** Records the notifications of a store: the ids of saved checkouts, and the number of `lost` calls. */
function recordNotifications(t: TestContext, store: CheckoutStore) {
  const received = { ids: [] as string[], lostCount: 0 };
  const stop = store.subscribe(
    (id) => void received.ids.push(id),
    () => (received.lostCount += 1),
  );
  t.after(stop);
  return received;
}

if (postgres !== undefined) {
  test("a table of another program with the name of the store's `migrations` is refused with a message of one line, and is not changed", async (t) => {
    const place = await postgres.fresh();
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

  for (const schema of ['select', 'user', 'order', 'table'])
    test(`a schema with the reserved word ${schema} as its name is used, and made by the printed statements`, async (t) => {
      const [place, printed] = [await postgres.fresh(), await postgres.fresh()];
      const client = new Client({ connectionString: printed.databaseUrl });
      await client.connect();
      t.after(() => client.end());
      await client.query(postgresDdl({ schema }));
      for (const { databaseUrl: url = '' } of [place, printed]) {
        const store = await createPostgresStore({ url, schema, migrate: url === place.databaseUrl });
        t.after(() => store.close());
        const record = makeCheckoutRecord('c');
        await store.insert(record);
        assert.deepEqual(await store.load('c'), record);
        await store.claimDueAttempts(1, 2, 10);
        assert.deepEqual((await store.readOutcomes(0, 10)).outcomes, []);
        const notified = recordNotifications(t, store);
        await store.save({ ...record, version: 2 }, []);
        assert.ok(notified.ids.includes('c'));
      }
    });

  test('a save that was rolled back by a deadlock is repeated', async (t) => {
    const { store, record, otherClient, waitUntilLocked } = await openWithCheckout(t, postgres);
    await otherClient.query('begin');
    await otherClient.query(`update pay_invoice.schedules set call_count = 7 where attempt_id = 'e1'`);
    const saving = store.save({ ...record, version: 2 }, []);
    await waitUntilLocked();
    await otherClient.query(`set local deadlock_timeout = '60s'`); // so that the store's transaction detects the deadlock first
    await otherClient.query(`update pay_invoice.checkouts set saved_at = 7 where id = 'c'`);
    await otherClient.query('commit');
    assert.equal(await saving, true);
    assert.deepEqual(await store.load('c'), { ...record, version: 2 });
  });

  test('a read is repeated when the database terminates its connection, as in a restart', async (t) => {
    const { store, record, otherClient, waitUntilLocked, terminateOthers } = await openWithCheckout(t, postgres);
    await otherClient.query('begin');
    await otherClient.query('lock table pay_invoice.checkouts in access exclusive mode');
    const loading = store.load('c');
    await waitUntilLocked();
    await terminateOthers();
    await otherClient.query('rollback');
    assert.deepEqual(await loading, record);
  });

  test('a connection of its own that fails while it is being closed does not end the process', async () => {
    const { databaseUrl = assert.fail() } = await postgres.fresh();
    const connections = connectionsOfUrl(databaseUrl, { max: 1 });
    const client = await connections.connectApart(5000);
    const ended = new Promise((resolve) => client.on('end', () => resolve('ended')));
    release(client, false);
    assert.ok(client instanceof Client);
    client.emit('error', new Error('terminating connection due to administrator command'));
    assert.equal(await ended, 'ended');
    await connections.close();
  });

  test('after idle connections were terminated, queries succeed, and notifications of other processes arrive on a new connection', async (t) => {
    const { store, record, otherClient, terminateOthers } = await openWithCheckout(t, postgres);
    await Promise.all(Array.from({ length: 10 }, () => store.load('c')));
    const received = recordNotifications(t, store);
    const notificationArrives = async (id: string): Promise<boolean> => {
      await otherClient.query(`select pg_notify('pay_invoice.saved', 'other-process ${id}')`);
      return received.ids.includes(id);
    };
    await until('a notification arrives', () => notificationArrives('before'));
    await terminateOthers();
    assert.deepEqual(await store.load('c'), record);
    assert.equal(await store.save({ ...record, version: 2 }, []), true);
    assert.ok(received.lostCount >= 1, 'notifications before the first connection may be lost');
    await until('a notification arrives on the new connection', () => notificationArrives('after'), 20_000);
    assert.equal(received.lostCount, 2, 'notifications before the second connection may be lost');
  });

  test('payers whose reads wait for the database take no connection from saves, outcomes and the readiness', async (t) => {
    const { store, record, otherClient, waitUntilLocked } = await openWithCheckout(t, postgres);
    await otherClient.query('begin');
    await otherClient.query('lock table pay_invoice.schedules in access exclusive mode'); // reads need it, the others do not
    const reads = Array.from({ length: 100 }, () =>
      store.load('c', { purpose: 'hold' }).catch((error: unknown) => error),
    );
    await waitUntilLocked();
    assert.equal(await store.save({ ...record, version: 2 }, [], { loaded: record }), true);
    await store.markOutcomeDelivered('none', 1);
    await store.check();
    await otherClient.query('rollback');
    for (const read of await Promise.all(reads))
      assert.ok(!(read instanceof Error) || read.name === 'StoreUnavailableError', String(read));
    assert.equal((await store.load('c', { purpose: 'hold' }))?.id, 'c');
  });

  test('a store in a database that takes no writes is not ready, and is ready once it takes them again', async (t) => {
    const { store, otherClient, terminateOthers } = await openWithCheckout(t, postgres);
    const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
      const { rows } = await otherClient.query<{ name: string }>('select current_database() as name');
      await otherClient.query(`alter database "${rows[0]?.name ?? ''}" set default_transaction_read_only = ${value}`);
      await terminateOthers(); // the setting is that of new connections
    };
    await setReadOnly('on');
    await assert.rejects(store.check(), { name: 'StoreUnavailableError' });
    await assert.rejects(store.save(makeCheckoutRecord('c', { version: 2 }), []), { reason: '25006' });
    await setReadOnly('off');
    await until('the store is ready', () => store.check().then(() => true, () => false), 10_000); // prettier-ignore
  });

  test('only the index of due schedules has a column that a save or a poll changes', async (t) => {
    const { otherClient } = await openWithCheckout(t, postgres);
    // An update that changes no indexed column can be a HOT update: it writes to no index.
    const { rows } = await otherClient.query<{ columns: string }>(`
      select format('%s(%s)', relname, string_agg(attname, ', ' order by attnum)) as columns
      from pg_index join pg_attribute on attrelid = indexrelid join pg_class on pg_class.oid = indrelid
      where relname in ('checkouts', 'attempts', 'schedules') group by indexrelid, relname
    `);
    assert.deepEqual(rows.map(({ columns }) => columns).sort(), [
      'attempts(checkout_id)', // has only what a person has to decide
      'attempts(checkout_id, position)',
      'attempts(claimed_invoice_id)', // written once, when the invoice is stored
      'attempts(external_id)',
      'attempts(external_id)', // has only unresolved invoices
      'checkouts(created_at, id)',
      'checkouts(id)',
      'checkouts(order_id)',
      'checkouts(reference)',
      'schedules(attempt_id)',
      'schedules(claimable_at)',
    ]);
  });
}

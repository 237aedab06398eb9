import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Pool } from 'pg';
import { createPostgresStore, postgresDdl } from '../../src/stores/postgres-store.ts';
import { makeCheckoutRecord, makeAttempt } from '../support/make-checkout-records.ts';
import { storeContract } from './contract/store-contract.ts';
import { until } from '../support/wait-until.ts';
import { ignoreConnectionErrors, postgresDatabases } from './databases.ts';

// A store on the merchant's own pool, and a store whose database user may not change the schema.

const postgres = await postgresDatabases();
after(() => postgres?.end());

async function openPool(databases: NonNullable<typeof postgres>): Promise<Pool> {
  return new Pool({ connectionString: (await databases.fresh()).databaseUrl, max: 3 });
}

if (postgres !== undefined) {
  storeContract("the store on the merchant's own pool", async () => {
    const pool = new Pool({ connectionString: (await postgres.fresh()).databaseUrl });
    ignoreConnectionErrors(pool);
    const store = await createPostgresStore({ pool });
    return { store, close: () => store.close().then(() => pool.end()) };
  });

  test("a store adds no listener to the merchant's pool, and does not change the pool's settings", async (t) => {
    const pool = await openPool(postgres);
    t.after(() => pool.end());
    const store = await createPostgresStore({ pool });
    const stop = store.subscribe(() => undefined);
    await store.insert(makeCheckoutRecord('c'));
    assert.deepEqual([pool.listenerCount('error'), pool.listenerCount('connect')], [0, 0]);
    stop();
    await store.close();
    const { rows } = await pool.query(
      `select created_at, current_setting('statement_timeout') as timeout from pay_invoice.checkouts`,
    );
    assert.deepEqual(rows, [{ created_at: String(makeCheckoutRecord('c').createdAt), timeout: '0' }]);
    assert.equal(pool.totalCount - pool.idleCount, 0, 'no connection is in use');
  });

  test('closing the store releases the listening connection, even if a subscriber has not unsubscribed', async (t) => {
    const pool = await openPool(postgres);
    t.after(() => void pool.end()); // not awaited: if a connection stays open, it never resolves
    const store = await createPostgresStore({ pool });
    let listenCount = 0;
    store.subscribe(
      () => undefined,
      () => (listenCount += 1),
    );
    await until('the store listens', () => listenCount === 1);
    await store.close();
    assert.equal(pool.totalCount - pool.idleCount, 0, 'no connection is in use');
  });

  test("after the server has terminated all connections of the merchant's pool, the store loads records and listens on a new connection", async (t) => {
    const pool = await openPool(postgres);
    ignoreConnectionErrors(pool);
    const store = await createPostgresStore({ pool });
    const record = makeCheckoutRecord('c', { attempts: [makeAttempt('e1')] });
    await store.insert(record);
    let listenCount = 0;
    const stop = store.subscribe(
      () => undefined,
      () => (listenCount += 1),
    );
    t.after(async () => {
      stop();
      await store.close();
      await pool.end();
    });
    await until('the store listens', () => Promise.resolve(listenCount === 1));
    await pool
      .query(
        `select pg_terminate_backend(pid) from (select pid from pg_stat_activity
          where datname = current_database() order by pid = pg_backend_pid()) as backends`,
      )
      .catch(() => undefined);
    assert.deepEqual(await store.load('c'), record);
    await until('the store listens on a new connection', () => Promise.resolve(listenCount === 2), 20_000);
  });

  test('a database user who may not create tables can use the tables that the printed statements have created', async (t) => {
    const owner = await openPool(postgres);
    await owner.query(postgresDdl({ schema: 'shop', tablePrefix: 'pay_' }));
    const role = `clerk_${process.pid}`;
    await owner.query(`create role ${role} login; grant usage on schema shop to ${role};
      grant select, insert, update, delete on all tables in schema shop to ${role}`);
    t.after(() => owner.query(`drop owned by ${role}; drop role ${role}`).then(() => owner.end()));
    const url = new URL(owner.options.connectionString ?? '');
    url.username = role;
    const store = await createPostgresStore({ url: url.href, schema: 'shop', tablePrefix: 'pay_' });
    assert.ok(await store.insert(makeCheckoutRecord('c')));
    assert.deepEqual(await store.load('c'), makeCheckoutRecord('c'));
    await store.close();
  });
}

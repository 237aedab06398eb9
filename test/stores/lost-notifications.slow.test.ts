import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { systemClock } from '../../src/base/clock.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { openDatabase } from '../support/open-database.ts';
import { createSqlStore, type SqlStore } from '../../src/stores/sql-store.ts';
import { createMetrics } from '../../src/server.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';
import { until } from '../support/wait-until.ts';
import { postgresDatabases } from './databases.ts';

// A payment that another process saves reaches a payer within 2 s, also when its notification is lost.

const kind = await postgresDatabases();
after(() => kind?.end());

const listening = `from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
  and query ~ '^(listen|notify) pay_invoice'`;

/** A checkout server with metrics, another process's store on the same database, and a connection of the administrator. */
async function open(t: TestContext, databases: NonNullable<typeof kind>) {
  const place = await databases.fresh();
  const stores: SqlStore[] = [];
  for (let count = 0; count < 2; count += 1) {
    const database = await openDatabase(place, checkoutMigrations);
    t.after(() => database.close());
    stores.push(createSqlStore(database));
  }
  const [store = assert.fail(), otherStore = assert.fail()] = stores;
  const admin = new Client({ connectionString: place.databaseUrl });
  await admin.connect();
  t.after(() => admin.end());
  const harness = await TestCheckoutServer.open({}, { store, metrics: createMetrics(), clock: systemClock });
  t.after(() => harness.server.stop());
  harness.fakeClock.stall(Date.now() - harness.fakeClock.wall()); // the service's time
  await harness.createInvoice();
  await until('the store listens', async () => (await admin.query(`select pid ${listening}`)).rows.length > 0);
  return { harness, otherStore, admin };
}

/** Saves, as another process does, that the checkout is paid. */
async function pay(store: SqlStore, id: string): Promise<void> {
  for (;;) {
    const record = (await store.load(id)) ?? assert.fail();
    const attempts = record.attempts.map((attempt) => ({ ...attempt, outcome: 'paid', runAt: null }) as const);
    const paidExternalId = attempts[0]?.externalId ?? null;
    if (await store.save({ ...record, version: record.version + 1, attempts, paidExternalId }, [])) return;
  }
}

type Fault = (t: TestContext, admin: Client) => Promise<void>;

const terminate: Fault = async (_, admin) => {
  await admin.query(`select pg_terminate_backend(pid) ${listening}`);
};
const suspend: Fault = async (t, admin) => {
  const { rows } = await admin.query<{ pid: number }>(`select pid ${listening}`);
  const [{ pid } = assert.fail('no connection listens')] = rows;
  process.kill(pid, 'SIGSTOP');
  t.after(() => process.kill(pid, 'SIGCONT'));
};

if (kind !== undefined)
  for (const [title, breakConnection] of [
    ['is terminated', terminate],
    ['stops answering', suspend],
  ] as const)
    test(`a payment that another process saves reaches a long poll within 2 s when the listening connection ${title}`, async (t) => {
      const { harness, otherStore, admin } = await open(t, kind);
      const { etag } = await harness.getCheckout();
      const held = harness.getCheckout({ 'if-none-match': etag, prefer: 'wait=25' });
      await delay(Math.random() * 500); // a random moment between two pings
      const start = performance.now();
      await breakConnection(t, admin);
      await pay(otherStore, harness.id);
      assert.equal((await held).checkout.status, 'paid');
      const ms = performance.now() - start;
      t.diagnostic(`${Math.round(ms)} ms`);
      assert.ok(ms < 2000, `${ms} ms`);
    });

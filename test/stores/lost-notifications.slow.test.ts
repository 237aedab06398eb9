import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { systemClock } from '../../src/base/clock.ts';
import { openStore } from '../support/open-database.ts';
import type { SqlStore } from '../../src/stores/sql-store.ts';
import { createMetrics } from '../../src/server.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';
import { until } from '../support/wait-until.ts';
import { postgresDatabases } from './databases.ts';

// A payment that another process saves reaches a payer within 2 s, even if its notification is lost.

const databases = await postgresDatabases();
after(() => databases?.end());

/** The rest of a query that selects the connections on which stores listen. */
const fromListeningConnections = `from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
  and (query like 'listen %' or query like 'select pg_notify($1, '''')%')`;

/** Opens a checkout server with metrics, a second store on the same database, and a connection of the administrator. */
async function openServer(t: TestContext, system: NonNullable<typeof databases>) {
  const place = await system.fresh();
  const [store, otherStore] = [await openStore(place), await openStore(place)];
  t.after(() => Promise.all([store.close(), otherStore.close()]));
  const admin = new Client({ connectionString: place.databaseUrl });
  await admin.connect();
  t.after(() => admin.end());
  const harness = await TestCheckoutServer.open({}, { store, metrics: createMetrics(), clock: systemClock });
  t.after(() => harness.server.stop());
  await harness.createInvoice();
  await until(
    'the store listens',
    async () => (await admin.query(`select pid ${fromListeningConnections}`)).rows.length > 0,
  );
  return { harness, otherStore, admin };
}

/** Saves the checkout as paid, as another process does. */
async function savePaid(store: SqlStore, id: string): Promise<void> {
  for (;;) {
    const record = (await store.load(id)) ?? assert.fail();
    const attempts = record.attempts.map(
      (attempt) => ({ ...attempt, outcome: 'paid', paidAmount: attempt.amount, runAt: null }) as const,
    );
    const paidExternalId = attempts[0]?.externalId ?? null;
    if (await store.save({ ...record, version: record.version + 1, attempts, paidExternalId, paidAt: 1 }, [])) return;
  }
}

/** Breaks the connection on which the store listens. */
type BreakConnection = (t: TestContext, admin: Client) => Promise<void>;

const terminate: BreakConnection = async (_, admin) => {
  await admin.query(`select pg_terminate_backend(pid) ${fromListeningConnections}`);
};
const suspend: BreakConnection = async (t, admin) => {
  const { rows } = await admin.query<{ pid: number }>(`select pid ${fromListeningConnections}`);
  const [{ pid } = assert.fail('no connection listens')] = rows;
  process.kill(pid, 'SIGSTOP');
  t.after(() => process.kill(pid, 'SIGCONT'));
};

if (databases !== undefined)
  for (const [title, breakConnection] of [
    ['is terminated', terminate],
    ['stops answering', suspend],
  ] as const)
    test(`a payment that another process saves reaches a long poll within 2 s when the listening connection ${title}`, async (t) => {
      const { harness, otherStore, admin } = await openServer(t, databases);
      const { etag } = await harness.getCheckout();
      const longPoll = harness.getCheckout({ 'if-none-match': etag, prefer: 'wait=25' });
      await delay(Math.random() * 500); // a random moment between two pings
      const startedAt = performance.now();
      await breakConnection(t, admin);
      await savePaid(otherStore, harness.id);
      assert.equal((await longPoll).checkout.status, 'paid');
      const ms = performance.now() - startedAt;
      t.diagnostic(`${Math.round(ms)} ms`);
      assert.ok(ms < 2000, `${ms} ms`);
    });

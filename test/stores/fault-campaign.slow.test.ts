import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { startPostgres, type TemporaryPostgres } from '../../scripts/with-postgres.ts';
import { StoreUnavailableError } from '../../src/server.ts';
import type { DatabaseLocation } from '../support/open-database.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { until } from '../support/wait-until.ts';
import type { SimulationEvent } from '../simulator/history.ts';
import { checkHistory } from '../simulator/rules.ts';
import { sandboxFaultsOf, serviceFaultNames } from '../simulator/service-faults.ts';
import { embeddedDatabases } from './databases.ts';
import { buildShopProgram, startShopRun, type ShopRun } from './killed-process/start-shop.ts';

// Purchases in two real processes of a shop, over real connections and on both database systems, while processes are killed,
// connections to the database are cut, PostgreSQL is restarted or suspended, and the service misbehaves at random. The simulator's rules judge what happened, which
// also shows that its simulated parts behave like the real ones. CAMPAIGN_SEED repeats the random choices of a run, but not
// its timing. The faults end after a time: while processes die faster than an attempt is taken over (9 s), chance alone decides
// how long one order waits, and the rule is that everything heals once they are over.

const payerCount = 8;
const purchasesOfPayer = 12;
const disturbedMs = 90_000;
/** An order that began with the faults has this long, and so at least a minute after they are over. */
const purchaseMs = disturbedMs + 60_000;
/** The sandbox's faults, but not those after which a payer cannot pay what he ordered. */
const serviceFaults = serviceFaultNames.filter(
  (name) =>
    sandboxFaultsOf(name, new SeededRandom(1)).length > 0 &&
    !['creates change the amount', 'creates have nothing to pay by'].includes(name),
);

interface TestedDatabase {
  readonly name: string;
  readonly location: DatabaseLocation;
  /** Faults of the database. Each resolves when the database is available again. */
  readonly faults: readonly (() => Promise<void>)[];
}

function postgresOn(server: TemporaryPostgres): TestedDatabase {
  /** Ends half of the connections, at random. */
  const cut = async (): Promise<void> => {
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    const others = 'pid <> pg_backend_pid() and datname = current_database()';
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${others} and random() < 0.5`);
    await admin.end();
  };
  const suspend = async (): Promise<void> => {
    server.suspend();
    await delay(2000);
    server.resume();
  };
  const restarts = (['SIGINT', 'SIGQUIT'] as const).map((signal) => () => server.restart(signal, 300));
  return {
    name: 'PostgreSQL',
    location: { dataDir: '', databaseUrl: server.url },
    faults: [cut, cut, cut, cut, suspend, ...restarts],
  };
}

const embedded = await embeddedDatabases();
const server = await startPostgres();
const databases: readonly TestedDatabase[] = [
  { name: embedded.name, location: await embedded.fresh(), faults: [] },
  ...(server === undefined ? [] : [postgresOn(server)]),
];
const { program, folder } = await buildShopProgram();
after(async () => {
  await server?.stop();
  await embedded.end();
  rmSync(folder, { recursive: true });
});

/** Creates the checkout of an order. It is tried again when the connection to the database is cut. */
async function createCheckout(run: ShopRun, orderId: string): Promise<string> {
  for (;;)
    try {
      return (await run.createCheckout(orderId)).capability;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
}

/** A payer opens a checkout, creates an invoice until one is shown, pays it, and waits until the page says so. */
async function buy(run: ShopRun, orderId: string, events: SimulationEvent[]): Promise<void> {
  const capability = await createCheckout(run, orderId);
  events.push({ kind: 'order', at: run.now(), orderId, amount: '1500.00' });
  let key = randomUUID();
  let invoiceId: string | undefined;
  await until(
    `${orderId} has an invoice`,
    async () => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      const body = JSON.stringify({ payment_method_id: 'pm_card' });
      const response = await run.send(capability, '/invoice', { method: 'POST', headers, body });
      invoiceId = response?.checkout?.invoice?.id;
      // The service has refused the create of this key.
      if (response !== undefined && response.status >= 400 && response.status < 500) key = randomUUID();
      if (invoiceId === undefined) await delay(100);
      return invoiceId !== undefined;
    },
    purchaseMs,
  );
  const paidId = invoiceId ?? assert.fail();
  await run.control('POST', `invoices/${paidId}/pay`);
  events.push({ kind: 'bank', at: run.now(), invoiceId: paidId, status: 'PAID' });
  await until(
    `${orderId} is paid`,
    async () => {
      await delay(50);
      return (await run.send(capability))?.checkout?.status === 'paid';
    },
    purchaseMs,
  );
}

/** Breaks something every half second until `isOver` or for `disturbedMs`, and then ends all faults. Resolves with how often each was done. */
async function disturb(run: ShopRun, random: SeededRandom, faults: TestedDatabase['faults'], isOver: () => boolean) {
  const counts = { kills: 0, databaseFaults: 0, serviceFaults: 0 };
  const end = performance.now() + disturbedMs;
  while (!isOver() && performance.now() < end) {
    await delay(random.int(200, 800));
    const kind = random.pick(['kill', 'database', 'service'] as const);
    if (kind === 'kill') {
      run.shops[random.int(0, run.shops.length - 1)]?.kill();
      counts.kills += 1;
    } else if (kind === 'service') {
      await run.control('DELETE', 'faults');
      const name = serviceFaults[random.int(0, serviceFaults.length - 1)] ?? assert.fail();
      await run.control('PUT', 'faults', sandboxFaultsOf(name, random));
      counts.serviceFaults += 1;
    } else if (faults.length > 0) {
      await faults[random.int(0, faults.length - 1)]?.();
      counts.databaseFaults += 1;
    }
  }
  await run.control('DELETE', 'faults');
  return counts;
}

async function runCampaign({ location, faults }: TestedDatabase, seed: number) {
  const run = await startShopRun(program, location, 2, null);
  const events: SimulationEvent[] = [];
  try {
    let openPayers = payerCount;
    const payers = Array.from({ length: payerCount }, async (_, payer) => {
      try {
        for (let number = 1; number <= purchasesOfPayer; number += 1)
          await buy(run, `order-${payer}-${number}`, events);
      } finally {
        openPayers -= 1;
      }
    });
    const disturbance = disturb(run, new SeededRandom(seed), faults, () => openPayers === 0);
    const purchases = await Promise.allSettled(payers);
    const counts = await disturbance;
    for (const purchase of purchases) if (purchase.status === 'rejected') throw purchase.reason;
    await until(
      'each order has its outcome',
      () =>
        new Set(run.readOutcomes().flatMap(({ kind, orderId }) => (kind === 'paid' ? [orderId] : []))).size ===
        payerCount * purchasesOfPayer,
      60_000,
    );
    for (const { id, external_id, amount, created_at, expires_at, metadata } of await run.listInvoices())
      events.push({
        kind: 'invoice',
        at: Date.parse(created_at),
        invoiceId: id,
        orderId: metadata.order_id,
        externalId: external_id,
        amount,
        expiresAt: Date.parse(expires_at),
      });
    for (const outcome of run.readOutcomes()) events.push({ kind: 'outcome', at: run.now(), outcome, isApplied: true });
    const crashes = run.shops.reduce((sum, { crashCount }) => sum + crashCount, 0);
    return { counts, crashes, violations: checkHistory(events) };
  } finally {
    await run.stop();
  }
}

for (const database of databases)
  test(`random kills and faults lose no payment on ${database.name}`, async (t) => {
    const seed = Number(process.env['CAMPAIGN_SEED'] ?? Math.floor(Math.random() * 1e6));
    t.diagnostic(`CAMPAIGN_SEED=${seed}`);
    const { counts, crashes, violations } = await runCampaign(database, seed);
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual({ crashes, violations }, { crashes: 0, violations: [] }, `CAMPAIGN_SEED=${seed}`);
    assert.ok(counts.kills > 0, 'no process was killed');
  });

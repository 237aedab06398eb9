import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { after, describe, test } from 'node:test';
import { build } from 'vite';
import { z } from 'zod';
import { checkout as checkoutSchema, type Checkout } from '../../src/checkout-api.ts';
import { createCheckoutServer, createInvoiceServiceClient } from '../../src/server.ts';
import { invoicesOf } from '../../src/server/domain/select-invoice-attempt.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { createSandbox } from '../../src/tools/sandbox/create-sandbox.ts';
import { openDatabase } from '../support/open-database.ts';
import { until } from '../support/wait-until.ts';
import { allDatabases, type DatabaseSystem } from './databases.ts';
import { createFastClock, killPoints, type Kill } from './killed-process/kill-points.ts';
import { ShopProcess } from './killed-process/shop-process.ts';

// A process of the shop is killed as by `kill -9`, in the middle of one purchase. Random faults and kills, with the same rules,
// are in test/simulator.

const token = 'token-of-the-shop';
const systems = await allDatabases();
mkdirSync('.tmp', { recursive: true });
const folder = mkdtempSync(resolve('.tmp/killed-'));
after(async () => {
  for (const system of systems) await system.end();
  rmSync(folder, { recursive: true });
});

// One file starts about six times as fast as the sources.
await build({
  configFile: false,
  logLevel: 'warn',
  build: {
    ssr: resolve('test/stores/killed-process/shop-program.ts'),
    outDir: folder,
    emptyOutDir: false,
    minify: false,
    target: 'node20',
  },
  ssr: { noExternal: true, external: ['libsql', 'pg'] },
});
const program = join(folder, 'shop-program.js');

const outcomeLine = z.object({ id: z.string(), kind: z.string(), orderId: z.string() });
const invoiceList = z.object({ invoices: z.array(z.object({ id: z.string(), status: z.string() })) });

/** Runs one purchase in a shop of some processes, each of which is killed when it first reaches the point. */
async function buy(system: DatabaseSystem, processCount: number, kill: Kill) {
  const epoch = Date.now();
  const database = await system.fresh();
  const sandbox = createSandbox({ token, clock: createFastClock(epoch), repeatedExternalId: 'same' });
  const { url: serviceUrl } = await sandbox.listen({ port: 0, host: '127.0.0.1' });
  const ownDatabase = await openDatabase(database, checkoutMigrations);
  const store = createSqlStore(ownDatabase);
  const outcomeFile = join(folder, randomUUID());
  const settings = { epoch, database, serviceUrl, token, outcomeFile, kill };
  const shops = Array.from({ length: processCount }, () => new ShopProcess(program, settings));
  // A line that is still being written has no end yet.
  const readOutcomes = () =>
    (existsSync(outcomeFile) ? readFileSync(outcomeFile, 'utf8') : '')
      .split('\n')
      .slice(0, -1)
      .map((line) => outcomeLine.parse(JSON.parse(line)));
  try {
    await Promise.all(shops.map((shop) => shop.start()));
    const { id, capability } = await createCheckoutServer({
      service: createInvoiceServiceClient({ baseUrl: serviceUrl, token }),
      store,
      endpoint: 'http://127.0.0.1/checkout',
      mode: 'TEST',
      onOutcome: () => Promise.resolve(),
      log: () => undefined,
    }).create({ orderId: 'order-1', amount: '1500.00', currency: 'RUB' });
    const shownInvoices = new Set<string>();
    let number = 0;
    /** Sends a request to the processes in turn. Undefined when no response comes. */
    const send = async (path: string, init: RequestInit = {}): Promise<Checkout | undefined> => {
      const { endpoint } = shops[(number += 1) % shops.length] ?? assert.fail();
      try {
        const response = await fetch(`${endpoint ?? 'http://127.0.0.1:1'}/${capability}${path}`, init);
        const checkout = checkoutSchema.parse(await response.json());
        if (checkout.invoice !== null) shownInvoices.add(checkout.invoice.id);
        return checkout;
      } catch {
        await delay(50); // the process is being restarted
        return undefined;
      }
    };
    const repeat = async (name: string, isDone: (checkout: Checkout) => boolean, path = '', init: RequestInit = {}) =>
      until(
        name,
        async () => {
          const checkout = await send(path, init);
          return checkout !== undefined && isDone(checkout);
        },
        60_000,
      );
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    const create = { method: 'POST', headers, body: JSON.stringify({ payment_method_id: 'pm_card' }) };
    await repeat('the invoice is shown', ({ invoice }) => invoice !== null, '/invoice', create);
    const [invoiceId = assert.fail()] = shownInvoices;
    await sandbox.fetch(new Request(`${serviceUrl}/sandbox/invoices/${invoiceId}/pay`, { method: 'POST' }));
    await repeat('the payment is shown', ({ status }) => status === 'paid');
    await until('the outcome is received', () => readOutcomes().length > 0, 60_000);
    await until('a process is killed', () => shops.some(({ killedAt }) => killedAt !== undefined), 60_000);
    await until('a killed process runs again', () => shops.every(({ endpoint }) => endpoint !== undefined), 60_000);
    const ids = new Set(readOutcomes().map((outcome) => outcome.id));
    const listed = await sandbox.fetch(new Request(`${serviceUrl}/sandbox/invoices`));
    return {
      killedAt: shops.flatMap(({ killedAt }) => killedAt ?? []),
      shown: [...shownInvoices],
      stored: invoicesOf((await store.load(id)) ?? assert.fail()).map(({ invoice }) => invoice.id),
      created: invoiceList.parse(await listed.json()).invoices.map((invoice) => invoice.id),
      kinds: readOutcomes().map(({ kind }) => kind),
      outcomeCount: ids.size,
    };
  } finally {
    for (const shop of shops) await shop.stop();
    await ownDatabase.close();
    await sandbox.close();
  }
}

for (const system of systems)
  for (const processCount of [1, 2])
    describe(`a purchase on ${system.name} with ${processCount} processes`, { concurrency: 3 }, () => {
      for (const point of killPoints)
        test(`has one invoice and one paid outcome when a process is killed at the point: ${point}`, async () => {
          const { killedAt, shown, stored, created, kinds, outcomeCount } = await buy(system, processCount, { point });
          assert.equal(shown.length, 1);
          assert.deepEqual([stored, created], [shown, shown]);
          assert.deepEqual([new Set(kinds), outcomeCount], [new Set(['paid']), 1]);
          assert.ok(killedAt.includes(point), 'no process reached the point');
        });
    });

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import type { Checkout } from '../../src/checkout-api.ts';
import { invoicesOf } from '../../src/server/domain/checkout-status.ts';
import { until } from '../support/wait-until.ts';
import { databasesOfFile, type DatabaseSystem } from './databases.ts';
import { killPoints, type Kill } from './killed-process/kill-points.ts';
import { buildShopProgram, startShopRun } from './killed-process/start-shop.ts';

// A process of the shop is killed as by `kill -9`, in the middle of one purchase. Random faults and kills are in
// fault-campaign.slow.test.ts and, with simulated parts, in test/simulator.

const systems = await databasesOfFile();
const { program, folder } = await buildShopProgram();
after(() => rmSync(folder, { recursive: true }));

/** Runs one purchase in a shop of some processes, each of which is killed when it first reaches the point. */
async function buy(system: DatabaseSystem, processCount: number, kill: Kill) {
  const run = await startShopRun(program, await system.fresh(), processCount, kill);
  const { shops, readOutcomes } = run;
  try {
    const { id, capability } = await run.createCheckout('order-1');
    const shownInvoices = new Set<string>();
    const repeat = async (name: string, isDone: (checkout: Checkout) => boolean, path?: string, init?: RequestInit) =>
      until(
        name,
        async () => {
          const checkout = (await run.send(capability, path, init))?.checkout;
          if (checkout?.invoice) shownInvoices.add(checkout.invoice.id);
          return checkout !== undefined && isDone(checkout);
        },
        60_000,
      );
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    const create = { method: 'POST', headers, body: JSON.stringify({ payment_method_id: 'pm_card' }) };
    await repeat('the invoice is shown', ({ invoice }) => invoice !== null, '/invoice', create);
    const [invoiceId = assert.fail()] = shownInvoices;
    await run.control('POST', `invoices/${invoiceId}/pay`);
    await repeat('the payment is shown', ({ status }) => status === 'paid');
    await until('the outcome is received', () => readOutcomes().length > 0, 60_000);
    await until('a process is killed', () => shops.some(({ killedAt }) => killedAt !== undefined), 60_000);
    await until('a killed process runs again', () => shops.every(({ endpoint }) => endpoint !== undefined), 60_000);
    return {
      killedAt: shops.flatMap(({ killedAt }) => killedAt ?? []),
      shown: [...shownInvoices],
      stored: invoicesOf((await run.store.load(id)) ?? assert.fail()).map(({ invoice }) => invoice.id),
      created: (await run.listInvoices()).map((invoice) => invoice.id),
      kinds: readOutcomes().map(({ kind }) => kind),
      outcomeCount: new Set(readOutcomes().map((outcome) => outcome.id)).size,
    };
  } finally {
    await run.stop();
  }
}

// Two processes on SQLite, as in a rolling restart, are in fault-campaign.slow.test.ts.
for (const system of systems)
  for (const processCount of system.name === 'PostgreSQL' ? [1, 2] : [1])
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

import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createSandbox } from '../../src/tools/sandbox/create-sandbox.ts';
import { allDatabases } from '../stores/databases.ts';
import type { DatabaseLocation } from '../support/open-database.ts';
import { until } from '../support/wait-until.ts';
import { Buyer } from '../support/buyer.ts';
import { startServerProcess } from '../support/server-processes.ts';

// The wall clock of the running shop's process is set between an invoice and its payment; the service and the database have
// clocks of their own.

const token = 'clock-steps-token';
const hourMs = 3_600_000;
const databaseKinds = await allDatabases();
after(async () => {
  for (const kind of databaseKinds) await kind.end();
});

async function startShop(t: TestContext, { dataDir, databaseUrl }: DatabaseLocation) {
  const sandbox = createSandbox({ token });
  t.after(() => sandbox.close());
  const { url: service } = await sandbox.listen({ port: 0, host: '127.0.0.1' });
  const preload = new URL('../support/stepping-clock-preload.ts', import.meta.url).href;
  const environment = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, INVOICE_ACCESS_TOKEN: token };
  const { url, child, errors } = await startServerProcess(t, service, environment, preload);
  return { url, sandbox: service, errors, stepClock: (ms: number) => child.send(ms) };
}

for (const kind of databaseKinds)
  test(`on ${kind.name} every payment arrives although the clock is set an hour and a day back and forward`, async (t) => {
    const shop = await startShop(t, await kind.fresh());
    for (const ms of [-hourMs, hourMs, 24 * hourMs, -24 * hourMs]) {
      const earlierBuyer = new Buyer(shop);
      await earlierBuyer.order();
      const { invoice } = await earlierBuyer.createInvoice();
      assert.ok(invoice);
      const logLength = shop.errors().length;
      shop.stepClock(ms);

      const laterBuyer = new Buyer(shop);
      await laterBuyer.order();
      const { invoice: laterInvoice } = await laterBuyer.createInvoice();
      assert.ok(laterInvoice);
      assert.ok((laterInvoice.expires_in_ms ?? 0) > 10 * 60_000, 'a new invoice has its full lifetime');
      for (const [buyer, { id }] of [
        [earlierBuyer, invoice],
        [laterBuyer, laterInvoice],
      ] as const) {
        await buyer.simulate(id, 'pay');
        const startedAt = performance.now();
        await buyer.waitFor('paid', 60_000);
        await until('the outcome is delivered', async () => (await buyer.readDelivered()).includes('paid'), 60_000);
        t.diagnostic(
          `${ms / hourMs} h: the order was paid ${Math.round(performance.now() - startedAt)} ms after the payment`,
        );
      }
      // With PostgreSQL the stored times are the database's, and the process's clock does not matter.
      if (kind.name !== 'the embedded database') continue;
      await until('the step is logged', () => shop.errors().slice(logLength).includes('clock_jumped'), 30_000);
      await delay(4000); // the shop adopts a step forward after 2.5 s
    }
  });

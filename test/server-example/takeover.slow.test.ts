import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, test, type TestContext } from 'node:test';
import { createSandbox } from '../../src/sandbox/create-sandbox.ts';
import type { DatabaseLocation } from '../support/open-database.ts';
import { Buyer } from './buyer.ts';
import { startShopProcess } from './shop-processes.ts';
import { allDatabases } from '../stores/databases.ts';
import { until } from '../support/wait-until.ts';

// Two processes of the shop on one database. One is killed in the middle of a call to the service, and the other completes the
// work. The time that this takes is reported and not asserted, because it depends on the machine.

const token = 'takeover-token';
const databaseKinds = await allDatabases();
after(async () => {
  for (const kind of databaseKinds) await kind.end();
});

/** Opens a proxy between a process and the service. `hangNext` makes the proxy never answer the next call of an operation. */
async function openGate(t: TestContext, service: string) {
  let hangingOperation: string | undefined;
  let onHang = (): void => undefined;
  const calls: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { url = '', method = 'GET', headers } = request;
      const body = await text(request);
      calls.push(`${url} ${body}`);
      if (hangingOperation !== undefined && url.endsWith(`/${hangingOperation}`)) {
        hangingOperation = undefined;
        onHang();
        return;
      }
      const { authorization = '' } = headers;
      const serviceResponse = await fetch(`${service}${url}`, {
        method,
        body,
        headers: { authorization, 'content-type': 'application/json' },
      });
      response
        .writeHead(serviceResponse.status, { 'content-type': 'application/json' })
        .end(await serviceResponse.text());
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    /** Resolves when the process waits for a response that never comes. */
    hangNext: (operation: string) =>
      new Promise<void>((resolve) => {
        hangingOperation = operation;
        onHang = resolve;
      }),
  };
}

function startShop(t: TestContext, { dataDir, databaseUrl }: DatabaseLocation, service: string) {
  const environment = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, INVOICE_ACCESS_TOKEN: token };
  return startShopProcess(t, service, environment);
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Starts the service and two processes, each with its own proxy to the service. */
async function startTwoShops(t: TestContext, database: DatabaseLocation) {
  const sandbox = createSandbox({ token });
  t.after(() => sandbox.close());
  const { url } = await sandbox.listen({ port: 0, host: '127.0.0.1' });
  const gates = { first: await openGate(t, url), other: await openGate(t, url) };
  const first = await startShop(t, database, gates.first.url); // one after the other, because the first start creates the tables
  const other = await startShop(t, database, gates.other.url);
  const buyer = new Buyer({ url: first.url, sandbox: url });
  await buyer.order();
  return { gates, first, buyer, buyerAtOther: new Buyer({ url: other.url, sandbox: url }, buyer) };
}

async function measureSeconds(work: Promise<unknown>): Promise<string> {
  const start = performance.now();
  await work;
  return `${((performance.now() - start) / 1000).toFixed(2)} s`;
}

for (const kind of databaseKinds) {
  test(`on ${kind.name} a create of a killed process is completed by the other process`, async (t) => {
    const { gates, first, buyer, buyerAtOther } = await startTwoShops(t, await kind.fresh());
    const hanging = gates.first.hangNext('CreateInvoice');
    const createEnded = buyer.createInvoice('pm_sbp', randomUUID()).catch(() => undefined);
    await hanging;
    await kill(first.child);
    await createEnded;
    const hasInvoice = async (): Promise<boolean> => (await buyerAtOther.readCheckout()).invoice !== null;
    const invoiceShown = until('the payer has an invoice', hasInvoice, 60_000);
    t.diagnostic(`the payer had the invoice ${await measureSeconds(invoiceShown)} after the kill`);
    const externalIds = [...gates.first.calls, ...gates.other.calls]
      .filter((call) => call.includes('CreateInvoice'))
      .map((call) => /"external_id":"([^"]+)"/.exec(call)?.[1]);
    assert.equal(externalIds.length, 2);
    assert.equal(new Set(externalIds).size, 1, 'the repeat has the same external_id');
  });

  test(`on ${kind.name} an invoice that was being fetched by a killed process is fetched by the other process`, async (t) => {
    const { gates, first, buyer, buyerAtOther } = await startTwoShops(t, await kind.fresh());
    const { invoice } = await buyer.createInvoice();
    assert.ok(invoice);
    const hanging = gates.first.hangNext('FetchInvoices');
    // Either process may fetch the invoice; it becomes due again until the first one has claimed it.
    const longPollEnded = buyer.waitFor('paid', 60_000).catch(() => undefined);
    await hanging;
    await buyer.simulate(invoice.id, 'pay');
    await kill(first.child);
    t.diagnostic(`the payment was known ${await measureSeconds(buyerAtOther.waitFor('paid', 60_000))} after the kill`);
    const isPaid = async (): Promise<boolean> => (await buyerAtOther.readOrder()).status === 'paid';
    await until('the order is paid', isPaid, 60_000);
    await longPollEnded;
  });
}

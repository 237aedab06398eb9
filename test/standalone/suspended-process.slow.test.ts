import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer as createTcpServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test, type TestContext } from 'node:test';
import { Client } from 'pg';
import { createSandbox } from '../../src/tools/sandbox/create-sandbox.ts';
import { postgresDatabases } from '../stores/databases.ts';
import { until } from '../support/wait-until.ts';
import { Buyer } from '../support/buyer.ts';
import { startServerProcess } from '../support/server-processes.ts';

// Two processes of the server on one PostgreSQL. One is suspended for longer than its lease, the other takes over its work,
// and then the first process resumes and tries to write its result.

const token = 'suspended-process-token';
const databases = await postgresDatabases();
after(() => databases?.end());

async function listenOnLoopback(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : assert.fail();
}

interface GateResponse {
  readonly status: number;
  readonly body: string;
}

const refusal: GateResponse = { status: 400, body: '{"code":"invalid_argument","message":"too late"}' };

/**
 * A proxy between one process and the service. While `holds` is true, the responses to CreateInvoice wait in `held`; otherwise
 * they are forwarded, or replaced by a refusal while `refuses` is true.
 */
async function openServiceGate(t: TestContext, service: string) {
  const gate = {
    url: '',
    holds: true,
    refuses: false,
    externalIds: new Array<unknown>(),
    held: new Array<(reply?: GateResponse) => void>(),
  };
  const server = createHttpServer((request, response) => {
    void (async () => {
      const { url = '', method = 'GET', headers } = request;
      const body = await text(request);
      const serviceResponse = await fetch(`${service}${url}`, {
        method,
        body,
        headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
      });
      let reply: GateResponse = { status: serviceResponse.status, body: await serviceResponse.text() };
      if (url.endsWith('/CreateInvoice')) {
        gate.externalIds.push((JSON.parse(body) as { external_id: unknown }).external_id);
        if (gate.holds) reply = (await new Promise<GateResponse | undefined>((send) => gate.held.push(send))) ?? reply;
        else if (gate.refuses) reply = refusal;
      }
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
    })().catch(() => response.destroy());
  });
  t.after(() => server.closeAllConnections());
  gate.url = `http://127.0.0.1:${await listenOnLoopback(t, server)}`;
  return gate;
}

/** A proxy between one process and the database: the next commit after `holdCommit` waits until it is forwarded. */
async function openDatabaseGate(t: TestContext, databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  let onHeld: ((forward: () => void) => void) | undefined;
  const server = createTcpServer((processSocket) => {
    const databaseSocket = connect(Number(port), hostname);
    processSocket.on('data', (chunk) => {
      const forward = (): void => void databaseSocket.write(chunk);
      if (onHeld === undefined || !chunk.includes('commit')) {
        forward();
        return;
      }
      onHeld(forward);
      onHeld = undefined;
    });
    databaseSocket.pipe(processSocket);
    for (const [socket, oppositeSocket] of [
      [processSocket, databaseSocket],
      [databaseSocket, processSocket],
    ] as const)
      socket.on('error', () => undefined).once('close', () => oppositeSocket.destroy());
    t.after(() => processSocket.destroy());
  });
  const url = new URL(databaseUrl);
  url.port = String(await listenOnLoopback(t, server));
  return { url: url.href, holdCommit: () => new Promise<() => void>((resolve) => (onHeld = resolve)) };
}

async function openShops(t: TestContext) {
  const { databaseUrl } = (await databases?.fresh()) ?? assert.fail();
  assert.ok(databaseUrl !== undefined);
  const sandbox = createSandbox({ token });
  t.after(() => sandbox.close());
  const { url } = await sandbox.listen({ port: 0, host: '127.0.0.1' });
  const database = await openDatabaseGate(t, databaseUrl);
  const services = { first: await openServiceGate(t, url), second: await openServiceGate(t, url) };
  const start = (service: string, databaseUrlOfProcess: string) =>
    startServerProcess(t, service, { DATABASE_URL: databaseUrlOfProcess, INVOICE_ACCESS_TOKEN: token });
  const first = await start(services.first.url, database.url);
  const buyer = new Buyer({ url: first.url, sandbox: url });
  await buyer.order();
  const admin = new Client({ connectionString: databaseUrl });
  await admin.connect();
  t.after(() => admin.end());
  return {
    first,
    buyer,
    services,
    database,
    /** Starts the other process. */
    startSecond: async () => {
      const second = await start(services.second.url, databaseUrl);
      return { ...second, buyer: new Buyer({ url: second.url, sandbox: url }, buyer) };
    },
    select: async (query: string) => (await admin.query<Record<string, unknown>>(query)).rows,
  };
}

/** Suspends the process; the returned function resumes it. */
function suspend({ pid }: ChildProcess): () => void {
  assert.ok(pid !== undefined);
  process.kill(pid, 'SIGSTOP');
  return () => void process.kill(pid, 'SIGCONT');
}

/** Waits until the payer sees the payment; a process that waits for the database may answer 503 meanwhile. */
function waitUntilPaid(buyer: Buyer): Promise<void> {
  const isPaid = async (): Promise<boolean> => (await buyer.readCheckout().catch(() => undefined))?.status === 'paid';
  return until('the checkout is paid', isPaid, 60_000);
}

const attemptQuery = `select state, call_count, invoice_id is not null as has_invoice
  from pay_invoice.attempts join pay_invoice.schedules on attempt_id = external_id`;
const outcomeQuery = 'select kind from pay_invoice.outcomes';

if (databases !== undefined) {
  test('a process that was suspended during a create for longer than its lease does not overwrite the create that another process repeats', async (t) => {
    const { first, buyer, services, startSecond, select } = await openShops(t);
    const createResponse = fetch(`${first.url}/checkout/${buyer.checkoutId}/invoice`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      body: '{"payment_method_id":"pm_sbp"}',
    });
    await until('the first process calls the service', () => services.first.held.length === 1);
    const resume = suspend(first.child);
    const second = await startSecond();
    await until('the second process repeats the call', () => services.second.held.length === 1, 30_000);

    const stateAfterRepeat = await select(attemptQuery);
    assert.deepEqual(stateAfterRepeat, [{ state: 'in_doubt', call_count: 2, has_invoice: false }]);

    // The first process continues and receives a refusal. Repeats are refused too: its client may repeat a call that timed out.
    Object.assign(services.first, { holds: false, refuses: true });
    services.first.held[0]?.(refusal);
    resume();
    assert.equal((await createResponse).status, 202, 'its payer has to wait for the other process');
    assert.deepEqual(await select(attemptQuery), stateAfterRepeat, 'the late refusal is not written');

    services.second.holds = false;
    services.second.held[0]?.();
    const readInvoice = async () => (await second.buyer.readCheckout()).invoice;
    await until('the payer has an invoice', async () => (await readInvoice()) !== null);
    const invoice = (await readInvoice()) ?? assert.fail();
    assert.deepEqual(await select(attemptQuery), [{ state: 'live', call_count: 2, has_invoice: true }]);
    const externalIds = new Set([...services.first.externalIds, ...services.second.externalIds]);
    assert.equal(externalIds.size, 1, 'both processes requested the same invoice');

    await buyer.simulate(invoice.id, 'pay');
    for (const payer of [buyer, second.buyer]) await waitUntilPaid(payer);
    await until('the outcome is delivered', async () => (await second.buyer.readDelivered()).includes('paid'), 30_000);
    assert.deepEqual(await select(outcomeQuery), [{ kind: 'paid' }]);
    assert.equal(first.child.exitCode, null);
  });

  test('a process that was suspended before the commit of a payment does not save the payment again after another process has saved it', async (t) => {
    const { first, buyer, services, database, startSecond, select } = await openShops(t);
    services.first.holds = false;
    const invoice = (await buyer.createInvoice()).invoice ?? assert.fail('the payer has an invoice');
    const heldCommit = database.holdCommit();
    await buyer.simulate(invoice.id, 'pay');
    const forwardCommit = await heldCommit;
    const resume = suspend(first.child);

    const second = await startSecond();
    await waitUntilPaid(second.buyer);
    await until('the outcome is delivered', async () => (await second.buyer.readDelivered()).includes('paid'), 30_000);
    const undeliveredQuery = 'select id from pay_invoice.outcomes where delivered_at is null';
    await until('the outcome is delivered', async () => (await select(undeliveredQuery)).length === 0, 30_000);
    const checkoutQuery = `select version, paid_at, (select json_agg(o) from pay_invoice.outcomes o) as outcomes
      from pay_invoice.checkouts`;
    const savedRows = await select(checkoutQuery);

    resume();
    forwardCommit();
    await waitUntilPaid(buyer);
    await until(
      'the first process answers requests again',
      async () => (await buyer.readDelivered()).includes('paid'),
      30_000,
    );
    assert.deepEqual(await select(checkoutQuery), savedRows, 'nothing is written again');
    assert.deepEqual(await select(outcomeQuery), [{ kind: 'paid' }]);
    assert.equal(first.child.exitCode, null);
  });
}

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import { startPostgres } from '../../scripts/with-postgres.ts';
import { checkout as checkoutSchema } from '../../src/checkout-api.ts';
import { runningTime } from '../support/stall-meter.ts';
import { until } from '../support/wait-until.ts';
import { adminToken } from '../support/buyer.ts';
import { startServerProcess, startSlowService } from '../support/server-processes.ts';

// Two processes on one PostgreSQL, with twelve payers who buy all the time, while the database is restarted, loses its
// connections or is suspended. No process ends, no request waits for the whole outage, and each order is paid once. That no
// request waits longer than 5 s is asserted with a fake clock in test/server/http/store-outage.test.ts and
// test/stores/postgres-outage.test.ts.

const payerCount = 12;
/** Longer than the limits below, so that a request that waits until the database resumes exceeds its limit. */
const suspendedMs = 12_000;
/** A request waits 5 s at most; the machine may be twice as slow. */
const longestRequestMs = 10_000;
/** `/readyz` answers within 2 s, on the same machine. */
const longestReadyzMs = 4000;
/** The longest time from the end of an outage to the next payment: 5 s, a poll of the service, and the payer's requests. */
const longestPauseMs = 20_000;
const rounds = Number(process.env['OUTAGE_ROUNDS'] ?? '3');

const postgres = await startPostgres();
after(async () => {
  postgres?.resume();
  await postgres?.stop();
});

const createdSchema = z.object({ id: z.string(), capability: z.string() });

interface Traffic {
  isOver: boolean;
  /** True when the test has ended: payers then stop without finishing. */
  isAbandoned: boolean;
  /** The longest time of each kind of request, by method, path and status. */
  readonly slowest: Map<string, number>;
  readonly statuses: Map<number, number>;
  readonly paidCheckouts: string[];
  /** Requests without a response, with the reason. */
  readonly failedRequests: string[];
}

interface Payer {
  readonly traffic: Traffic;
  /** For the message of a test that fails. */
  lastRequest: string;
}

/** Returns why a request has no response: the error of the connection. */
function getReason(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
}

/** Sends one request, and records its time and status. Resolves with undefined when there is no response. */
async function send(payer: Payer, url: string, init: RequestInit = {}): Promise<Response | undefined> {
  const { traffic } = payer;
  if (traffic.isAbandoned) throw new Error('the test is over');
  const start = runningTime();
  let status = 0;
  try {
    const response = await fetch(url, init);
    status = response.status;
    traffic.statuses.set(status, (traffic.statuses.get(status) ?? 0) + 1);
    return response;
  } catch (error) {
    traffic.failedRequests.push(`${url}: ${getReason(error)}`);
    return undefined;
  } finally {
    const request = `${init.method ?? 'GET'} ${new URL(url).pathname}`;
    const requestKind = `${request.replace(/(chk|co|inv)_[\w-]+/, '$1')} ${status}`;
    payer.lastRequest = `${request} ${status}`;
    traffic.slowest.set(
      requestKind,
      Math.max(traffic.slowest.get(requestKind) ?? 0, Math.round(runningTime() - start)),
    );
  }
}

/** Repeats a request until its response has one of the statuses. */
async function sendUntil(payer: Payer, url: string, init: RequestInit, statuses: readonly number[]): Promise<unknown> {
  for (;;) {
    const response = await send(payer, url, init);
    const body: unknown = await response?.json().catch(() => undefined);
    if (response !== undefined && statuses.includes(response.status)) return body;
    await delay(200 + Math.random() * 200);
  }
}

/** Repeatedly places an order, pays it and waits until its checkout is paid, with the two processes in turn. */
async function buyRepeatedly(payer: Payer, shops: readonly string[], sandbox: string): Promise<void> {
  const { traffic } = payer;
  const json = { 'content-type': 'application/json' };
  for (let count = 0; !traffic.isOver; count += 1) {
    const shop = shops[count % shops.length] ?? '';
    const body = { order_id: randomUUID(), amount: '1500.00', currency: 'RUB' };
    const authorization = `Bearer ${adminToken}`;
    const order = createdSchema.parse(
      await sendUntil(
        payer,
        `${shop}/admin/checkouts`,
        { method: 'POST', headers: { ...json, authorization }, body: JSON.stringify(body) },
        [200, 201],
      ),
    );
    const checkout = `${shop}/checkout/${order.capability}`;
    const init = {
      method: 'POST',
      headers: { ...json, 'idempotency-key': randomUUID() },
      body: JSON.stringify({ payment_method_id: 'pm_sbp' }),
    };
    const { invoice } = checkoutSchema.parse(await sendUntil(payer, `${checkout}/invoice`, init, [200, 201]));
    assert.ok(invoice);
    await sendUntil(payer, `${sandbox}/sandbox/invoices/${invoice.id}/pay`, { method: 'POST' }, [200]);
    let etag = '';
    for (;;) {
      const response = await send(payer, checkout, { headers: etag === '' ? {} : { 'if-none-match': etag } });
      etag = response?.headers.get('etag') ?? etag;
      if (response?.status === 200 && checkoutSchema.parse(await response.json()).status === 'paid') break;
      await response?.arrayBuffer().catch(() => undefined);
      await delay(300);
    }
    traffic.paidCheckouts.push(order.id);
  }
}

test(
  'two processes survive restarts, lost connections and a suspended database under load',
  { skip: postgres === undefined },
  async (t) => {
    assert.ok(postgres);
    const service = await startSlowService(t, 50);
    const environment = { DATABASE_URL: postgres.url, TRUST_PROXY: '0' };
    const processes = [
      await startServerProcess(t, service.url, environment),
      await startServerProcess(t, service.url, environment),
    ];
    const shops = processes.map(({ url }) => url);
    const traffic: Traffic = {
      isOver: false,
      isAbandoned: false,
      slowest: new Map(),
      statuses: new Map(),
      paidCheckouts: [],
      failedRequests: [],
    };
    t.after(() => (traffic.isAbandoned = true));
    const buyers = Array.from({ length: payerCount }, (): Payer => ({ traffic, lastRequest: 'none' }));
    const purchases = Promise.all(buyers.map((buyer) => buyRepeatedly(buyer, shops, service.sandbox)));
    purchases.catch(() => undefined); // awaited at the end, unless the test fails before
    const isReady = async (shop: string): Promise<boolean> => {
      try {
        return (await fetch(`${shop}/readyz`)).status === 200;
      } catch (error) {
        traffic.failedRequests.push(`${shop}/readyz: ${getReason(error)}`);
        return false;
      }
    };
    const waitFor = async (what: string, condition: () => boolean | Promise<boolean>, ms: number): Promise<void> => {
      try {
        await until(what, condition, ms);
      } catch (error) {
        for (const { lastRequest } of buyers) t.diagnostic(`a payer's last request: ${lastRequest}`);
        for (const { child, errors } of processes)
          t.diagnostic(`exit ${String(child.exitCode)}: ${errors().slice(-5000)}`);
        t.diagnostic(`without a response: ${traffic.failedRequests.join(', ')}`);
        throw error;
      }
    };
    const waitForNextPayment = (paidBefore: number): Promise<void> =>
      waitFor('a checkout is paid', () => traffic.paidCheckouts.length > paidBefore, longestPauseMs);

    const terminateBackends = async (): Promise<void> => {
      const admin = new Client({ connectionString: postgres.url });
      await admin.connect();
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()');
      await admin.end();
    };
    const suspend = async (): Promise<void> => {
      postgres.suspend();
      await delay(500);
      const start = runningTime();
      const [first, second] = await Promise.all(shops.map((shop) => isReady(shop)));
      assert.deepEqual([first, second], [false, false], 'not ready while the database is suspended');
      const readyzMs = runningTime() - start;
      assert.ok(readyzMs < longestReadyzMs, `readyz took ${readyzMs} ms`);
      await delay(suspendedMs - readyzMs);
      postgres.resume();
    };
    const faults: readonly (readonly [string, () => Promise<void>])[] = [
      ['a fast restart', () => postgres.restart('SIGINT', 500)],
      ['an immediate restart', () => postgres.restart('SIGQUIT', 500)],
      ['terminated backends', terminateBackends],
      ['a suspended database', suspend],
    ];
    await waitForNextPayment(0);
    for (let round = 1; round <= rounds; round += 1)
      for (const [name, causeFault] of faults) {
        await causeFault();
        const endedAt = runningTime();
        const paidBefore = traffic.paidCheckouts.length;
        for (const shop of shops) await waitFor('the shop is ready', () => isReady(shop), 10_000);
        await waitForNextPayment(paidBefore);
        t.diagnostic(`round ${round}, ${name}: a payment ${((runningTime() - endedAt) / 1000).toFixed(1)} s after it`);
        for (const { child, errors } of processes)
          assert.equal(child.exitCode, null, `${name}: ${errors().slice(-2000)}`);
        await delay(500);
      }
    traffic.isOver = true;
    await purchases;
    t.diagnostic(
      `${traffic.paidCheckouts.length} orders; slowest ${JSON.stringify(Object.fromEntries(traffic.slowest))}`,
    );
    t.diagnostic(
      `statuses ${JSON.stringify(Object.fromEntries(traffic.statuses))}; cut ${traffic.failedRequests.length}`,
    );
    assert.deepEqual(traffic.failedRequests, [], 'every request has a response');
    assert.ok(!traffic.statuses.has(500), 'no request is answered with 500');
    const slowRequests = [...traffic.slowest].filter(([, ms]) => ms > longestRequestMs);
    assert.deepEqual(slowRequests, [], 'no request waits for the whole outage');

    const admin = new Client({ connectionString: postgres.url });
    await admin.connect();
    const selectRows = async (query: string) => (await admin.query<{ n: string }>(query)).rows;
    await until(
      'all outcomes are delivered',
      async () => {
        return (await selectRows('select 1 as n from pay_invoice.outcomes where delivered_at is null')).length === 0;
      },
      30_000,
    );
    const outcomes = await selectRows(`select kind || ' ' || checkout_id as n from pay_invoice.outcomes`);
    const paid = new Set(outcomes.map(({ n }) => n));
    assert.deepEqual(
      traffic.paidCheckouts.filter((id) => !paid.has(`paid ${id}`)),
      [],
      'no payment is lost',
    );
    assert.equal(outcomes.length, traffic.paidCheckouts.length, 'no checkout is paid twice');
    await admin.end();

    postgres.suspend();
    const start = runningTime();
    const exits = processes.map(({ child }) => once(child, 'exit'));
    for (const { child } of processes) child.kill('SIGTERM');
    await Promise.all(exits);
    const seconds = (runningTime() - start) / 1000;
    t.diagnostic(`both processes ended ${seconds.toFixed(1)} s after SIGTERM with the database suspended`);
    assert.ok(seconds < 15);
  },
);

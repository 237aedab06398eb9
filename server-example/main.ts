import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { circuitBreaker, ConsecutiveBreaker, handleAll } from 'cockatiel';
import { sql } from 'kysely';
import { createCheckoutServer, createInvoiceServiceClient, createMetrics, type TextMetrics } from '../src/server.ts';
import { createApp } from './app.ts';
import type { Env } from './env.ts';
import { measureProcess, metricsRoutes } from './health.ts';
import { closeServer, isWildcard, listen, nameOf } from './listen.ts';
import { requestListener } from './requests.ts';
import { createSandbox } from '../src/sandbox/sandbox.ts';
import { createOrders, shopMigrations } from './shop/orders.ts';
import { openDatabase } from '../src/stores/open-database.ts';
import { checkoutMigrations } from '../src/stores/migrations.ts';
import { createSqlStore } from '../src/stores/sql-store.ts';

/** How long the shop waits for a client, in milliseconds. */
const patience = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  /** How often it looks who has been too slow: so much later than these two it may notice. */
  connectionsCheckingInterval: 2000,
  /** Longer than a payer's page ever waits between two polls: a connection for each would cost more than its answer. */
  keepAliveTimeout: 65_000,
};

/** A shop that listens. */
export interface RunningShop {
  readonly url: string;
  /** Where the sandbox beside it listens, or null with a real service. */
  readonly sandbox: string | null;
  /** Where metrics are served, or null when they are not. */
  readonly metrics: string | null;
  /** Ends waiting answers and what is under way, then lets go of ports and data. */
  close(): Promise<void>;
}

/** Opens the data, starts the sandbox unless a real service is named, and listens. */
export async function startShop(env: Env): Promise<RunningShop> {
  const undo: (() => Promise<unknown>)[] = [];
  let isClosing = false;
  const close = async (): Promise<void> => {
    isClosing = true;
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const database = await openDatabase(env, [...checkoutMigrations, ...shopMigrations]);
    undo.push(() => database.close());
    const sandbox = env.serviceUrl === undefined ? await startSandbox(env) : null;
    if (sandbox !== null) undo.push(() => sandbox.close());
    const isHealthy = async (): Promise<void> => {
      if (isClosing) throw new Error('the shop is closing');
      await sql`select 1`.execute(database.db);
    };
    const metrics = createMetrics();
    const metricsServer =
      env.metricsPort === undefined ? null : await startMetrics(env, env.metricsPort, metrics, isHealthy);
    if (metricsServer !== null) undo.push(() => metricsServer.close());
    const server = createServer(patience);
    const url = await listen(server, env.port, env.host);
    undo.push(() => closeServer(server));

    const orders = createOrders(database.db);
    const breaker = circuitBreaker(handleAll, { halfOpenAfter: 2000, breaker: new ConsecutiveBreaker(10) });
    const checkouts = createCheckoutServer({
      service: createInvoiceServiceClient({
        baseUrl: env.serviceUrl ?? sandbox?.serviceUrl ?? '',
        token: env.token,
        guard: (call) => breaker.execute(() => call()),
        metrics,
      }),
      store: createSqlStore(database),
      endpoint: `${env.publicUrl ?? url}/checkout`,
      mode: env.mode,
      allowedOrigins: env.allowedOrigins,
      onOutcome: (outcome) => orders.settle(outcome),
      metrics,
    });
    const trust = { trustedProxies: env.trustedProxies };
    const app = createApp({
      checkouts,
      orders,
      sandbox: sandbox?.url ?? null,
      isHealthy,
      trust,
      dist: fileURLToPath(new URL('../dist', import.meta.url)),
    });
    server.on('request', requestListener(app, checkouts, trust));
    checkouts.start();
    undo.push(async () => {
      server.close();
      await checkouts.stop();
    });
    return { url: env.publicUrl ?? url, sandbox: sandbox?.url ?? null, metrics: metricsServer?.url ?? null, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The sandbox beside the shop: `url` is for browsers, `serviceUrl` for the shop's own calls, which stay on this machine. */
async function startSandbox({ token, dataDir, host, sandboxPort, publicUrl }: Env) {
  const name = publicUrl === undefined ? nameOf(host) : new URL(publicUrl).hostname;
  const sandbox = createSandbox({
    token,
    dataFile: join(dataDir, 'sandbox.jsonl'),
    publicUrl: isWildcard(host) && sandboxPort !== 0 ? `http://${name}:${sandboxPort}` : undefined,
  });
  try {
    const { url } = await sandbox.listen({ port: sandboxPort, host });
    const isLocal = host === 'localhost' || host.startsWith('127.') || host === '::1';
    const serviceUrl = isLocal ? url : (await sandbox.listen({ port: 0, host: '127.0.0.1' })).url;
    return {
      url: isWildcard(host) ? `http://${name}:${new URL(url).port}` : url,
      serviceUrl,
      close: () => sandbox.close(),
    };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

/** Serves the metrics until the shop has closed, so that its closing can be seen. */
async function startMetrics({ host }: Env, port: number, metrics: TextMetrics, isHealthy: () => Promise<void>) {
  const stopMeasuring = measureProcess(metrics);
  const answer = getRequestListener(metricsRoutes(metrics, isHealthy).fetch);
  const server = createServer((request, response) => void answer(request, response));
  const url = await listen(server, port, host);
  return {
    url,
    async close() {
      stopMeasuring();
      await closeServer(server);
    },
  };
}

import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { circuitBreaker, ConsecutiveBreaker, handleAll } from 'cockatiel';
import { createPostgresStore } from '../src/postgres.ts';
import { createSandbox } from '../src/sandbox.ts';
import { createCheckoutServer, createInvoiceServiceClient, type CheckoutServer } from '../src/server.ts';
import { createSqliteStore, type SqlStore } from '../src/sqlite.ts';
import { createApp, createMetricsApp } from './web-app.ts';
import type { Env } from './environment.ts';
import { closeServer, createDrain, isWildcard, listen, requestListener, urlHost } from './listen.ts';
import { createPrometheusMetrics, type PrometheusMetrics } from './prometheus-metrics.ts';
import { createOrders, shopMigrations } from './orders.ts';

/** How long the server waits for a client, in milliseconds. */
const clientTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  /** How often node checks the two timeouts above. */
  connectionsCheckingInterval: 2000,
  /** Longer than the widget waits between two polls, so that it does not need a new connection for each. */
  keepAliveTimeout: 65_000,
};

export interface RunningShop {
  readonly url: string;
  /** The sandbox's address, or null with a real service. */
  readonly sandbox: string | null;
  /** The address of the metrics server, or null without one. */
  readonly metrics: string | null;
  /** Finishes the requests under way, then closes the servers and the database. */
  close(): Promise<void>;
}

/**
 * Opens the database, starts the sandbox unless a real service is configured, and listens.
 * @param timeouts Replaces some of `clientTimeouts`.
 */
export async function startShop(env: Env, timeouts: Partial<typeof clientTimeouts> = {}): Promise<RunningShop> {
  const cleanups: (() => Promise<unknown>)[] = [];
  let isClosing = false;
  const close = async (): Promise<void> => {
    isClosing = true;
    for (const step of cleanups.splice(0).reverse()) await step();
  };
  try {
    const store = await openStore(env);
    cleanups.push(() => store.close());
    const sandbox = env.serviceUrl === undefined ? await startSandbox(env) : null;
    if (sandbox !== null) cleanups.push(() => sandbox.close());
    let isPolling = (): boolean => false;
    const isHealthy = async (): Promise<void> => {
      if (isClosing) throw new Error('the shop is closing');
      await checkReadiness({ isPolling }, store);
    };
    const metrics = createPrometheusMetrics();
    const metricsServer =
      env.metricsPort === undefined ? null : await startMetrics(env, env.metricsPort, metrics, isHealthy);
    if (metricsServer !== null) cleanups.push(() => metricsServer.close());
    const server = createServer({ ...clientTimeouts, ...timeouts });
    const url = await listen(server, env.port, env.host);
    const drain = createDrain(server);
    cleanups.push(() => closeServer(server));

    const orders = createOrders(store.db, env.mode);
    const breaker = circuitBreaker(handleAll, { halfOpenAfter: 2000, breaker: new ConsecutiveBreaker(10) });
    const checkouts = createCheckoutServer({
      service: createInvoiceServiceClient({
        baseUrl: env.serviceUrl ?? sandbox?.serviceUrl ?? '',
        token: env.token,
        guard: (call) => breaker.execute(() => call()),
        metrics,
      }),
      store,
      endpoint: `${env.publicUrl ?? url}/checkout`,
      mode: env.mode,
      statuses: env.statuses,
      ...(env.qrMethodTypes && { qrMethodTypes: env.qrMethodTypes }),
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
    isPolling = () => checkouts.isPolling();
    cleanups.push(async () => {
      await drain();
      await checkouts.stop();
    });
    return { url: env.publicUrl ?? url, sandbox: sandbox?.url ?? null, metrics: metricsServer?.url ?? null, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Rejects while invoices are not polled, or the database does not answer. */
export async function checkReadiness(
  checkouts: Pick<CheckoutServer, 'isPolling'>,
  store: Pick<SqlStore, 'check'>,
): Promise<void> {
  if (!checkouts.isPolling()) throw new Error('the status poller does not run');
  await store.check();
}

/** The store of checkouts and orders: PostgreSQL when `DATABASE_URL` is set, otherwise a file in `DATA_DIR`. */
function openStore({ databaseUrl, dataDir }: Env): Promise<SqlStore> {
  return databaseUrl === undefined
    ? createSqliteStore({ file: join(dataDir, 'shop.db'), migrations: shopMigrations })
    : createPostgresStore({ url: databaseUrl, migrations: shopMigrations });
}

/** Starts the sandbox. Browsers use `url`; the shop's own calls use `serviceUrl`, which is always a loopback address. */
async function startSandbox({ token, dataDir, host, sandboxPort, publicUrl }: Env) {
  const name = publicUrl === undefined ? urlHost(host) : new URL(publicUrl).hostname;
  const sandbox = createSandbox({
    token,
    dataFile: join(dataDir, 'sandbox.jsonl'),
    log: (line) => console.log(line),
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

/** Serves the metrics. It is closed last, so that the shop's shutdown can be observed. */
async function startMetrics({ host }: Env, port: number, metrics: PrometheusMetrics, isHealthy: () => Promise<void>) {
  metrics.measureProcess();
  const handle = getRequestListener(createMetricsApp(metrics, isHealthy).fetch);
  const server = createServer((request, response) => void handle(request, response));
  const url = await listen(server, port, host);
  return { url, close: () => closeServer(server) };
}

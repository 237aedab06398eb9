import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { createPostgresStore } from '../src/postgres.ts';
import { createCheckoutServer, createInvoiceServiceClient, type CheckoutServer } from '../src/server.ts';
import { createSqliteStore, type SqlStore } from '../src/sqlite.ts';
import {
  closeServer,
  createDrain,
  createHttpServer,
  createLog,
  listen,
  startSandbox,
  type ClientTimeouts,
  type Environment,
} from '../src/standalone.ts';
import { createApp, createMetricsApp } from './create-app.ts';
import { requestListener } from './request-listener.ts';
import { createPrometheusMetrics, type PrometheusMetrics } from './prometheus-metrics.ts';
import { createOrders, shopMigrations } from './orders.ts';

export interface RunningShop {
  readonly url: string;
  /** The sandbox's address, or null with a real service. */
  readonly sandbox: string | null;
  /** The address of the metrics server, or null without one. */
  readonly metrics: string | null;
  /** Finishes the running requests, then closes the servers and the database. */
  close(): Promise<void>;
}

/**
 * Opens the database, starts the sandbox unless a real service is configured, and listens.
 * @param timeouts - replace the server's timeouts for slow clients
 */
export async function startShop(env: Environment, timeouts: ClientTimeouts = {}): Promise<RunningShop> {
  const cleanups: (() => Promise<unknown>)[] = [];
  let isClosing = false;
  const close = async (): Promise<void> => {
    isClosing = true;
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
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
    const server = createHttpServer(timeouts);
    const url = await listen(server, env.port, env.host);
    const drain = createDrain(server);
    cleanups.push(() => closeServer(server));

    const log = createLog(env.logLevel);
    const orders = createOrders(store.db, env.mode);
    const checkouts = createCheckoutServer({
      service: createInvoiceServiceClient({
        baseUrl: env.serviceUrl ?? sandbox?.serviceUrl ?? '',
        token: env.token,
        requestsPerSecond: env.requestsPerSecond,
        log,
        metrics,
      }),
      store,
      endpoint: `${env.publicUrl ?? url}/checkout`,
      mode: env.mode,
      ...env.options,
      log,
      onOutcome: (outcome) => orders.settle(outcome),
      metrics,
    });
    const trust = { trustedProxies: env.trustedProxies };
    const app = createApp({
      checkouts,
      orders,
      sandbox: sandbox?.url ?? null,
      test: env.mode === 'TEST',
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

/** Opens the store of checkouts and orders: PostgreSQL when `DATABASE_URL` is set, otherwise a file in `DATA_DIR`. */
function openStore({ databaseUrl, dataDir }: Environment): Promise<SqlStore> {
  return databaseUrl === undefined
    ? createSqliteStore({ file: join(dataDir, 'shop.db'), migrations: shopMigrations })
    : createPostgresStore({ url: databaseUrl, migrations: shopMigrations });
}

/** Starts the server of the metrics. It is closed last, so that the metrics show the shop's shutdown. */
async function startMetrics(
  { host }: Environment,
  port: number,
  metrics: PrometheusMetrics,
  isHealthy: () => Promise<void>,
) {
  metrics.measureProcess();
  const handle = getRequestListener(createMetricsApp(metrics, isHealthy).fetch);
  const server = createServer((request, response) => void handle(request, response));
  const url = await listen(server, port, host);
  return { url, close: () => closeServer(server) };
}

import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import type { Log, Metrics, TextMetrics } from '../server.ts';
import { metricsContentType } from '../server-internals.ts';
import type { CheckoutEnvironment } from './environment/checkout-environment.ts';
import { closeServer, createHttpServer, listen } from './http-server.ts';
import { createApp } from './problem-responses.ts';
import { addHealthRoutes, listenerOf, toHandler, type HandleRequest, type IsReady } from './routes.ts';

/** A port that only the merchant may reach. */
export interface PrivatePort {
  readonly url: string;
  close(): Promise<void>;
}

export interface MetricsPortOptions {
  /** The metrics of the checkout server; those of this process are added. */
  readonly metrics: TextMetrics;
  /** Resolves when requests can be served; `/readyz` answers with 503 otherwise. */
  readonly isReady: IsReady;
  readonly log: Log;
}

/**
 * Serves `/metrics` and the health routes on `METRICS_PORT`. Resolves with undefined when it is not set.
 * @example
 * ```ts
 * import { createMetrics } from 'pay-invoice/server';
 * import { createLog, readEnvironment, serveMetrics } from 'pay-invoice/standalone';
 *
 * const environment = readEnvironment({ METRICS_PORT: '0' });
 * const isReady = (): Promise<void> => Promise.resolve(); // store.check()
 * const port = await serveMetrics(environment, { metrics: createMetrics(), isReady, log: createLog('warn') });
 * await port?.close();
 * ```
 */
export async function serveMetrics(
  { metricsPort, host }: Pick<CheckoutEnvironment, 'metricsPort' | 'host'>,
  { metrics, isReady, log }: MetricsPortOptions,
): Promise<PrivatePort | undefined> {
  if (metricsPort === undefined) return undefined;
  const countProcessorTime = measureProcess(metrics);
  const app = createApp(log);
  app.get('/metrics', async (c) => {
    countProcessorTime();
    return c.body(await metrics.expose(), 200, { 'content-type': metricsContentType });
  });
  addHealthRoutes(app, isReady);
  return servePrivatePort(metricsPort, host, toHandler(app));
}

/** Listens on a port beside the one of payers. Resolves with undefined without a port. */
export async function servePrivatePort(
  port: number | undefined,
  host: string,
  handle: HandleRequest,
): Promise<PrivatePort | undefined> {
  if (port === undefined) return undefined;
  const server = createHttpServer();
  server.on('request', listenerOf(handle, {}));
  return { url: await listen(server, port, host), close: () => closeServer(server) };
}

/**
 * Adds metrics of this process, with the names that Prometheus clients use. The returned function adds the processor time since its
 * last call.
 */
function measureProcess(metrics: Metrics): () => void {
  const eventLoopDelay = monitorEventLoopDelay();
  eventLoopDelay.enable();
  metrics.gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss());
  metrics.gauge(
    'process_start_time_seconds',
    'When the process started, in seconds since 1970.',
    () => performance.timeOrigin / 1000,
  );
  metrics.gauge('nodejs_heap_size_used_bytes', 'Used heap in bytes.', () => process.memoryUsage().heapUsed);
  metrics.gauge(
    'nodejs_eventloop_lag_p99_seconds',
    'The 99th percentile of the event loop delay since the last scrape, in seconds.',
    () => {
      const p99 = eventLoopDelay.percentile(99) / 1e9;
      eventLoopDelay.reset();
      return Number.isFinite(p99) ? p99 : 0;
    },
  );
  const countSeconds = metrics.counter('process_cpu_seconds_total', 'User and system CPU time in seconds.');
  let counted = 0;
  return () => {
    const { user, system } = process.cpuUsage();
    const total = (user + system) / 1e6;
    countSeconds({}, total - counted);
    counted = total;
  };
}

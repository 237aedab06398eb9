import {
  metricsContentType,
  type CheckoutServer,
  type CheckoutStore,
  type Log,
  type TextMetrics,
  type Metrics,
} from '../server.ts';
import { adminRoutes } from './admin-api.ts';
import { createRouter, type Route } from './dispatch-request.ts';
import { widgetRoute } from './widget-files.ts';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';

export interface WebAppOptions {
  readonly checkouts: Pick<CheckoutServer, 'create' | 'get' | 'list' | 'close'>;
  /** The outbox of the store. */
  readonly outcomes: Pick<CheckoutStore, 'listOutcomes' | 'redeliverOutcome'>;
  readonly adminToken: string;
  /** Resolves when requests can be served: the database answers, and the server is not closing. */
  readonly isReady: () => Promise<void>;
  /** The folder of the widget's files. */
  readonly widgetFolder: string;
  readonly log: Log;
}

/** Serves a request. `address` is the client's IP address, for rate limits. */
export type HandleRequest = ReturnType<typeof createRouter>;

/** Builds the admin API, the widget's files and the health routes. It does not listen. */
export function createWebApp(options: WebAppOptions): HandleRequest {
  const { checkouts, outcomes, adminToken, isReady, widgetFolder, log } = options;
  const routes = [
    ...adminRoutes({ checkouts, outcomes, token: adminToken }),
    widgetRoute(widgetFolder),
    ...healthRoutes(isReady),
  ];
  return createRouter(routes, log);
}

/** Builds the handler of the metrics port: `/metrics` and the health routes. */
export function createMetricsApp(metrics: TextMetrics, isReady: () => Promise<void>, log: Log): HandleRequest {
  const exposeMetrics = async (): Promise<Response> =>
    new Response(await metrics.expose(), { headers: { 'content-type': metricsContentType } });
  return createRouter([{ path: /^\/metrics$/, methods: { GET: exposeMetrics } }, ...healthRoutes(isReady)], log);
}

/** `/healthz`: 200 while the process runs. `/readyz`: 200 while it can serve requests, else 503 for the load balancer. */
function healthRoutes(isReady: () => Promise<void>): readonly Route[] {
  const respondWithStatus = (status: string, httpStatus: number): Response =>
    Response.json({ status }, { status: httpStatus, headers: { 'cache-control': 'no-store' } });
  const checkReadiness = (): Promise<Response> =>
    isReady().then(
      () => respondWithStatus('ready', 200),
      () => respondWithStatus('not_ready', 503),
    );
  return [
    { path: /^\/healthz$/, methods: { GET: () => respondWithStatus('ok', 200) } },
    { path: /^\/readyz$/, methods: { GET: checkReadiness } },
  ];
}

/** Adds metrics of this process, with the names that Prometheus clients use. */
export function measureProcess(metrics: Metrics): void {
  const eventLoopDelay = monitorEventLoopDelay();
  eventLoopDelay.enable();
  metrics.gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss());
  metrics.gauge('process_cpu_seconds_total', 'User and system CPU time in seconds.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
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
}

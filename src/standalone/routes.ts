import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { metricsContentType, type Log, type TextMetrics, type Metrics } from '../server.ts';
import { addAdminRoutes, type AdminApiOptions } from './admin-api.ts';
import type { PayPage } from './pay-page/handle-pay-page-request.ts';
import { createApp, type App } from './problem-responses.ts';
import { addTrialPage, type TrialOptions } from './trial-page.ts';
import { createWidgetHandler, requireWidget } from './widget-files.ts';

interface WebAppOptions {
  /** Undefined: it is no trial, and there is no first page. */
  readonly trial: TrialOptions | undefined;
  readonly payPage: PayPage;
  /** The options of the admin API. Undefined: another port serves it. */
  readonly admin: AdminApiOptions | undefined;
  readonly isReady: IsReady;
  /** The folder of the widget's files. */
  readonly widgetFolder: string;
  readonly log: Log;
}

/** Resolves when requests can be served: the database answers, and the server is not closing. */
type IsReady = () => Promise<void>;

/** Serves a request. `address` is the client's IP address, for rate limits. */
export type HandleRequest = (request: Request, client: { readonly address?: string | undefined }) => Promise<Response>;

const toHandler =
  (app: App): HandleRequest =>
  async (request, { address }) =>
    app.fetch(request, { address });

/** Builds the pay pages, the widget's files, the health routes, and the admin API unless another port serves it. It does not listen. */
export function createWebApp({ trial, payPage, admin, isReady, widgetFolder, log }: WebAppOptions): HandleRequest {
  requireWidget(widgetFolder);
  const serveWidget = createWidgetHandler(widgetFolder);
  const app = createApp(log);
  app.get('/:file{pay-invoice[\\w.-]*\\.js}', async (c) => {
    const response = await serveWidget(c.req.raw);
    return response.status === 404 ? c.notFound() : response;
  });
  if (trial !== undefined) addTrialPage(app, trial);
  app.all('/pay/*', (c) => payPage(c.req.raw, { address: c.env.address }));
  if (admin !== undefined) addAdminRoutes(app, admin);
  addHealthRoutes(app, isReady);
  return toHandler(app);
}

/** Builds the handler of the admin port: the admin API and the health routes. */
export function createAdminApp(admin: AdminApiOptions, isReady: IsReady): HandleRequest {
  const app = createApp(admin.log);
  addAdminRoutes(app, admin);
  addHealthRoutes(app, isReady);
  return toHandler(app);
}

/** Builds the handler of the metrics port: `/metrics` and the health routes. */
export function createMetricsApp(metrics: TextMetrics, isReady: IsReady, log: Log): HandleRequest {
  const app = createApp(log);
  app.get('/metrics', async (c) => c.body(await metrics.expose(), 200, { 'content-type': metricsContentType }));
  addHealthRoutes(app, isReady);
  return toHandler(app);
}

/** `/healthz`: 200 while the process runs. `/readyz`: 200 while it can serve requests, else 503 for the load balancer. */
function addHealthRoutes(app: App, isReady: IsReady): void {
  app.get('/healthz', (c) => c.json({ status: 'ok' }, 200, { 'cache-control': 'no-store' }));
  app.get('/readyz', (c) =>
    isReady().then(
      () => c.json({ status: 'ready' }, 200, { 'cache-control': 'no-store' }),
      () => c.json({ status: 'not_ready' }, 503, { 'cache-control': 'no-store' }),
    ),
  );
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

import type { CheckoutServer, CheckoutStore, Log, TextMetrics } from '../server.ts';
import { metricsContentType } from '../server.ts';
import { adminRoutes } from './admin-api.ts';
import { createRouter, type Route } from './router.ts';
import { widgetRoute } from './widget-files.ts';

export interface WebAppOptions {
  readonly checkouts: Pick<CheckoutServer, 'create' | 'get' | 'list' | 'close'>;
  /** Where outcomes are kept. */
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

/** Builds the standalone server's pages without the checkout API. It does not listen. */
export function createWebApp(options: WebAppOptions): HandleRequest {
  const { checkouts, outcomes, adminToken, isReady, widgetFolder, log } = options;
  const routes = [
    ...adminRoutes({ checkouts, outcomes, token: adminToken }),
    widgetRoute(widgetFolder),
    ...healthRoutes(isReady),
  ];
  return createRouter(routes, log);
}

/** Builds what listens on the metrics port: `/metrics`, and the health routes. */
export function createMetricsApp(metrics: TextMetrics, isReady: () => Promise<void>, log: Log): HandleRequest {
  const expose = async (): Promise<Response> =>
    new Response(await metrics.expose(), { headers: { 'content-type': metricsContentType } });
  return createRouter([{ path: /^\/metrics$/, methods: { GET: expose } }, ...healthRoutes(isReady)], log);
}

/** `/healthz`: the process runs. `/readyz`: it can serve; a load balancer sends no requests to one that answers 503. */
function healthRoutes(isReady: () => Promise<void>): readonly Route[] {
  const answer = (status: string, code: number): Response =>
    Response.json({ status }, { status: code, headers: { 'cache-control': 'no-store' } });
  const ready = (): Promise<Response> =>
    isReady().then(
      () => answer('ready', 200),
      () => answer('not_ready', 503),
    );
  return [
    { path: /^\/healthz$/, methods: { GET: () => answer('ok', 200) } },
    { path: /^\/readyz$/, methods: { GET: ready } },
  ];
}

import type { RequestListener } from 'node:http';
import { toNodeListener, type Log, type ProxyTrust } from '../server.ts';
import { addAdminRoutes, type AdminApiOptions } from './admin-api.ts';
import type { PayPage } from './pay-page/handle-pay-page-request.ts';
import { createApp, isCanonicalTarget, problem, type App } from './problem-responses.ts';
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
export type IsReady = () => Promise<void>;

/** Serves a request. `address` is the client's IP address, for rate limits. */
export type HandleRequest = (request: Request, client: { readonly address?: string | undefined }) => Promise<Response>;

export const toHandler =
  (app: App): HandleRequest =>
  async (request, { address }) =>
    app.fetch(request, { address });

/** Creates a listener that serves paths in their only spelling, and answers 404 to others. */
export function listenerOf(handle: HandleRequest, trust: ProxyTrust): RequestListener {
  const serve = toNodeListener({ handle }, trust);
  const refuse = toNodeListener({ handle: () => Promise.resolve(problem('not_found').getResponse()) });
  return (incoming, outgoing) => (isCanonicalTarget(incoming.url ?? '') ? serve : refuse)(incoming, outgoing);
}

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

/** `/healthz`: 200 while the process runs. `/readyz`: 200 while it can serve requests, else 503 for the load balancer. */
export function addHealthRoutes(app: App, isReady: IsReady): void {
  app.get('/healthz', (c) => c.json({ status: 'ok' }, 200, { 'cache-control': 'no-store' }));
  app.get('/readyz', (c) =>
    isReady().then(
      () => c.json({ status: 'ready' }, 200, { 'cache-control': 'no-store' }),
      () => c.json({ status: 'not_ready' }, 503, { 'cache-control': 'no-store' }),
    ),
  );
}

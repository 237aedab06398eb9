import { join } from 'node:path';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono, type MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import { standardErrorLog, StoreUnavailableError, type CheckoutServer, type ProxyTrust } from '../src/server.ts';
import { createWidgetHandler } from '../src/standalone.ts';
import type { PrometheusMetrics } from './prometheus-metrics.ts';
import type { Orders } from './orders.ts';
import { problem, shopRoutes } from './shop-routes.ts';

export interface AppOptions {
  readonly checkouts: Pick<CheckoutServer, 'create'>;
  readonly orders: Orders;
  /** The sandbox's address for the demo's developer panel; null with a real service. */
  readonly sandbox: string | null;
  /** Whether the invoices are test invoices: the pages say whether money moves. */
  readonly test: boolean;
  /** Resolves when requests can be served: the database answers, and the shop is not closing. */
  readonly isHealthy: () => Promise<void>;
  /** How many proxies' `X-Forwarded-For` is trusted. */
  readonly trust: ProxyTrust;
  /** The folder of the build: `cdn/` holds the widget and `demo/` the pages. */
  readonly dist: string;
}

/** `/healthz`: 200 while the process runs. `/readyz`: 200 while it can serve requests, else 503 for the load balancer. */
function healthRoutes(isHealthy: () => Promise<void>): Hono {
  const routes = new Hono();
  routes.get('/healthz', (c) => c.json({ status: 'ok' }));
  routes.get('/readyz', async (c) => {
    const isReady = await isHealthy().then(
      () => true,
      () => false,
    );
    return c.json({ status: isReady ? 'ready' : 'not_ready' }, isReady ? 200 : 503, { 'cache-control': 'no-store' });
  });
  return routes;
}

/** Builds the app of the metrics port: `/metrics` and the health routes. */
export function createMetricsApp({ registry }: PrometheusMetrics, isHealthy: () => Promise<void>): Hono {
  const app = healthRoutes(isHealthy);
  app.get('/metrics', async (c) => c.body(await registry.metrics(), 200, { 'content-type': registry.contentType }));
  return app;
}

/** Builds the merchant's app without the checkout API. It does not listen. */
export function createApp({ checkouts, orders, sandbox, test, isHealthy, trust, dist }: AppOptions): Hono {
  const app = new Hono();
  app.use(securityHeaders(sandbox));

  app.route('/shop', shopRoutes(orders, checkouts, trust));
  app.get('/config.json', (c) => c.json({ sandbox, test }));
  app.route('/', healthRoutes(isHealthy));

  const widget = createWidgetHandler(join(dist, 'cdn'));
  app.get('/pay-invoice*', (c) => widget(c.req.raw));
  app.use(compress(), etag(), fileHeaders);
  app.get('*', serveStatic({ root: join(dist, 'demo') }));

  app.notFound(() => problem(404, 'There is nothing here'));
  app.onError((error) => {
    // The database does not answer. Nothing is lost, and the browser may try again.
    if (error instanceof StoreUnavailableError) return problem(503, 'The shop cannot do that now');
    // Only the stack is logged: a database puts values of rows into an error's other members.
    standardErrorLog('error', 'shop_failed', { stack: error.stack });
    return problem(500, 'The shop could not do that');
  });
  return app;
}

/** Headers of the pages' files. A file with a hash in its name never changes; browsers revalidate the others. */
const fileHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.res.ok) return;
  const isHashed = /-(?=[\w-]*[\dA-Z_])[\w-]{8}\.\w+$/.test(c.req.path);
  c.res.headers.set('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
};

/** Sets the security headers of every response. The pages have the strictest policy under which the widget works. */
function securityHeaders(sandbox: string | null): MiddlewareHandler {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${sandbox === null ? '' : ` ${new URL(sandbox).origin}`}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types lit-html 'allow-duplicates'",
  ].join('; ');
  return async (c, next) => {
    await next();
    c.res.headers.set('x-content-type-options', 'nosniff');
    c.res.headers.set('referrer-policy', 'no-referrer');
    if (c.res.headers.get('content-type')?.startsWith('text/html') !== true) return;
    c.res.headers.set('content-security-policy', policy);
    c.res.headers.set('cross-origin-opener-policy', 'same-origin');
    c.res.headers.set('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=()');
  };
}

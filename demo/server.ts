// The program that `npm start` runs: the shop of server-example with the demo's pages.
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import { readEnvironment, runProgram } from 'pay-invoice/standalone';
import { z } from 'zod';
import { catalogue, productOf } from '../server-example/catalogue.ts';
import { startShop, type Shop } from '../server-example/shop.ts';

const cartSchema = z.object({
  items: z
    .array(
      z.object({
        sku: z.string().refine((sku) => productOf(sku) !== undefined),
        quantity: z.int().min(1).max(99),
      }),
    )
    .min(1)
    .max(50),
});

/** Outcomes after which nobody has to do anything. */
const ordinaryKinds = ['paid', 'failed', 'expired', 'resolved'];

function addDemoPages({ app, sandbox, test, place, find }: Shop): void {
  app.use(securityHeaders(sandbox));
  app.get('/config.json', (c) => c.json({ sandbox: sandbox ?? null, test }));
  app.get('/paid', (c) => c.redirect('./#goods'));
  app.get('/shop/products', (c) => c.json({ products: catalogue }));
  app.post('/shop/orders', bodyLimit({ maxSize: 16 * 1024 }), async (c) => {
    const cart = cartSchema.safeParse(await c.req.json().catch(() => undefined));
    return cart.success ? c.json(await place(cart.data.items), 201) : c.json({ title: 'The order is not valid' }, 400);
  });
  app.get('/shop/orders/:order_id', async (c) => {
    const order = await find(c.req.param('order_id'));
    if (order === undefined) return c.json({ title: 'There is no such order' }, 404);
    const other_payments = order.outcomes
      .filter(({ kind }) => !ordinaryKinds.includes(kind))
      .map(({ kind, mode, amount }) => ({ kind, mode, amount }));
    const status = order.paid_at === null ? 'new' : 'paid';
    return c.json({ order_id: order.order_id, status, other_payments }, 200, { 'cache-control': 'no-store' });
  });
  app.use(compress(), etag(), fileHeaders);
  app.get('*', serveStatic({ root: fileURLToPath(new URL('../dist/demo', import.meta.url)) }));
}

/** Headers of the pages' files. A file with a hash in its name never changes; browsers revalidate the others. */
const fileHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.res.ok) return;
  const isHashed = /-(?=[\w-]{0,7}[\dA-Z_])[\w-]{8}\.\w+$/.test(c.req.path);
  c.res.headers.set('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
};

/** Sets the security headers of every response. The pages have the strictest policy under which the widget works. */
function securityHeaders(sandbox: string | undefined): MiddlewareHandler {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${sandbox === undefined ? '' : ` ${new URL(sandbox).origin}`}`,
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

await runProgram(async () => {
  const shop = await startShop(readEnvironment(process.env));
  addDemoPages(shop);
  const lines = [`\n  Shop     ${shop.url}`, `  Sandbox  ${shop.sandbox ?? 'none: a real service'}\n`];
  return { lines, close: shop.close };
});

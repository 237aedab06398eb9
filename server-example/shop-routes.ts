import type { HttpBindings } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import { formatTimestamp } from '../src/contract.ts';
import { clientAddress, createAddressLimit, type CheckoutServer, type ProxyTrust } from '../src/server.ts';
import { catalogue, productOf } from './catalogue.ts';
import type { Orders } from './orders.ts';

const cart = z.object({
  items: z
    .array(
      z.object({
        sku: z.string().refine((sku) => productOf(sku) !== undefined, 'must be a product of the catalogue'),
        quantity: z.int().min(1).max(99),
      }),
    )
    .min(1)
    .max(50),
});

/** The routes that the shop's pages call: products and orders. */
export function shopRoutes(orders: Orders, checkouts: Pick<CheckoutServer, 'create'>, trust: ProxyTrust): Hono {
  const app = new Hono();

  app.get('/products', (c) => c.json({ products: catalogue }));

  app.post(
    '/orders',
    orderLimit(trust),
    bodyLimit({ maxSize: 16 * 1024, onError: () => problem(413, 'The order is too large') }),
    async (c) => {
      // For this type, the browser of another site's page sends a preflight request first, and this app refuses it.
      if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
        return problem(415, 'The order must be JSON', 'content-type: must be application/json');
      const body = cart.safeParse(await c.req.json().catch(() => undefined));
      if (!body.success) return problem(400, 'The order is not valid', firstIssueText(body.error));
      const placed = await orders.place(body.data.items, checkouts.create);
      if (placed === undefined) return problem(400, 'The order is not valid', 'items: name an unknown product');
      return c.json(placed, 201);
    },
  );

  app.get('/orders/:order_id', async (c) => {
    const order = await orders.find(c.req.param('order_id'));
    if (order === undefined) return problem(404, 'There is no such order');
    c.header('cache-control', 'no-store');
    const paid_at = order.paid_at === null ? null : formatTimestamp(order.paid_at);
    return c.json({ ...order, created_at: formatTimestamp(order.created_at), paid_at });
  });

  return app;
}

/**
 * How many orders one address may place at once and per minute: enough for an office behind one address, and too few to
 * fill the database.
 */
const orderAllowance = { burst: 120, perMinute: 60 };

function orderLimit(trust: ProxyTrust): MiddlewareHandler<{ Bindings: Partial<HttpBindings> }> {
  const limit = createAddressLimit(orderAllowance);
  return async (c, next) => {
    const connection = c.env.incoming?.socket.remoteAddress;
    const address = clientAddress(c.req.header('x-forwarded-for'), connection, trust);
    const waitMs = limit.wait(address);
    if (waitMs !== undefined) {
      const answer = problem(429, 'Too many orders');
      answer.headers.set('retry-after', String(Math.ceil(waitMs / 1000)));
      return answer;
    }
    limit.take(address);
    return next();
  };
}

/** The first fault of a body, with the field that it is in, such as `items[0].quantity`. */
function firstIssueText(error: z.ZodError): string {
  const [issue] = error.issues;
  const field = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return `${field.replace(/^\./, '') || 'body'}: ${issue?.message ?? 'is not valid'}`;
}

const codes: Readonly<Record<number, string>> = { 404: 'not_found', 429: 'rate_limited', 503: 'try_again' };

/** A problem document (RFC 9457), in the form of the checkout API. */
export function problem(status: number, title: string, detail?: string): Response {
  const code = codes[status] ?? (status >= 500 ? 'internal' : 'invalid_request');
  const document = { type: 'about:blank', title, status, code, ...(detail === undefined ? {} : { detail }) };
  const headers = { 'content-type': 'application/problem+json', ...(status === 503 && { 'retry-after': '2' }) };
  return Response.json(document, { status, headers });
}

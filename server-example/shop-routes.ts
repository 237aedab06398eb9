import type { HttpBindings } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import { formatTimestamp } from '../src/service-api.ts';
import { clientAddress, createAddressLimit, type CheckoutServer, type ProxyTrust } from '../src/server.ts';
import { catalogue, productOf } from './catalogue.ts';
import type { Orders } from './orders.ts';

const cartSchema = z.object({
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
    createOrderLimit(trust),
    bodyLimit({ maxSize: 16 * 1024, onError: () => problem(413, 'The order is too large') }),
    async (c) => {
      // Before a page of another site can send this type, its browser sends a preflight request, which this app refuses.
      if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
        return problem(415, 'The order must be JSON', 'content-type: must be application/json');
      const body = cartSchema.safeParse(await c.req.json().catch(() => undefined));
      if (!body.success) return problem(400, 'The order is not valid', formatFirstIssue(body.error));
      const placedOrder = await orders.place(body.data.items, checkouts.create);
      if (placedOrder === undefined) return problem(400, 'The order is not valid', 'items: name an unknown product');
      return c.json(placedOrder, 201);
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
 * How many orders an address may place in a burst, and per minute: enough for an office behind one address, and too few to
 * fill the database.
 */
const orderAllowance = { burst: 120, perMinute: 60 };

function createOrderLimit(trust: ProxyTrust): MiddlewareHandler<{ Bindings: Partial<HttpBindings> }> {
  const addressLimit = createAddressLimit(orderAllowance);
  return async (c, next) => {
    const connection = c.env.incoming?.socket.remoteAddress;
    const address = clientAddress(c.req.header('x-forwarded-for'), connection, trust);
    const waitMs = addressLimit.wait(address);
    if (waitMs !== undefined) {
      const response = problem(429, 'Too many orders');
      response.headers.set('retry-after', String(Math.ceil(waitMs / 1000)));
      return response;
    }
    addressLimit.take(address);
    return next();
  };
}

/** Formats the first issue of a body with its field, such as `items[0].quantity`. */
function formatFirstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  const field = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return `${field.replace(/^\./, '') || 'body'}: ${issue?.message ?? 'is not valid'}`;
}

const codesByStatus: Readonly<Record<number, string>> = { 404: 'not_found', 429: 'rate_limited', 503: 'try_again' };

/** Creates a response with a problem document (RFC 9457) in the format of the checkout API. */
export function problem(status: number, title: string, detail?: string): Response {
  const code = codesByStatus[status] ?? (status >= 500 ? 'internal' : 'invalid_request');
  const document = { type: 'about:blank', title, status, code, ...(detail === undefined ? {} : { detail }) };
  const headers = { 'content-type': 'application/problem+json', ...(status === 503 && { 'retry-after': '2' }) };
  return Response.json(document, { status, headers });
}

import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { toNodeListener, type CheckoutServer, type ProxyTrust } from '../src/server.ts';

/** Routes requests. The checkout API bypasses the app and its middleware, because every waiting payer polls it. */
export function requestListener(
  app: Hono,
  checkouts: Pick<CheckoutServer, 'handle'>,
  trust: ProxyTrust,
): RequestListener {
  const handle = getRequestListener(app.fetch);
  const handleCheckout = toNodeListener(checkouts, trust);
  return (incoming, outgoing) => {
    if (incoming.url?.startsWith('/checkout/') !== true) {
      void handle(incoming, outgoing);
      return;
    }
    outgoing.setHeader('referrer-policy', 'no-referrer');
    handleCheckout(incoming, outgoing);
  };
}

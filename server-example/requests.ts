import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { toNodeListener, type CheckoutServer, type ProxyTrust } from '../src/server.ts';

/** Answers what comes: the checkout API, which every waiting payer asks again and again, without the app around it. */
export function requestListener(
  app: Hono,
  checkouts: Pick<CheckoutServer, 'handle' | 'read'>,
  trust: ProxyTrust,
): RequestListener {
  const answer = getRequestListener(app.fetch);
  const answerCheckout = toNodeListener(checkouts, trust);
  return (incoming, outgoing) => {
    if (incoming.url?.startsWith('/checkout/') !== true) {
      void answer(incoming, outgoing);
      return;
    }
    outgoing.setHeader('referrer-policy', 'no-referrer');
    answerCheckout(incoming, outgoing);
  };
}

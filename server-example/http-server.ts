import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { toNodeListener, type CheckoutServer, type ProxyTrust } from '../src/server.ts';

/** How long responses under way may take when the shop closes, in milliseconds. */
const graceMs = 5000;

/** Connections that may wait to be accepted, such as after a restart. The system repeats a refused one seconds later. */
const backlog = 4096;

/** Listens, and resolves with the address; port 0 becomes the one that was free. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  server.listen({ port, host, backlog });
  await once(server, 'listening');
  const bound = server.address();
  return `http://${urlHost(host)}:${typeof bound === 'object' && bound !== null ? bound.port : port}`;
}

/** Whether the host means every address of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** A host as it is written in a URL. */
export function urlHost(host: string): string {
  if (isWildcard(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** Stops accepting connections, and closes those that remain after a grace period. */
export async function closeServer(server: Server): Promise<void> {
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  const closed = server.listening ? once(server, 'close') : undefined;
  server.close();
  server.closeIdleConnections();
  await closed;
  clearTimeout(deadline);
}

/** Routes requests: the checkout API, which every waiting payer polls, bypasses the app and its middleware. */
export function requestListener(
  app: Hono,
  checkouts: Pick<CheckoutServer, 'handle' | 'read'>,
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

import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { toNodeListener, type CheckoutServer } from '../../src/server.ts';
import { listen, type Listening } from './listen.ts';

/** Serves the checkout API under `/checkout`. `trustedProxies` is the option of `toNodeListener`. */
export type Mount = (checkouts: CheckoutServer, trustedProxies: number) => Promise<Listening>;

type RouteFunction = (request: Request, context: { readonly params: Promise<unknown> }) => Promise<Response>;

/** What `app/checkout/[...path]/route.ts` exports (docs/frameworks.md). */
function createNextRoute(checkouts: CheckoutServer) {
  const handle = (request: Request): Promise<Response> => {
    const address = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim();
    return checkouts.handle(request, { address });
  };
  return { DELETE: handle, GET: handle, HEAD: handle, OPTIONS: handle, PATCH: handle, POST: handle, PUT: handle };
}

/** The frameworks of docs/frameworks.md in which the handler is mounted, by their names. */
export const mounts: Readonly<Record<string, Mount>> = {
  'node:http': (checkouts, trustedProxies) => listen(createServer(toNodeListener(checkouts, { trustedProxies }))),

  Express: (checkouts, trustedProxies) => {
    const app = express();
    app.use('/checkout', toNodeListener(checkouts, { trustedProxies }));
    app.use(express.json());
    return listen(createServer(app));
  },

  Fastify: async (checkouts, trustedProxies) => {
    const app = Fastify({ forceCloseConnections: true });
    const listener = toNodeListener(checkouts, { trustedProxies });
    await app.register((scope, _options, registered) => {
      scope.removeAllContentTypeParsers(); // the checkout server reads the bodies itself
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      scope.all('/checkout/*', (request, reply) => {
        reply.hijack();
        listener(request.raw, reply.raw);
      });
      registered();
    });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    return { endpoint: `${url}/checkout`, close: () => app.close() };
  },

  Hono: (checkouts, trustedProxies) => {
    const app = new Hono();
    app.all('/checkout/*', (c) => {
      const forwardedAddress = c.req.header('x-forwarded-for')?.split(',').at(-trustedProxies)?.trim();
      const address = trustedProxies > 0 ? forwardedAddress : getConnInfo(c).remote.address;
      return checkouts.handle(c.req.raw, { address });
    });
    const listener = getRequestListener(app.fetch);
    return listen(createServer((incoming, outgoing) => void listener(incoming, outgoing)));
  },

  // Imitates Next's router, which calls the function that the route file exports for the method, with a web Request whose
  // signal aborts when the client disconnects, and with the parameters. Next itself runs in
  // test/package/framework-servers.test.ts. Next does not provide the connection's address; the proxy in front of it does.
  Next: (checkouts, trustedProxies) => {
    const route: Readonly<Record<string, RouteFunction>> = createNextRoute(checkouts);
    const listener = getRequestListener(async (received, { incoming }) => {
      const { url, method, headers, signal } = received;
      // This server closes the connection when a route has not read its body to the end; that of Next does not.
      const body = method === 'GET' || method === 'HEAD' ? null : await received.arrayBuffer();
      const request = new Request(url, { method, headers, body, signal });
      if (trustedProxies === 0) request.headers.set('x-forwarded-for', incoming.socket.remoteAddress ?? '');
      const params = Promise.resolve({ path: new URL(url).pathname.split('/').slice(2) });
      return route[method]?.(request, { params }) ?? new Response(null, { status: 405 });
    });
    return listen(createServer((incoming, outgoing) => void listener(incoming, outgoing)));
  },
};

import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createNextRoute } from './next-route.ts';
import { testCheckoutOverHttp } from './checkout-scenario.ts';
import { listen } from './listen.ts';

type RouteFunction = (request: Request, context: { readonly params: Promise<unknown> }) => Promise<Response>;

// This test imitates Next's router, which calls the function that the route file exports for the method, with a web Request whose
// signal aborts when the client disconnects, and with the parameters. Next itself runs in
// test/package/next.test.ts. Next does not provide the connection's address; the proxy in front of it does.
testCheckoutOverHttp('Next', async ({ checkouts }, trustedProxies) => {
  const route: Readonly<Record<string, RouteFunction>> = createNextRoute(checkouts);
  const listener = getRequestListener(async ({ url, method, headers, body, signal }, { incoming }) => {
    const init: RequestInit & { duplex: 'half' } = { method, headers, body, signal, duplex: 'half' };
    const request = new Request(url, init);
    if (trustedProxies === 0) request.headers.set('x-forwarded-for', incoming.socket.remoteAddress ?? '');
    const params = Promise.resolve({ path: new URL(url).pathname.split('/').slice(2) });
    return route[method]?.(request, { params }) ?? new Response(null, { status: 405 });
  });
  return listen(createServer((incoming, outgoing) => void listener(incoming, outgoing)));
});

import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { Hono } from 'hono';
import { testCheckoutOverHttp } from './checkout-scenario.ts';
import { listen } from './listen.ts';

testCheckoutOverHttp('hono', async ({ checkouts }, trustedProxies) => {
  const app = new Hono();
  app.all('/checkout/*', (c) => {
    const forwardedAddress = c.req.header('x-forwarded-for')?.split(',').at(-trustedProxies)?.trim();
    const address = trustedProxies > 0 ? forwardedAddress : getConnInfo(c).remote.address;
    return checkouts.handle(c.req.raw, { address });
  });
  const listener = getRequestListener(app.fetch);
  return listen(createServer((incoming, outgoing) => void listener(incoming, outgoing)));
});

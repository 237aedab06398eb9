import { createServer } from 'node:http';
import { toNodeListener } from '../../src/server.ts';
import { testCheckoutOverHttp } from './checkout-scenario.ts';
import { listen } from './listen.ts';

testCheckoutOverHttp('node:http', async ({ checkouts }, trustedProxies) => {
  const listener = toNodeListener(checkouts, { trustedProxies });
  return listen(createServer(listener));
});

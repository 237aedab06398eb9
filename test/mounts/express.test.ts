import express from 'express';
import { createServer } from 'node:http';
import { toNodeListener } from '../../src/server.ts';
import { testCheckoutOverHttp } from './checkout-scenario.ts';
import { listen } from './listen.ts';

testCheckoutOverHttp('Express', async ({ checkouts }, trustedProxies) => {
  const app = express();
  app.use('/checkout', toNodeListener(checkouts, { trustedProxies }));
  app.use(express.json());
  return listen(createServer(app));
});

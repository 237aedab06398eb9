import express from 'express';
import { createServer } from 'node:http';
import { toNodeListener } from '../../src/server.ts';
import { holdsTheConversation } from './checkout-scenario.ts';
import { listen } from './listen.ts';

holdsTheConversation('Express', async ({ checkouts }, trustedProxies) => {
  const app = express();
  app.use('/checkout', toNodeListener(checkouts, { trustedProxies }));
  app.use(express.json());
  return listen(createServer(app));
});

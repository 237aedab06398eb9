import Fastify from 'fastify';
import { toNodeListener } from '../../src/server.ts';
import { testCheckoutOverHttp } from './checkout-scenario.ts';

testCheckoutOverHttp('Fastify', async ({ checkouts }, trustedProxies) => {
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
});

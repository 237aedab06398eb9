import Fastify from 'fastify';
import { toNodeListener } from '../../src/server.ts';
import { testCheckoutOverHttp } from './checkout-scenario.ts';

testCheckoutOverHttp('Fastify', async ({ checkouts }, trustedProxies) => {
  const app = Fastify({ forceCloseConnections: true });
  const answer = toNodeListener(checkouts, { trustedProxies });
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers(); // the handler reads bodies itself
    scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    scope.all('/checkout/*', (request, reply) => {
      reply.hijack();
      answer(request.raw, reply.raw);
    });
    done();
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { endpoint: `${url}/checkout`, close: () => app.close() };
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { toNodeListener } from '../../src/server.ts';
import { closeServer, createHttpServer, listen } from '../../src/standalone.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

// Clients that send one character at a time cannot keep a connection for longer than the timeouts allow.

let url = '';
const server = createHttpServer({ headersTimeout: 500, requestTimeout: 1000, connectionsCheckingInterval: 100 });
before(async () => {
  server.on('request', toNodeListener(new TestCheckoutServer().server));
  url = await listen(server, 0, '127.0.0.1');
});
after(() => closeServer(server));

const capability = `chk_${'A'.repeat(24)}`;
const json = 'content-type: application/json\r\n';
const key = 'idempotency-key: 00000000-0000-4000-8000-000000000000\r\n';

suite('the connection of a client is closed', { concurrency: true }, () => {
  for (const [part, text] of [
    ['its first line', 'GET '],
    ['its headers', 'GET / HTTP/1.1\r\nhost: shop\r\nx: '],
    [
      'a create request',
      `POST /checkout/${capability}/invoice HTTP/1.1\r\nhost: shop\r\n${json}${key}content-length: 1000\r\n\r\n"`,
    ],
  ] as const)
    test(`when the client sends ${part} too slowly`, async () => {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      let responseText = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (responseText += chunk));
      socket.on('error', () => undefined); // text that is sent after the close is reset
      socket.write(text);
      const sendTimer = setInterval(() => socket.write('x'), 100);
      await once(socket, 'close');
      clearInterval(sendTimer);
      assert.match(responseText, /^HTTP\/1\.1 (?:408|404) /);
    });
});

test('a request with 18 kB of the shop’s cookies is answered, and one with 33 kB is refused', async () => {
  const read = async (length: number): Promise<number> =>
    (await fetch(`${url}/checkout/${capability}`, { headers: { cookie: `cart=${'x'.repeat(length)}` } })).status;
  assert.deepEqual([await read(18_000), await read(33_000)], [404, 431]);
});

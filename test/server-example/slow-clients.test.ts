import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { readEnvironment } from '../../src/standalone.ts';
import { startShop, type RunningShop } from '../../server-example/start-shop.ts';

// Clients that send one character at a time cannot keep a connection for longer than the timeouts allow.

let shop: RunningShop;
let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slow-'));
  shop = await startShop(readEnvironment({ PORT: '0', SANDBOX_PORT: '0', DATA_DIR: folder }), {
    headersTimeout: 500,
    requestTimeout: 1000,
    connectionsCheckingInterval: 100,
  });
});
after(async () => {
  await shop.close();
  await rm(folder, { recursive: true });
});

const capability = `chk_${'A'.repeat(24)}`;
const json = 'content-type: application/json\r\n';
const key = 'idempotency-key: 00000000-0000-4000-8000-000000000000\r\n';

suite('the connection of a client is closed', { concurrency: true }, () => {
  for (const [part, text] of [
    ['its first line', 'GET '],
    ['its headers', 'GET / HTTP/1.1\r\nhost: shop\r\nx: '],
    ['an order', `POST /shop/orders HTTP/1.1\r\nhost: shop\r\n${json}content-length: 1000\r\n\r\n{"items":"`],
    [
      'a create request',
      `POST /checkout/${capability}/invoice HTTP/1.1\r\nhost: shop\r\n${json}${key}content-length: 1000\r\n\r\n"`,
    ],
  ] as const)
    test(`when the client sends ${part} too slowly`, async () => {
      const { hostname, port } = new URL(shop.url);
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

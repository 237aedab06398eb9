import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { readEnv } from '../../server-example/env.ts';
import { startShop, type RunningShop } from '../../server-example/main.ts';

// Clients that send slowly, one character a second: none holds a connection for long.

let shop: RunningShop;
let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slow-'));
  shop = await startShop(readEnv({ PORT: '0', SANDBOX_PORT: '0', DATA_DIR: folder }));
});
after(async () => {
  await shop.close();
  await rm(folder, { recursive: true });
});

const capability = `chk_${'A'.repeat(24)}`;
const json = 'content-type: application/json\r\n';
const key = 'idempotency-key: 00000000-0000-4000-8000-000000000000\r\n';

suite('a client is sent away that is slow with', { concurrency: true }, () => {
  for (const [what, head] of [
    ['its first line', 'GET '],
    ['its headers', 'GET / HTTP/1.1\r\nhost: shop\r\nx: '],
    ['an order', `POST /shop/orders HTTP/1.1\r\nhost: shop\r\n${json}content-length: 1000\r\n\r\n{"items":"`],
    [
      'an ask for requisites',
      `POST /checkout/${capability}/invoice HTTP/1.1\r\nhost: shop\r\n${json}${key}content-length: 1000\r\n\r\n"`,
    ],
  ] as const)
    test(what, async () => {
      const { hostname, port } = new URL(shop.url);
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      socket.on('error', () => undefined); // what was sent too late is reset
      socket.write(head);
      const drip = setInterval(() => socket.write('x'), 1000);
      await once(socket, 'close');
      clearInterval(drip);
      assert.match(text, /^HTTP\/1\.1 (?:408|404) /);
    });
});

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { brotliDecompressSync, constants } from 'node:zlib';
import { createSandbox } from '../../src/sandbox.ts';
import { adminToken } from '../support/buyer.ts';
import { callAdmin } from '../support/documented-admin-answers.ts';
import { startTestServer } from '../support/start-test-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Sends a request as a browser does, without script. `bytes` counts the whole response, with its headers. */
async function exchange(url: URL, method: 'GET' | 'POST', body = '') {
  const socket = connect(Number(url.port), url.hostname);
  const lines = [
    `${method} ${url.pathname} HTTP/1.1`,
    `host: ${url.host}`,
    'connection: close',
    'accept-encoding: gzip, deflate, br, zstd',
    'accept-language: ru',
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${body.length}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  const response = await buffer(socket);
  const end = response.indexOf('\r\n\r\n');
  const content = response.subarray(end + 4);
  const readUntil = (bytes: number): string =>
    brotliDecompressSync(content.subarray(0, bytes), { finishFlush: constants.BROTLI_OPERATION_FLUSH }).toString();
  return {
    bytes: response.length,
    contentBytes: content.length,
    readUntil,
    page: content.length === 0 ? '' : readUntil(content.length),
  };
}

test('from the link to a QR that can be scanned, a browser without script reads at most 9.9 kB, headers included', async (t) => {
  const folder = temporaryFolder(t);
  // With a service of its own, as at a shop: the page of a trial has pictures of the methods.
  const sandbox = createSandbox({ token: 'token' });
  t.after(() => sandbox.close());
  const { url: INVOICE_BASE_URL } = await sandbox.listen({ port: 0, host: '127.0.0.1' });
  const service = { INVOICE_BASE_URL, INVOICE_ACCESS_TOKEN: 'token', INVOICE_MODE: 'TEST' };
  const server = await startTestServer({
    ...service,
    DATA_DIR: folder,
    SHOP_NAME: 'Лист и глина',
    SHOP_ACCENT: '#0f7448',
  });
  t.after(() => server.close());
  const created = await callAdmin(server.url, '/admin/checkouts', adminToken, {
    order_id: '1001',
    reference: '1001',
    description: 'Чайная пиала, 2 шт., и доставка',
    amount: '1500.00',
    currency: 'RUB',
    success_url: 'https://shop.example/orders/1001/thanks',
    fail_url: 'https://shop.example/orders/1001',
  });
  const url = new URL((created.json as { url: string }).url);
  const methods = await exchange(url, 'GET');
  const [, key = ''] = /name="key" value="([^"]+)"/.exec(methods.page) ?? [];
  const submitted = await exchange(url, 'POST', `key=${key}&payment_method_id=pm_sbp`);
  const waiting = await exchange(url, 'GET');
  assert.match(waiting.page, /<svg[^>]*role="img"/);
  let rest = 0;
  while (waiting.readUntil(waiting.contentBytes - rest - 5).includes('</svg>')) rest += 5;
  const steps = [methods.bytes, submitted.bytes, waiting.bytes - rest];
  const total = steps.reduce((sum, bytes) => sum + bytes);
  assert.ok(total <= 9900, `${total} bytes: ${steps.join(' + ')}`);
});

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { createKeepAliveFetch } from '../../../scripts/load/keep-alive-fetch.ts';
import { Payers } from '../../../scripts/load/payers.ts';
import { listen } from '../../mounts/listen.ts';
import { startTestServer } from '../../support/start-test-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/wait-until.ts';

test('the payers of a load run get their invoices, and are told of a payment, by the session of the widget', async (t) => {
  const server = await startTestServer({ DATA_DIR: temporaryFolder(t), TRUST_PROXY: '1' });
  t.after(() => server.close());
  const payers = new Payers();
  const invoiceIds = await payers.placeOrders({ port: Number(new URL(server.url).port), count: 3, firstIndex: 0 });
  assert.equal(new Set(invoiceIds).size, 3);
  payers.markDisturbance();
  assert.deepEqual(payers.progress(), { stale: 0, unnotified: 0, unserved: 3 });
  for (const [index, id] of invoiceIds.entries()) {
    payers.markPaid(index);
    await fetch(`${server.sandbox ?? ''}/sandbox/invoices/${id}/pay`, { method: 'POST' });
  }
  await until('all payers are told', () => payers.progress().unnotified === 0, 20_000);
  const { paidToPayer, reasons, requests, responses } = payers.measurements();
  assert.deepEqual([paidToPayer.length, reasons], [3, {}]);
  assert.ok(requests >= 6 && responses >= 6, `${requests} ${responses}`); // the first read, and one that shows the payment
});

test('a payer of a load run keeps one connection, and sees answers and faults as with the browser’s fetch', async (t) => {
  let connections = 0;
  const server = createServer((request, response) => {
    if (request.url === '/unchanged') response.writeHead(304, { etag: '"a"' }).end();
    else if (request.url === '/echo') request.pipe(response.writeHead(201, { 'x-method': request.method ?? '' }));
    else if (request.url === '/cut') response.destroy();
  });
  server.on('connection', () => (connections += 1));
  const { endpoint, close } = await listen(server, '');
  const payer = createKeepAliveFetch();
  t.after(async () => {
    payer.close();
    await close();
  });
  const unchanged = await payer.fetch(`${endpoint}/unchanged`);
  assert.deepEqual([unchanged.status, unchanged.headers.get('etag'), unchanged.body], [304, '"a"', null]);
  const echo = await payer.fetch(`${endpoint}/echo`, { method: 'POST', body: 'tea', headers: { 'x-a': 'b' } });
  assert.deepEqual([echo.status, echo.headers.get('x-method'), await echo.text()], [201, 'POST', 'tea']);
  assert.equal(connections, 1);
  await assert.rejects(payer.fetch(`${endpoint}/cut`), TypeError);
  await assert.rejects(payer.fetch(`${endpoint}/hangs`, { signal: AbortSignal.timeout(20) }), TypeError);
});

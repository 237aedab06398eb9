import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { createKeepAliveFetch } from '../../../scripts/load/keep-alive-fetch.ts';
import { observeFetch } from '../../../scripts/load/observe-fetch.ts';
import { listen } from '../../mounts/listen.ts';

test('the results of requests are recorded by status, by the system’s code and as timeouts, without those that were given up', async (t) => {
  const server = createServer((request, response) => {
    if (request.url === '/busy') response.writeHead(503).end();
    else if (request.url === '/cut') response.destroy();
  });
  const { endpoint, close } = await listen(server, '');
  const payer = createKeepAliveFetch();
  t.after(async () => {
    payer.close();
    await close();
  });
  const results: string[] = [];
  const send = observeFetch(payer.fetch, (method, result) => void results.push(`${method} ${result}`));
  await send(`${endpoint}/busy`, { method: 'POST' });
  await assert.rejects(send(`${endpoint}/cut`));
  await assert.rejects(send(`${endpoint}/hangs`, { signal: AbortSignal.timeout(20) }));
  const controller = new AbortController();
  const givenUp = send(`${endpoint}/hangs`, { signal: controller.signal });
  controller.abort();
  await assert.rejects(givenUp);
  assert.deepEqual(results, ['POST 503', 'GET ECONNRESET', 'GET timeout']);
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

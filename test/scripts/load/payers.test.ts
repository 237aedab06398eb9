import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { createKeepAliveFetch } from '../../../scripts/load/keep-alive-fetch.ts';
import { observeFetch } from '../../../scripts/load/observe-fetch.ts';
import { Payers, type PayersSample } from '../../../scripts/load/payers.ts';
import { listen } from '../../mounts/listen.ts';
import { startTestServer } from '../../support/start-test-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/wait-until.ts';

test('the payers of a load run get their invoices, and are told of a payment, by the session of the widget', async (t) => {
  const server = await startTestServer({ DATA_DIR: temporaryFolder(t), TRUST_PROXY: '1' });
  t.after(() => server.close());
  const payers = new Payers();
  t.after(() => payers.leave());
  payers.configure({ url: server.url, sandboxUrl: server.sandbox ?? '', firstIndex: 0 });
  payers.arrive(3, 100);
  const samples: PayersSample[] = [];
  const untilSample = (what: string, isMet: (sample: PayersSample) => boolean): Promise<void> =>
    until(what, () => isMet(samples[samples.push(payers.takeSample()) - 1] ?? assert.fail()), 20_000);
  await untilSample('all payers wait', ({ waiting, arriving }) => waiting === 3 && arriving === 0);
  payers.markRecovery();
  await untilSample('all long polls are open', ({ answeredPolls, otherPolls }) => answeredPolls + otherPolls === 3);
  payers.pay(10);
  await untilSample('payers are told', () => samples.flatMap(({ told }) => told).length >= 3);
  payers.pay(0);
  await untilSample(
    'everybody is told, and another one waits for each',
    ({ untold, waiting }) => untold.length === 0 && waiting === 3,
  );
  const told = samples.flatMap((sample) => sample.told);
  for (const { paidAt, toldAt = 0 } of told) assert.ok(toldAt > paidAt, `${toldAt} ${paidAt}`);
  const countAll = (kind: 'reads' | 'creates', result: string): number =>
    samples.reduce((total, sample) => total + (sample[kind][result] ?? 0), 0);
  const arrived = 3 + told.length;
  assert.equal(countAll('creates', '201'), 2 * arrived); // an order and a create request of each
  assert.ok(countAll('reads', '200') >= arrived, `${countAll('reads', '200')} ${arrived}`);
  assert.deepEqual(
    [...new Set(samples.flatMap(({ reads, creates }) => Object.keys({ ...reads, ...creates })))].sort(),
    ['200', '201'],
  );
});

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

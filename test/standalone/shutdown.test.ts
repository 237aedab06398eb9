import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../support/wait-until.ts';
import { Buyer } from '../support/buyer.ts';
import { startSandbox, startServerProcess } from '../support/standalone-server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('creates that were sent before SIGTERM, and creates that are sent just after SIGTERM, are all answered', async (t) => {
  const sandbox = await startSandbox(t);
  const faultsUrl = `${sandbox}/sandbox/faults`;
  const fault = JSON.stringify({ operation: 'CreateInvoice', kind: 'latency', ms: 1500 });
  await fetch(faultsUrl, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: fault });
  const { child, url } = await startServerProcess(t, sandbox, { DATA_DIR: temporaryFolder(t) });
  const buyers = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const buyer = new Buyer({ url, sandbox });
      await buyer.order();
      return buyer;
    }),
  );
  const exited = once(child, 'exit');
  const earlyCreates = buyers.slice(0, 25).map((buyer) => buyer.createInvoice());
  await until('the service has received 25 creates', async () =>
    (await (await fetch(faultsUrl)).text()).includes('"fired":25'),
  );
  child.kill('SIGTERM');
  const lateCreates = buyers.slice(25).map((buyer) => buyer.createInvoice());
  const results = await Promise.allSettled([...earlyCreates, ...lateCreates]);
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  assert.deepEqual(failures, []);
  assert.deepEqual(await exited, [0, null]);
});

test('a connection that a proxy keeps open is answered after the port is closed, closed by that answer, and delays no exit', async (t) => {
  const variables = { DATA_DIR: temporaryFolder(t), TRUST_PROXY: '1' };
  const { child, url } = await startServerProcess(t, await startSandbox(t), variables);
  const { port } = new URL(url);
  const exited = once(child, 'exit');
  let received = '';
  const connection = connect(Number(port), '127.0.0.1');
  connection.on('data', (chunk) => (received += String(chunk)));
  const ended = once(connection, 'close');
  const request = 'GET /healthz HTTP/1.1\r\nHost: shop.example\r\n\r\n';
  connection.write(request);
  await until('the connection is used', () => received.includes('HTTP/1.1 200 OK'));
  assert.match(received, /^connection: keep-alive\r$/im);
  received = '';
  child.kill('SIGTERM');
  await until('the port is closed', () => fetch(`${url}/healthz`).then(() => false, () => true)); // prettier-ignore
  await delay(1000);
  connection.write(request);
  await ended;
  assert.match(received, /^HTTP\/1\.1 200 OK\r$/m);
  assert.match(received, /^connection: close\r$/im);
  assert.deepEqual(await exited, [0, null]);
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { startTestServer } from '../support/start-test-server.ts';
import { Buyer } from '../support/buyer.ts';
import { until } from '../support/wait-until.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

function startServerIn(name: string, otherVariables: Readonly<Record<string, string>> = { METRICS_PORT: '0' }) {
  return startTestServer({ DATA_DIR: join(folder, name), ...otherVariables });
}

test('the server serves its metrics on the metrics port, and not on its public port', async () => {
  const server = await startServerIn('served');
  const buyer = new Buyer(server);
  await buyer.order();
  const { invoice } = await buyer.createInvoice();
  assert.ok(invoice);
  await buyer.simulate(invoice.id, 'pay');
  await buyer.waitFor('paid');
  await until('the outcome is delivered', async () => (await buyer.readDelivered()).includes('paid'));
  const response = await fetch(`${server.metrics ?? ''}/metrics`);
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  for (const sample of [
    /^pay_invoice_service_calls_total\{operation="CreateInvoice",outcome="ok"\} 1$/m,
    /^pay_invoice_service_tries_total\{operation="CreateInvoice",result="ok"\} 1$/m,
    /^pay_invoice_creates_total\{result="created"\} 1$/m,
    /^pay_invoice_outcome_deliveries_total\{kind="paid",result="ok"\} 1$/m,
    /^pay_invoice_requests_total\{route="invoice",status="201"\} 1$/m,
    /^process_resident_memory_bytes [1-9]\d{7,}$/m,
    /^nodejs_eventloop_lag_p99_seconds \d/m,
    /^# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total \d/m,
  ])
    assert.match(text, sample);
  assert.equal((await fetch(`${server.url}/metrics`)).status, 404);
  await server.close();
  await assert.rejects(fetch(`${server.metrics ?? ''}/metrics`));
});

test('the processor time is that of the process at each scrape', async () => {
  const server = await startServerIn('processor');
  const read = async () => {
    const text = await (await fetch(`${server.metrics ?? ''}/metrics`)).text();
    return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]);
  };
  const own = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
  for (let scrapes = 0; scrapes < 3; scrapes += 1) {
    const before = own();
    const seconds = await read();
    assert.ok(seconds >= before - 0.001 && seconds <= own() + 0.001, `${before} ${seconds}`);
  }
  await server.close();
});

test('the server serves no metrics without METRICS_PORT', async () => {
  const server = await startServerIn('without', {});
  assert.equal(server.metrics, null);
  await server.close();
});

test('the server answers /readyz with 503 as soon as it starts to close, and /healthz with 200 until it has closed', async () => {
  const server = await startServerIn('closing');
  const readStatus = async (path: string) => (await fetch(`${server.metrics ?? ''}${path}`)).status;
  assert.deepEqual([await readStatus('/readyz'), await readStatus('/healthz')], [200, 200]);
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  const buyer = new Buyer(server);
  await buyer.order();
  const fault = JSON.stringify({ operation: 'CreateInvoice', kind: 'latency', ms: 500 });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${server.sandbox ?? ''}/sandbox/faults`, { method: 'PUT', headers, body: fault });
  const createdCheckout = buyer.createInvoice();
  await until('the service is called', async () => {
    const faultsText = await (await fetch(`${server.sandbox ?? ''}/sandbox/faults`)).text();
    return faultsText.includes('"fired":1');
  });
  const serverClosed = server.close();
  assert.deepEqual([await readStatus('/readyz'), await readStatus('/healthz')], [503, 200]);
  assert.ok((await createdCheckout).invoice, 'the create that was running is finished');
  await serverClosed;
});

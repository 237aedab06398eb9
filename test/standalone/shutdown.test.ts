import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
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

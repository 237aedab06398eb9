import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { until } from '../support/wait-until.ts';
import { Buyer } from '../support/buyer.ts';
import { startServerProcess, startSlowService } from '../support/server-processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('creates that were sent before SIGTERM, and creates that are sent just after SIGTERM, are all answered', async (t) => {
  const folder = temporaryFolder(t);
  const service = await startSlowService(t, 1500);
  const { child, url } = await startServerProcess(t, service.url, { DATA_DIR: folder });
  const buyers = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const buyer = new Buyer({ url, sandbox: service.sandbox });
      await buyer.order();
      return buyer;
    }),
  );
  const exited = once(child, 'exit');
  const earlyCreates = buyers.slice(0, 25).map((buyer) => buyer.createInvoice());
  await until('the service has received 25 creates', () => service.creates.length >= 25);
  child.kill('SIGTERM');
  const lateCreates = buyers.slice(25).map((buyer) => buyer.createInvoice());
  const results = await Promise.allSettled([...earlyCreates, ...lateCreates]);
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  assert.deepEqual(failures, []);
  assert.deepEqual(await exited, [0, null]);
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { Buyer } from '../support/buyer.ts';
import { startTestServer } from '../support/start-test-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const skip = spawnSync('promtool', ['--version']).status === 0 ? false : 'not installed: apt-get install prometheus';

test('promtool finds no fault in the names and types of the metrics', { skip }, async (t) => {
  const server = await startTestServer({ DATA_DIR: temporaryFolder(t), METRICS_PORT: '0' });
  t.after(() => server.close());
  const buyer = new Buyer(server);
  await buyer.order();
  const { invoice } = await buyer.createInvoice();
  await buyer.simulate(invoice?.id ?? '', 'pay');
  await buyer.waitFor('paid');
  const input = await (await fetch(`${server.metrics ?? ''}/metrics`)).text();
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
  assert.deepEqual([status, stdout, stderr], [0, '', '']);
});

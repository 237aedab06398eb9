import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Payers, type PayersSample } from '../../../scripts/load/payers.ts';
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

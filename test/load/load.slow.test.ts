import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { batchSize, runLoad, type LoadResult } from '../../scripts/load/run-phases.ts';

const payers = 200;
let result: LoadResult;

// `npm run load` measures the speed, on a machine with no other work. Here only the correctness is checked.
describe(`${payers} waiting payers`, () => {
  before(async () => {
    result = await runLoad({
      payers,
      processes: 1,
      usesPostgres: false,
      seconds: 5,
      outageSeconds: 7,
      pollMs: 2000,
      waitSeconds: 3,
      sample: 20,
      hooks: false,
      fetchesPerSecond: undefined,
      profile: undefined,
      heapMegabytes: undefined,
      log: () => undefined,
    });
  });

  test('get a response to each request, for polls and for long polls', () => {
    for (const { name, measurements } of result.phases) {
      assert.equal(measurements.errors, 0, name);
      assert.ok(measurements.responses >= payers, `${name}: ${measurements.responses} responses`);
    }
  });

  test('are notified of all payments without a webhook of the service', () => {
    for (const { name, measurements, unnotified } of result.phases) {
      assert.equal(unnotified, 0, name);
      assert.equal(measurements.paidToPayer.count, 20, name);
    }
  });

  test('cause at most one FetchInvoices call per batch and tick', () => {
    const batchesPerTick = Math.ceil(payers / batchSize);
    // All fetches are aligned to ticks. One more call per tick is allowed for invoices that were paid or expedited in between.
    for (const { name, costs } of result.phases)
      assert.ok(costs.calls <= (batchesPerTick + 1) * (costs.seconds / 2 + 1), `${name}: ${costs.calls} calls`);
  });

  test('receive stale data during an outage, and current data after it', () => {
    const { outage } = result;
    assert.ok(outage !== undefined && outage.staleAnswers > 0);
    assert.equal(outage.errors, 0);
    assert.equal(outage.unnotified, 0);
    assert.ok(Number.isFinite(outage.allFreshMs), 'all payers see current data');
    assert.ok(
      outage.callsPerSecond <= 1.2 * outage.normalCallsPerSecond + 1,
      `${outage.callsPerSecond} calls a second`,
    );
  });
});

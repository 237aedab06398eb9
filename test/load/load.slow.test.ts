import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { batchSize, runLoad, type LoadResult } from '../../scripts/load/run-phases.ts';

const payers = 200;
let result: LoadResult;

// Speed is measured by `npm run load`, on a machine that does nothing else; here only what is right is held.
describe(`${payers} payers who wait`, () => {
  before(async () => {
    result = await runLoad({
      payers,
      seconds: 5,
      outageSeconds: 7,
      pollMs: 2000,
      waitSeconds: 3,
      sample: 20,
      hooks: false,
      database: undefined,
      profile: undefined,
      heapMegabytes: undefined,
      log: () => undefined,
    });
  });

  test('are all answered, by polls and by waits', () => {
    for (const { name, measurements: met } of result.phases) {
      assert.equal(met.errors, 0, name);
      assert.ok(met.responses >= payers, `${name}: ${met.responses} answers`);
    }
  });

  test('hear of their payments, every one, without a notification of the service', () => {
    for (const { name, measurements: met, unnotified: unheard } of result.phases) {
      assert.equal(unheard, 0, name);
      assert.equal(met.paidToPayer.count, 20, name);
    }
  });

  test('cost the service a call for each batch in a tick', () => {
    const perTick = Math.ceil(payers / batchSize);
    // Seeded one after another, they come to one grid; one call more for what was paid or hastened in between.
    for (const { name, costs } of result.phases)
      assert.ok(costs.calls <= (perTick + 1) * (costs.seconds / 2 + 1), `${name}: ${costs.calls} calls`);
  });

  test('are told in an outage that what they see is old, and what is new after it', () => {
    const { outage } = result;
    assert.ok(outage !== undefined && outage.staleAnswers > 0);
    assert.equal(outage.errors, 0);
    assert.equal(outage.unnotified, 0);
    assert.ok(Number.isFinite(outage.allFreshMs), 'all see what is new');
    assert.ok(
      outage.callsPerSecond <= 1.2 * outage.normalCallsPerSecond + 1,
      `${outage.callsPerSecond} calls a second`,
    );
  });
});

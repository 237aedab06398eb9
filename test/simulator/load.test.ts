import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadPlanOf } from './load-plan.ts';
import { simulateLoad } from './load-simulation.ts';

// One seed for each disturbance.
for (const seed of [5, 14, 15, 30])
  test(`the system comes back by itself: ${loadPlanOf(seed).disturbance} (seed ${seed})`, async () => {
    const { violations, ...report } = await simulateLoad(loadPlanOf(seed));
    assert.deepEqual(violations, [], JSON.stringify(report));
  });

test('a run of the load with the same seed has the same report', async () => {
  assert.deepEqual(await simulateLoad(loadPlanOf(15)), await simulateLoad(loadPlanOf(15)));
});

import fc from 'fast-check';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createRetryBudget } from '../../../src/server/invoice-client/retry-budget.ts';
import { holds } from '../../support/properties.ts';

suite('createRetryBudget', () => {
  test('starts with its reserve', () => {
    const budget = createRetryBudget({ perCall: 0.1, reserve: 3 });
    assert.deepEqual([budget.spend(), budget.spend(), budget.spend(), budget.spend()], [true, true, true, false]);
  });
  test('earns one repeat with ten calls at a tenth each, no sooner', () => {
    const budget = createRetryBudget({ perCall: 0.1, reserve: 1 });
    assert.equal(budget.spend(), true);
    for (let call = 0; call < 9; call += 1) budget.earn();
    assert.equal(budget.spend(), false);
    budget.earn();
    assert.equal(budget.spend(), true);
  });
  test('keeps no more than its reserve', () => {
    const budget = createRetryBudget({ perCall: 0.1, reserve: 2 });
    for (let call = 0; call < 1_000; call += 1) budget.earn();
    assert.deepEqual([budget.spend(), budget.spend(), budget.spend()], [true, true, false]);
  });
  test('never lets out more than its reserve and what the calls have earned', () => {
    holds(
      fc.property(
        fc.array(fc.boolean(), { maxLength: 500 }),
        fc.nat(10),
        fc.integer({ min: 1, max: 5 }),
        (events, reserve, tenths) => {
          const budget = createRetryBudget({ perCall: tenths / 10, reserve });
          let calls = 0;
          let repeats = 0;
          for (const isCall of events) {
            if (isCall) {
              calls += 1;
              budget.earn();
            } else if (budget.spend()) repeats += 1;
          }
          assert.ok(repeats <= reserve + (calls * tenths) / 10 + 1e-6);
        },
      ),
    );
  });
});

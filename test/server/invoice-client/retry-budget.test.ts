import fc from 'fast-check';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { backoffMs, createRetryBudget } from '../../../src/server/invoice-client/retry-and-rate-limit.ts';
import { holds } from '../../support/properties.ts';

suite('backoffMs', () => {
  const ceilings = [
    [1, 200],
    [2, 400],
    [3, 800],
    [4, 1_600],
    [5, 3_000],
    [6, 3_000],
    [5_000, 3_000],
  ] as const;
  for (const [tries, ceiling] of ceilings) {
    test(`is at least 0 and less than ${ceiling} ms after ${tries} tries`, () => {
      assert.equal(backoffMs(tries, 0), 0);
      assert.ok(backoffMs(tries, 1 - Number.EPSILON) < ceiling);
      assert.equal(backoffMs(tries, 0.5), ceiling / 2);
    });
  }
});

suite('createRetryBudget', () => {
  test('allows five repeats before any call, and then none', () => {
    const budget = createRetryBudget();
    assert.deepEqual(
      Array.from({ length: 6 }, () => budget.spend()),
      [true, true, true, true, true, false],
    );
  });
  test('allows one more repeat after ten calls, and no sooner', () => {
    const budget = createRetryBudget();
    while (budget.spend());
    for (let call = 0; call < 9; call += 1) budget.earn();
    assert.equal(budget.spend(), false);
    budget.earn();
    assert.equal(budget.spend(), true);
  });
  test('allows 20 tries without the QR beyond the balance, and no other repeat until the balance is positive', () => {
    const budget = createRetryBudget();
    while (budget.spend());
    const overdrafts = Array.from({ length: 21 }, () => budget.spend(true));
    assert.deepEqual(overdrafts, [...Array<boolean>(20).fill(true), false]);
    for (let refund = 0; refund < 20; refund += 1) budget.refund();
    assert.equal(budget.spend(), false);
    budget.refund();
    assert.equal(budget.spend(), true);
  });
  test('never allows more repeats than five and a tenth of the calls', () => {
    holds(
      fc.property(fc.array(fc.boolean(), { maxLength: 500 }), (events) => {
        const budget = createRetryBudget();
        let calls = 0;
        let repeats = 0;
        for (const isCall of events) {
          if (isCall) {
            calls += 1;
            budget.earn();
          } else if (budget.spend()) repeats += 1;
        }
        assert.ok(repeats <= 5 + calls / 10 + 1e-6);
      }),
    );
  });
});

import fc from 'fast-check';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { backoffMs, createRetryBudget } from '../../../src/server/invoice-client/retry-policy.ts';
import { holds } from '../../support/properties.ts';

/** A random generator (Mulberry32) that returns the same numbers in every run. */
function createSeededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

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
    test(`is spread evenly from 0 to ${ceiling} ms after ${tries} tries`, () => {
      const random = createSeededRandom(tries);
      const buckets = new Array<number>(10).fill(0);
      for (let sample = 0; sample < 10_000; sample += 1) {
        const bucket = Math.floor((backoffMs(tries, random()) / ceiling) * 10);
        buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      }
      assert.equal(buckets.length, 10);
      for (const count of buckets) assert.ok(count > 880 && count < 1_120, buckets.join(' '));
    });
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

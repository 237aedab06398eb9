import fc from 'fast-check';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { backoffMs, createRetryBudget } from '../../../src/server/invoice-client/retry-loop.ts';
import { holds } from '../../support/properties.ts';

const settings = { baseMs: 200, capMs: 3_000 };

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
        const bucket = Math.floor((backoffMs(tries, settings, random()) / ceiling) * 10);
        buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      }
      assert.equal(buckets.length, 10);
      for (const count of buckets) assert.ok(count > 880 && count < 1_120, buckets.join(' '));
    });
    test(`is at least 0 and less than ${ceiling} ms after ${tries} tries`, () => {
      assert.equal(backoffMs(tries, settings, 0), 0);
      assert.ok(backoffMs(tries, settings, 1 - Number.EPSILON) < ceiling);
      assert.equal(backoffMs(tries, settings, 0.5), ceiling / 2);
    });
  }
  test('is never beyond the cap, for any settings', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    holds(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.nat(1e6),
        fc.nat(1e6),
        random,
        (tries, baseMs, capMs, randomValue) => {
          const ms = backoffMs(tries, { baseMs, capMs }, randomValue);
          assert.ok(ms >= 0 && ms <= capMs);
        },
      ),
    );
  });
});

suite('createRetryBudget', () => {
  test('allows as many repeats as its reserve before any call', () => {
    const budget = createRetryBudget({ perCall: 0.1, reserve: 3 });
    assert.deepEqual([budget.spend(), budget.spend(), budget.spend(), budget.spend()], [true, true, true, false]);
  });
  test('allows one more repeat after ten calls that earn a tenth each, and no sooner', () => {
    const budget = createRetryBudget({ perCall: 0.1, reserve: 1 });
    assert.equal(budget.spend(), true);
    for (let call = 0; call < 9; call += 1) budget.earn();
    assert.equal(budget.spend(), false);
    budget.earn();
    assert.equal(budget.spend(), true);
  });
  test('never saves more repeats than its reserve', () => {
    const budget = createRetryBudget({ perCall: 0.1, reserve: 2 });
    for (let call = 0; call < 1_000; call += 1) budget.earn();
    assert.deepEqual([budget.spend(), budget.spend(), budget.spend()], [true, true, false]);
  });
  test('never allows more repeats than its reserve plus the repeats that calls have earned', () => {
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

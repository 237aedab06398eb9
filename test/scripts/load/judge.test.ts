import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countServed, partOf, recoverySeconds, secondsUntilAsBefore } from '../../../scripts/load/judge.ts';
import { calmSample } from './calm-sample.ts';

/** A minute of samples, whose disturbance ends at 10 s; `change` is applied to the sample of each second. */
const samplesOf = (change: (at: number) => object) =>
  Array.from({ length: 60 }, (_, index) => ({ ...calmSample(index + 1), ...change(index + 1) }));

test('everything is as before at once when nothing was different', () => {
  assert.equal(secondsUntilAsBefore({ samples: samplesOf(() => ({})), payments: [] }, 10), 0);
});

test('payers count as served again when 99 % of them are for good', () => {
  const samples = samplesOf((at) => ({ served: at <= 15 || at === 22 ? 989 : 990 }));
  assert.equal(secondsUntilAsBefore({ samples, payments: [] }, 10), 12);
});

test('what has failed before the end of the disturbance does not count', () => {
  const samples = samplesOf((at) => ({ reads: at <= 10 ? { 503: 7 } : { 304: 40 } }));
  assert.equal(secondsUntilAsBefore({ samples, payments: [] }, 10), 0);
});

for (const result of ['503', '500', '429', 'ECONNRESET', 'timeout'])
  test(`a read that ends with ${result} delays the return to normal`, () => {
    const samples = samplesOf((at) => ({ reads: at === 18 ? { 304: 40, [result]: 1 } : { 200: 1, 304: 40 } }));
    assert.equal(recoverySeconds({ samples, payments: [] }, 10, 'reads'), 8);
  });

test('a payment that is untold for 3 s delays the return until its payer is told', () => {
  const samples = samplesOf(() => ({}));
  const until = (paidAt: number, toldAt?: number): number =>
    recoverySeconds({ samples, payments: [{ paidAt, ...(toldAt !== undefined && { toldAt }) }] }, 10, 'told');
  assert.equal(until(9.5, 12.4), 0);
  assert.equal(until(5, 12.4), 3); // the sample at 13 s is the last one in which he was not told
  assert.equal(until(30, 33.5), 24);
  assert.equal(until(30), Infinity);
  assert.equal(until(58), 0); // nobody knows yet
});

test('a run whose last sample is bad is never as before', () => {
  const samples = samplesOf((at) => ({ served: at === 60 ? 0 : 1000 }));
  assert.equal(secondsUntilAsBefore({ samples, payments: [] }, 10), Infinity);
});

test('nothing is as before when nothing was seen after the disturbance', () => {
  const samples = samplesOf(() => ({}));
  assert.equal(secondsUntilAsBefore({ samples, payments: [] }, 60), Infinity);
  assert.equal(secondsUntilAsBefore({ samples: [], payments: [] }, 0), Infinity);
});

test('a held poll counts for a payer without an answer only after those of the answered payers', () => {
  assert.equal(countServed({ answered: 600, answeredPolls: 590, otherPolls: 400 }, 0), 600);
  assert.equal(countServed({ answered: 600, answeredPolls: 590, otherPolls: 400 }, 690), 700);
  assert.equal(countServed({ answered: 600, answeredPolls: 590, otherPolls: 400 }, 5000), 1000);
});

test('a payment that is due during a disturbance belongs to it', () => {
  const times = { disturbedAt: 20, endedAt: 30 };
  assert.deepEqual(
    [17, 17.1, 30, 30.1].map((paidAt) => partOf({ paidAt }, times)),
    [0, 1, 1, 2],
  );
});

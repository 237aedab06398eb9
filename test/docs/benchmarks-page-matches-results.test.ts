import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readStoreResults, storePage } from '../../scripts/bench-store/report.ts';
import { waitingPage, type RecordedWaiting } from '../../scripts/load/waiting/report.ts';
import { pageOf } from '../bench/write-benchmarks-page.ts';
import { median } from '../bench/statistics.ts';

test('docs/benchmarks.md matches its results', () => {
  assert.equal(readFileSync('docs/benchmarks.md', 'utf8'), pageOf());
});

test('docs/waiting-payers.md and docs/store-benchmarks.md match their results', () => {
  const recorded = JSON.parse(readFileSync('test/bench/results/waiting.json', 'utf8')) as RecordedWaiting;
  assert.equal(readFileSync('docs/waiting-payers.md', 'utf8'), waitingPage(recorded));
  assert.equal(readFileSync('docs/store-benchmarks.md', 'utf8'), storePage(readStoreResults()));
});

for (const { values, middle } of [
  { values: [7], middle: 7 },
  { values: [30, 4, 5], middle: 5 },
  { values: [1, 100, 3, 2], middle: 2.5 },
  { values: [], middle: NaN },
])
  test(`the median of [${values.join(', ')}] is ${middle}`, () => assert.equal(median(values), middle));

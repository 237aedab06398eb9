import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { formatWaitingPage, type RecordedWaiting } from '../../scripts/load/waiting/report.ts';
import { formatBenchmarksPage } from '../bench/write-benchmarks-page.ts';
import { median } from '../bench/statistics.ts';

test('docs/development/benchmarks.md matches its results', () => {
  assert.equal(readFileSync('docs/development/benchmarks.md', 'utf8'), formatBenchmarksPage());
});

test('docs/development/waiting-payers.md matches its results', () => {
  const waitingResults = JSON.parse(readFileSync('test/bench/results/waiting.json', 'utf8')) as RecordedWaiting;
  assert.equal(readFileSync('docs/development/waiting-payers.md', 'utf8'), formatWaitingPage(waitingResults));
});

for (const { values, expectedMedian } of [
  { values: [7], expectedMedian: 7 },
  { values: [30, 4, 5], expectedMedian: 5 },
  { values: [1, 100, 3, 2], expectedMedian: 2.5 },
  { values: [], expectedMedian: NaN },
])
  test(`the median of [${values.join(', ')}] is ${expectedMedian}`, () => assert.equal(median(values), expectedMedian));

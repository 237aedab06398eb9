import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { formatBenchmarksPage } from '../bench/write-benchmarks-page.ts';
import { median } from '../bench/statistics.ts';

test('docs/development/benchmarks.md matches its results', () => {
  assert.equal(readFileSync('docs/development/benchmarks.md', 'utf8'), formatBenchmarksPage());
});

for (const { values, expectedMedian } of [
  { values: [7], expectedMedian: 7 },
  { values: [30, 4, 5], expectedMedian: 5 },
  { values: [1, 100, 3, 2], expectedMedian: 2.5 },
  { values: [], expectedMedian: NaN },
])
  test(`the median of [${values.join(', ')}] is ${expectedMedian}`, () => assert.equal(median(values), expectedMedian));

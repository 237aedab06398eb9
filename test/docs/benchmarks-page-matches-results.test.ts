import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pageOf } from '../bench/write-benchmarks-page.ts';
import { median } from '../bench/statistics.ts';

test('docs/benchmarks.md is what its results make of it', () => {
  assert.equal(readFileSync('docs/benchmarks.md', 'utf8'), pageOf());
});

for (const { values, middle } of [
  { values: [7], middle: 7 },
  { values: [30, 4, 5], middle: 5 },
  { values: [1, 100, 3, 2], middle: 2.5 },
  { values: [], middle: NaN },
])
  test(`the median of [${values.join(', ')}] is ${middle}`, () => assert.equal(median(values), middle));

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listChecks } from '../../src/conformance.ts';
import { testMerchant } from './run-in-process.ts';
import { readingDefects } from './defects/reading.ts';
import { serviceDefects } from './defects/service.ts';
import { unspecifiedDefects } from './defects/unspecified.ts';
import { writingDefects } from './defects/writing.ts';

const seeded = [...readingDefects, ...writingDefects, ...serviceDefects, ...unspecifiedDefects];

for (const { check, defect, merchant, with: others = [] } of seeded)
  test(`${check} finds that ${defect}`, async () => {
    const report = await testMerchant(merchant(), { only: [check, ...others] });
    const result = report.results.find(({ id }) => id === check);
    assert.equal(result?.verdict, 'violation', JSON.stringify(result));
    for (const text of [result.expected, result.got, result.fix]) assert.ok(text);
  });

test('every check fails for a defect of its own', () => {
  const failing = new Set(seeded.map(({ check }) => check));
  assert.deepEqual(
    listChecks()
      .map(({ id }) => id)
      .filter((id) => !failing.has(id)),
    [],
  );
});

test('no check reports a violation for a correct backend', async () => {
  for (const { id } of listChecks()) {
    const { results } = await testMerchant({}, { only: [id] });
    assert.ok(
      results.every(({ verdict }) => verdict !== 'violation'),
      JSON.stringify(results),
    );
  }
});

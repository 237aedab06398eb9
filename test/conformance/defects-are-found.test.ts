import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listChecks } from '../../src/conformance.ts';
import { runInProcess } from './run-in-process.ts';
import { readDefects } from './defects/read-defects.ts';
import { serviceDefects } from './defects/service-defects.ts';
import { unspecifiedDefects } from './defects/unspecified-defects.ts';
import { writeDefects } from './defects/write-defects.ts';

const defects = [...readDefects, ...writeDefects, ...serviceDefects, ...unspecifiedDefects];

for (const { check, defect, changes, with: others = [] } of defects)
  test(`${check} reports a violation when ${defect}`, async () => {
    const report = await runInProcess(changes(), { only: [check, ...others] });
    const result = report.results.find(({ id }) => id === check);
    assert.equal(result?.verdict, 'violation', JSON.stringify(result));
    for (const text of [result.expected, result.got, result.fix]) assert.ok(text);
  });

test('every check has a defect that it reports', () => {
  const failing = new Set(defects.map(({ check }) => check));
  assert.deepEqual(
    listChecks()
      .map(({ id }) => id)
      .filter((id) => !failing.has(id)),
    [],
  );
});

test('no check reports a violation for a correct backend', async () => {
  for (const { id } of listChecks()) {
    const { results } = await runInProcess({}, { only: [id] });
    assert.ok(
      results.every(({ verdict }) => verdict !== 'violation'),
      JSON.stringify(results),
    );
  }
});

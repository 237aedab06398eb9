import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { machineOf } from '../../scripts/figures/machine.ts';
import { readResult } from '../../scripts/figures/results.ts';
import { digestOf, leastScore, readScores, readSurvivors, scoreOf } from '../../scripts/figures/scores.ts';
import { mutationPart, pageOf } from '../../scripts/figures/testing-page.ts';
import { equivalents } from '../mutation/equivalents.ts';
import { groups } from '../mutation/groups.ts';

test('docs/testing.md is what its results make of it', () => {
  assert.equal(readFileSync('docs/testing.md', 'utf8'), pageOf());
});

const scores = readResult('mutation') ?? {};
for (const module of groups.flatMap(({ modules }) => modules))
  test(`of the changes of ${module} at least ${leastScore} % are noticed, by its last measurement`, () => {
    const score = scores[module]?.score ?? assert.fail('it was never measured');
    assert.ok(score >= leastScore, `${score} %`);
  });

const module = 'src/core/backoff.ts';
for (const [name, digest, isMarked] of [
  ['of what the module is now is not', digestOf(readFileSync(module, 'utf8')), false],
  ['of another source is', digestOf(''), true],
  ['of nobody knows what is', undefined, true],
] as const)
  test(`a score ${name} marked as changed`, () => {
    const score = { ...machineOf(), module, noticed: 1, survived: 0, explained: 0, score: 100, digest };
    assert.equal(mutationPart({ [module]: score }).includes(`\`${module}\` \\*`), isMarked);
  });

test('each explanation is of a line that is there', () => {
  for (const { module, line, why } of equivalents) assert.ok(readFileSync(module, 'utf8').includes(line), why);
});

const position = (line: number, from: number, to: number): object => ({
  start: { line, column: from },
  end: { line, column: to },
});
const source = 'const a = 1;\nif (a > 2) stop();\n';
const report = JSON.stringify({
  files: {
    'src/one.ts': {
      source,
      mutants: [
        { status: 'Killed', replacement: 'false', location: position(2, 5, 10) },
        { status: 'Timeout', replacement: 'true', location: position(2, 5, 10) },
        { status: 'Survived', replacement: 'a >= 2', location: position(2, 5, 10) },
        { status: 'NoCoverage', replacement: '', location: position(1, 1, 13) },
        { status: 'CompileError', replacement: '', location: position(1, 1, 13) },
      ],
    },
  },
});

test('what was not covered counts as not noticed, what cannot be compiled does not count', () => {
  const found = readScores(report);
  const digest = digestOf(source);
  assert.deepEqual(found, [{ module: 'src/one.ts', noticed: 2, survived: 2, explained: 0, score: 50, digest }]);
  assert.equal(scoreOf(found), 50);
});

test('a survivor is told with what stood in its place', () => {
  assert.deepEqual(
    readSurvivors(report).map(({ line, was, became }) => [line, was, became]),
    [
      [2, 'a > 2', 'a >= 2'],
      [1, 'const a = 1;', ''],
    ],
  );
});

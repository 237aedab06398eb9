// Shows that the tests can fail: `npm run test:mutation [-- --check group or module …]`. Stryker changes the modules of test/mutation/groups.ts
// piece by piece and runs the tests of their group on each change; fewer than 85 noticed changes of 100 in any module are
// a failure. The report of each group stays in .tmp/mutation, as JSON and as a page; the scores go to test/results and
// docs/testing.md, unless all that is wanted is a check.
import { Stryker } from '@stryker-mutator/core';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { groups, testFilesOf, type Group } from '../test/mutation/groups.ts';
import { machineOf } from './figures/machine.ts';
import { readResult, writeResult } from './figures/results.ts';
import { leastScore, readScores, readSurvivors, reportOf, type Score } from './figures/scores.ts';
import { writePage } from './figures/testing-page.ts';

const isCheck = process.argv.includes('--check');
const named = process.argv.slice(2).filter((name) => name !== '--check');
const isWanted = ({ name }: Group, module: string): boolean =>
  named.length === 0 || named.includes(name) || named.includes(basename(module, '.ts'));

// The same properties with the same seed for each mutant: a survivor survives again.
process.env['FC_SEED'] ??= '20261121';
process.env['FC_RUNS'] ??= '20';

async function run(group: Group): Promise<readonly Score[]> {
  const modules = group.modules.filter((module) => isWanted(group, module));
  if (modules.length === 0) return [];
  const report = reportOf(group.name);
  rmSync(report, { force: true });
  await new Stryker({
    mutate: [...modules],
    testRunner: 'tap',
    plugins: ['@stryker-mutator/tap-runner'],
    tap: {
      testFiles: testFilesOf(group).map((name) => `.mutation/${name.replace(/\.ts$/, '.mjs')}`),
      nodeArgs: ['--enable-source-maps=false', '--test-reporter=tap', '-r', '{{hookFile}}', '{{testFile}}'],
      forceBail: true,
    },
    buildCommand: `tsx test/mutation/bundle.ts ${group.name}`,
    coverageAnalysis: 'perTest',
    concurrency: 1,
    // What never ends, and not what is slow on a busy machine, counts as noticed.
    timeoutMS: 30_000,
    tempDirName: `.tmp/stryker-${group.name}`,
    ignorePatterns: ['.data', '.screens', '.tmp', 'dist', 'docs', 'demo'],
    reporters: ['json', 'html', 'progress-append-only'],
    jsonReporter: { fileName: report },
    htmlReporter: { fileName: report.replace(/json$/, 'html') },
    thresholds: { high: 95, low: leastScore, break: leastScore },
    disableTypeChecks: false,
    allowConsoleColors: false,
  }).runMutationTest();
  if (!existsSync(report)) throw new Error(`${group.name}: Stryker wrote no report`);
  const text = readFileSync(report, 'utf8');
  for (const { module, line, was, became, why } of readSurvivors(text))
    if (why === undefined) console.log(`Not noticed: ${module}:${line} ${oneLine(was)} → ${oneLine(became)}`);
  const scores = readScores(text);
  if (!isCheck) {
    const found = scores.map((one) => [one.module, { ...machineOf(), ...one }] as const);
    writeResult('mutation', { ...readResult('mutation'), ...Object.fromEntries(found) });
    writePage();
  }
  return scores;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 100);

const scores: Score[] = [];
for (const group of groups) scores.push(...(await run(group)));
if (scores.length === 0) throw new RangeError(`no module is called ${named.join(' or ')}`);
for (const { module, score, noticed, explained, survived } of scores)
  console.log(
    `${score.toFixed(1).padStart(5)} % ${module}: ${noticed} noticed, ${explained} explained, ${survived} not`,
  );
const weak = scores.filter(({ score }) => score < leastScore);
if (weak.length > 0) {
  console.error(`Below ${leastScore} %: ${weak.map(({ module }) => module).join(', ')}`);
  process.exitCode = 1;
}

// Mutation testing: `npm run test:mutation [-- group or module …]`. Stryker changes the modules of test/mutation/groups.ts in
// one place after another and runs the tests of their group on each change. A module of which fewer than 85 % of the
// changes make a test fail is a failure; some changes that no test can detect are among them. The reports stay in
// .tmp/mutation, as JSON and as a page. `--sample N` changes only what stands on every Nth line of a module, so that all groups
// can be looked at in minutes. The sample of one module is small: the score is that of the whole sample.
import { Stryker } from '@stryker-mutator/core';
import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { groups, programsOf, type Group } from '../test/mutation/groups.ts';

/** Percent of a module's changes that the tests have to detect. */
const requiredScore = 85;

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

const { values, positionals } = parseArgs({
  options: { sample: { type: 'string' } },
  allowPositionals: true,
});
const isSelected = ({ name }: Group, module: string): boolean =>
  positionals.length === 0 || positionals.includes(name) || positionals.includes(basename(module, '.ts'));

/** The parts of a module that are changed, as Stryker names them: the module, or single lines of it. */
function partsOf(module: string): readonly string[] {
  if (values.sample === undefined) return [module];
  const lines = readFileSync(module, 'utf8').split('\n').keys();
  return [...lines].filter((line) => line % Number(values.sample) === 1).map((line) => `${module}:${line}-${line}`);
}

// Each mutant is tested with the same seed, so that a run can be repeated.
process.env['FC_SEED'] ??= '20261121';
process.env['FC_RUNS'] ??= '20';

async function mutateGroup(group: Group): Promise<readonly Mutant[]> {
  const modules = group.modules.filter((module) => isSelected(group, module));
  if (modules.length === 0) return [];
  return new Stryker({
    mutate: modules.flatMap(partsOf),
    testRunner: 'tap',
    plugins: ['@stryker-mutator/tap-runner'],
    tap: {
      testFiles: [...programsOf(group)],
      nodeArgs: ['--enable-source-maps=false', '--test-reporter=tap', '-r', '{{hookFile}}', '{{testFile}}'],
      forceBail: true,
    },
    buildCommand: `tsx test/mutation/bundle.ts ${group.name}`,
    coverageAnalysis: 'perTest',
    concurrency: 1,
    // Even on a busy machine, only an endless loop takes so long.
    timeoutMS: 30_000,
    tempDirName: `.tmp/stryker-${group.name}`,
    ignorePatterns: ['.data', '.screens', '.tmp', 'dist', 'docs', 'demo'],
    reporters: ['json', 'html', 'progress-append-only'],
    jsonReporter: { fileName: `.tmp/mutation/${group.name}.json` },
    htmlReporter: { fileName: `.tmp/mutation/${group.name}.html` },
    disableTypeChecks: false,
    allowConsoleColors: false,
  }).runMutationTest();
}

const countMutants = (mutants: readonly Mutant[], ...statuses: readonly Mutant['status'][]): number =>
  mutants.filter(({ status }) => statuses.includes(status)).length;

/** Prints the score of a module or a group and its survivors; returns whether the score is high enough. */
function report(name: string, mutants: readonly Mutant[]): boolean {
  const detectedCount = countMutants(mutants, 'Killed', 'Timeout');
  const survivors = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const score = (100 * detectedCount) / (detectedCount + survivors.length);
  for (const { fileName, location, mutatorName, replacement = '' } of survivors)
    console.log(
      `Not noticed: ${relative('', fileName)}:${location.start.line} ${mutatorName} → ${replacement.slice(0, 100)}`,
    );
  console.log(`${score.toFixed(1)} % ${name}: ${detectedCount} noticed, ${survivors.length} not`);
  return score >= requiredScore;
}

const scored = new Map<string, Mutant[]>();
for (const group of groups)
  for (const mutant of await mutateGroup(group)) {
    const name = values.sample === undefined ? relative('', mutant.fileName) : 'the sample';
    scored.set(name, [...(scored.get(name) ?? []), mutant]);
  }
const weakNames = [...scored].filter(([name, mutants]) => !report(name, mutants)).map(([name]) => name);
if (scored.size === 0) throw new RangeError(`no module is called ${positionals.join(' or ')}`);
if (weakNames.length > 0) {
  console.error(`Below ${requiredScore} %: ${weakNames.join(', ')}`);
  process.exitCode = 1;
}

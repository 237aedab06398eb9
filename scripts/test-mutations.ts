// Mutation testing: `npm run test:mutation [-- group or module …]`. Stryker changes the modules of test/mutation/groups.ts in
// one place after another and runs the tests of their group on each change. A module of which fewer than 85 % of the
// changes make a test fail is a failure; some changes that no test can detect are among them. The reports stay in
// .tmp/mutation, as JSON and as a page. `--today` changes one module, another one each day.
import { Stryker } from '@stryker-mutator/core';
import { basename, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { groups, testFilesOf, type Group } from '../test/mutation/groups.ts';

/** Percent of a module's changes that the tests have to detect. */
const requiredScore = 85;

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

const { values, positionals } = parseArgs({
  options: { today: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const moduleNames = groups.flatMap(({ modules }) => modules.map((module) => basename(module, '.ts')));
const today = moduleNames[Math.floor(Date.now() / 86_400_000) % moduleNames.length] ?? '';
const selectedNames = values.today ? [today] : positionals;
const isSelected = ({ name }: Group, module: string): boolean =>
  selectedNames.length === 0 || selectedNames.includes(name) || selectedNames.includes(basename(module, '.ts'));

// Each mutant is tested with the same seed, so that a run can be repeated.
process.env['FC_SEED'] ??= '20261121';
process.env['FC_RUNS'] ??= '20';

async function mutateGroup(group: Group): Promise<readonly Mutant[]> {
  const modules = group.modules.filter((module) => isSelected(group, module));
  if (modules.length === 0) return [];
  return new Stryker({
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

/** Prints a module's score and its survivors; returns whether the score is high enough. */
function reportModule(module: string, mutants: readonly Mutant[]): boolean {
  const detectedCount = countMutants(mutants, 'Killed', 'Timeout');
  const survivors = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const score = (100 * detectedCount) / (detectedCount + survivors.length);
  for (const { location, mutatorName, replacement = '' } of survivors)
    console.log(`Not noticed: ${module}:${location.start.line} ${mutatorName} → ${replacement.slice(0, 100)}`);
  console.log(`${score.toFixed(1)} % ${module}: ${detectedCount} noticed, ${survivors.length} not`);
  return score >= requiredScore;
}

const mutants: Mutant[] = [];
for (const group of groups) mutants.push(...(await mutateGroup(group)));
if (mutants.length === 0) throw new RangeError(`no module is called ${selectedNames.join(' or ')}`);
const modulePath = ({ fileName }: Mutant): string => relative('', fileName);
const weakModules = [...new Set(mutants.map(modulePath))].filter(
  (module) =>
    !reportModule(
      module,
      mutants.filter((mutant) => modulePath(mutant) === module),
    ),
);
if (weakModules.length > 0) {
  console.error(`Below ${requiredScore} %: ${weakModules.join(', ')}`);
  process.exitCode = 1;
}

// Mutation testing: `npm run test:mutation [-- group or module …]`. Stryker changes the modules of test/mutation/groups.ts in
// one place after another and runs the tests of their group on each change. A module of which fewer than 95 % of the
// changes make a test fail is a failure. Changes that no test can detect are excluded in the source, each with its reason:
// `// Stryker disable next-line <mutator>: <reason>`. The reports stay in .tmp/mutation, as JSON and as a page.
import { Stryker } from '@stryker-mutator/core';
import { basename, relative } from 'node:path';
import { groups, testFilesOf, type Group } from '../test/mutation/groups.ts';

/** Percent of a module's changes that the tests have to detect. */
const requiredScore = 95;

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

const named = process.argv.slice(2);
const isWanted = ({ name }: Group, module: string): boolean =>
  named.length === 0 || named.includes(name) || named.includes(basename(module, '.ts'));

// The same properties with the same seed for each mutant: a survivor survives again.
process.env['FC_SEED'] ??= '20261121';
process.env['FC_RUNS'] ??= '20';

async function run(group: Group): Promise<readonly Mutant[]> {
  const modules = group.modules.filter((module) => isWanted(group, module));
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
    // Only an endless loop takes so long, also on a busy machine.
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

const countOf = (mutants: readonly Mutant[], ...statuses: readonly Mutant['status'][]): number =>
  mutants.filter(({ status }) => statuses.includes(status)).length;

/** Prints a module's score and its survivors; returns whether the score is high enough. */
function report(module: string, mutants: readonly Mutant[]): boolean {
  const noticed = countOf(mutants, 'Killed', 'Timeout');
  const survivors = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const score = (100 * noticed) / (noticed + survivors.length);
  for (const { location, mutatorName, replacement = '' } of survivors)
    console.log(`Not noticed: ${module}:${location.start.line} ${mutatorName} → ${replacement.slice(0, 100)}`);
  const excluded = countOf(mutants, 'Ignored');
  console.log(`${score.toFixed(1)} % ${module}: ${noticed} noticed, ${survivors.length} not, ${excluded} excluded`);
  return score >= requiredScore;
}

const mutants: Mutant[] = [];
for (const group of groups) mutants.push(...(await run(group)));
if (mutants.length === 0) throw new RangeError(`no module is called ${named.join(' or ')}`);
const moduleOf = ({ fileName }: Mutant): string => relative('', fileName);
const weakModules = [...new Set(mutants.map(moduleOf))].filter(
  (module) =>
    !report(
      module,
      mutants.filter((mutant) => moduleOf(mutant) === module),
    ),
);
if (weakModules.length > 0) {
  console.error(`Below ${requiredScore} %: ${weakModules.join(', ')}`);
  process.exitCode = 1;
}

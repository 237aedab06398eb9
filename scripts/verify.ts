// Runs the project's checks as a graph of steps: `npm test` runs the quick steps, `npm run test:all` (`--rest`) runs the
// other steps. Each step's output is kept in .tmp/verify.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { firefox } from '../test/support/browser/firefox.mjs';
import { miniBrowser } from '../test/support/browser/webkit-driver.mjs';
import { findBinaries } from './with-postgres.ts';
import { runSteps, type Result } from './verify/run-steps.ts';
import { debianPackages, quickSteps, remainingSteps, type Program, type Step } from './verify/steps.ts';

const isInstalled: Readonly<Record<Program, boolean>> = {
  firefox: firefox() !== undefined,
  webkit: miniBrowser() !== undefined,
  postgresql: findBinaries() !== undefined,
};

const missingPrograms = ({ programs = [] }: Step): readonly Program[] =>
  programs.filter((program) => !isInstalled[program]);

const { values } = parseArgs({ options: { rest: { type: 'boolean', default: false } } });
const steps = values.rest ? remainingSteps : quickSteps;
const skipped = steps.flatMap((step): readonly Result[] => {
  const missing = missingPrograms(step);
  const packages = missing.map((program) => debianPackages[program]).join(' ');
  const reason = `not installed: ${missing.join(', ')} (apt-get install ${packages})`;
  return missing.length === 0 ? [] : [{ name: step.name, status: 'skipped', reason }];
});
for (const { name, reason } of skipped) console.log(`SKIPPED ${name}: ${reason}`);
if (values.rest) console.log('Everything that `npm test` does not run; run `npm test` first.');

const startedAt = performance.now();
const runnable = steps.filter((step) => missingPrograms(step).length === 0);
const results = [...(await runSteps(runnable, availableParallelism())), ...skipped];
const countResults = (status: Result['status']): number => results.filter((result) => result.status === status).length;

console.log(`\n${((performance.now() - startedAt) / 1000).toFixed(0)} s; outputs are in .tmp/verify`);
for (const { name, failures } of results) if (failures !== undefined) console.log(`\n--- ${name}\n${failures}`);
for (const { name, status, reason } of results) {
  if (status === 'failed') console.log(`FAILED  ${name}`);
  if (status === 'skipped') console.log(`SKIPPED ${name}: ${reason}`);
}
console.log(
  `steps: ${countResults('passed')} passed, ${countResults('failed')} failed, ${countResults('skipped')} skipped`,
);
// With CI=true a step whose program is missing is a failure: a green run has run everything.
const failures = countResults('failed') + (process.env['CI'] === 'true' ? countResults('skipped') : 0);
process.exitCode = failures > 0 ? 1 : 0;

// Runs the project's checks as a graph of steps: `npm test` runs the quick steps, `npm run test:all` (`--rest`) runs the
// other steps. Each step's output is kept in .tmp/verify.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { firefox } from '../test/support/browser/firefox.mjs';
import { miniBrowser } from '../test/support/browser/webkit-driver.mjs';
import { findBinaries } from './with-postgres.ts';
import { debianPackages, quickSteps, remainingSteps, type Program, type Step } from './verify/steps.ts';

interface Result {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Why a step was skipped. */
  readonly reason?: string;
  /** What a failed step printed about its failures. */
  readonly failures?: string;
}

/** The folder of each step's output. */
const logFolder = '.tmp/verify';
/** How many lines of a failed step's output are printed, at most. */
const printedLines = 40;
/** How many of them belong to one failed test. */
const linesOfFailure = 5;

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
// The quick steps often wait, for a timer or a browser: one more than there are cores keeps the cores busy.
const slots = availableParallelism() + (values.rest ? 0 : 1);
const runnable = steps.filter((step) => missingPrograms(step).length === 0);
const results = [...(await runSteps(runnable, slots)), ...skipped];
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

/**
 * Runs steps in parallel, at most `slots` at a time. A step starts when the steps that it needs have passed; otherwise steps
 * start in the order of the list. Prints a line for each step.
 */
async function runSteps(steps: readonly Step[], slots: number): Promise<readonly Result[]> {
  mkdirSync(logFolder, { recursive: true });
  const queuedSteps = [...steps];
  const runningSteps = new Map<Step, Promise<void>>();
  const results = new Map<string, Result>();

  const hasFreeSlot = (step: Step): boolean => {
    if ([...runningSteps.keys()].some(({ isExclusive }) => isExclusive)) return false;
    return step.isExclusive ? runningSteps.size === 0 && queuedSteps.length === 1 : runningSteps.size < slots;
  };
  const isReady = ({ needs = [] }: Step): boolean => needs.every((name) => results.has(name));
  const removeFromQueue = (step: Step): void => void queuedSteps.splice(queuedSteps.indexOf(step), 1);

  while (queuedSteps.length > 0 || runningSteps.size > 0) {
    const nextStep = queuedSteps.find((step) => isReady(step) && hasFreeSlot(step));
    if (nextStep === undefined) {
      if (runningSteps.size === 0)
        throw new Error(`no step can start: ${queuedSteps.map(({ name }) => name).join(', ')}`);
      await Promise.race(runningSteps.values());
      continue;
    }
    removeFromQueue(nextStep);
    const failedNeed = (nextStep.needs ?? []).find((name) => results.get(name)?.status !== 'passed');
    if (failedNeed !== undefined) {
      results.set(nextStep.name, { name: nextStep.name, status: 'skipped', reason: `${failedNeed} did not pass` });
      continue;
    }
    runningSteps.set(
      nextStep,
      runStep(nextStep).then((result) => {
        results.set(nextStep.name, result);
        runningSteps.delete(nextStep);
      }),
    );
  }
  return [...results.values()];
}

async function runStep({ name, command, env }: Step): Promise<Result> {
  const file = `${logFolder}/${name.replaceAll(/[^\w-]+/g, '-')}.log`;
  console.log(`start   ${name}`);
  const startedAt = performance.now();
  const output = createWriteStream(file);
  await once(output, 'open');
  const child = spawn('sh', ['-c', command], {
    env: { ...process.env, ...env, FORCE_COLOR: '0' },
    stdio: ['ignore', output, output],
  });
  await once(child, 'close');
  output.close();
  const isPassed = child.exitCode === 0;
  const wallSeconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`${isPassed ? 'passed ' : 'FAILED '} ${name}: ${wallSeconds} s`);
  return isPassed ? { name, status: 'passed' } : { name, status: 'failed', failures: await failuresIn(file) };
}

/** Whether a failed test begins here: in the list at the end of a run of Node's test runner, or in Web Test Runner's output. */
function isFailedTest(line: string): boolean {
  return line.startsWith('test at ') || line.includes('❌');
}

/** The first lines of each failed test in a step's output; where it names none, the end of the output. */
async function failuresIn(file: string): Promise<string> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const failures = lines.filter((_, index) =>
    lines.slice(Math.max(0, index + 1 - linesOfFailure), index + 1).some(isFailedTest),
  );
  const printed = failures.length > 0 ? failures.slice(0, printedLines) : lines.slice(-printedLines);
  return `${printed.join('\n')}\n(all of it: ${file})`;
}

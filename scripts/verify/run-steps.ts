// Runs the steps of a check in the order of their dependencies, as many at once as there are cores.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import type { Step } from './steps.ts';

export interface Result {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Why a step was skipped. */
  readonly reason?: string;
}

/** The folder of each step's output. */
const logs = '.tmp/verify';
/** How much of a failed step's output is printed: every runner lists its failures at the end. */
const printedLines = 400;

/**
 * Runs steps in parallel, `slots` at a time, each when those that it needs have passed. Steps are started in the order
 * of the list. Prints one line for each, and the end of the output of those that fail.
 */
export async function runSteps(steps: readonly Step[], slots: number): Promise<readonly Result[]> {
  mkdirSync(logs, { recursive: true });
  const waiting = [...steps];
  const running = new Map<Step, Promise<void>>();
  const results = new Map<string, Result>();

  const isFree = (step: Step): boolean => {
    if ([...running.keys()].some(({ isExclusive }) => isExclusive)) return false;
    return step.isExclusive ? running.size === 0 && waiting.length === 1 : running.size < slots;
  };
  const isReady = ({ needs = [] }: Step): boolean => needs.every((name) => results.has(name));
  const take = (step: Step): void => void waiting.splice(waiting.indexOf(step), 1);

  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.find((step) => isReady(step) && isFree(step));
    if (next === undefined) {
      if (running.size === 0) throw new Error(`no step can start: ${waiting.map(({ name }) => name).join(', ')}`);
      await Promise.race(running.values());
      continue;
    }
    take(next);
    const failed = (next.needs ?? []).find((name) => results.get(name)?.status !== 'passed');
    if (failed !== undefined) {
      results.set(next.name, { name: next.name, status: 'skipped', reason: `${failed} did not pass` });
      continue;
    }
    running.set(
      next,
      runStep(next).then((result) => {
        results.set(next.name, result);
        running.delete(next);
      }),
    );
  }
  return [...results.values()];
}

async function runStep({ name, command, env }: Step): Promise<Result> {
  const file = `${logs}/${name.replaceAll(/[^\w-]+/g, '-')}.log`;
  console.log(`start   ${name}`);
  const startedAt = performance.now();
  const output = createWriteStream(file);
  await once(output, 'open');
  // `times` prints the CPU time of the shell, and that of its children on the second line.
  const script = `${command}\nstatus=$?\ntimes >&3\nexit $status`;
  const child = spawn('sh', ['-c', script], {
    env: { ...process.env, ...env, FORCE_COLOR: '0' },
    stdio: ['ignore', output, output, 'pipe'],
  });
  let times = '';
  child.stdio[3]?.on('data', (chunk) => (times += String(chunk)));
  await once(child, 'close');
  output.close();
  const isPassed = child.exitCode === 0;
  const wall = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`${isPassed ? 'passed ' : 'FAILED '} ${name}: ${wall} s, CPU ${cpuSeconds(times).toFixed(0)} s`);
  if (!isPassed) {
    const end = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-printedLines).join('\n');
    console.log(`\n--- the last lines of ${name}; all of them are in ${file}\n${end}\n--- end of ${name}\n`);
  }
  return { name, status: isPassed ? 'passed' : 'failed' };
}

/** User and system time of the children, from the output of the shell's `times`: "0m0.01s 0m0.00s\n1m2.50s 0m3.10s". */
function cpuSeconds(times: string): number {
  const children = times.split('\n')[1] ?? '';
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}

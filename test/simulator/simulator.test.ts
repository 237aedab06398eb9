import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import { programArguments } from '../support/program-arguments.ts';
import { faultNames, planOf } from './plan.ts';
import { serviceFaultNames } from './service-faults.ts';
import { simulatePlan } from './simulate-plan.ts';

const summary = z.object({ trace: z.string() });

/** Runs `npm run simulate` in another process. Rejects when it finds a violation that is not expected. */
async function runCommand(...options: readonly string[]): Promise<string> {
  const args = [...programArguments('scripts/simulate.ts'), ...options];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 28 });
  return stdout;
}

for (const [store, seed] of [
  ['memory', 6],
  ['sqlite', 3],
] as const)
  test(`the same seed has the same trace in another process (${store})`, async () => {
    const own = simulatePlan({ ...planOf(seed, 0.2), store });
    const output = await runCommand('--seed', `${seed}`, '--hours', '0.2', '--store', store);
    const lastLine = output.trimEnd().split('\n').at(-1) ?? '';
    assert.equal((await own).trace, summary.parse(JSON.parse(lastLine)).trace);
  });

test('another seed has another trace', async () => {
  const [one, other] = [await simulatePlan(planOf(1, 0.1)), await simulatePlan(planOf(2, 0.1))];
  assert.notEqual(one.trace, other.trace);
});

test('two simulated hours break no rule', async () => {
  await runCommand('--seeds', '101..102', '--hours', '1', '--no-shrink');
});

test('each fault is in the plans of some seeds and not in those of others', () => {
  const plans = Array.from({ length: 60 }, (_, seed) => planOf(seed, 1));
  for (const fault of faultNames) {
    const count = plans.filter(({ faults }) => faults.includes(fault)).length;
    assert.ok(count > 0 && count < plans.length, fault);
  }
  for (const fault of serviceFaultNames)
    assert.ok(
      plans.some(({ serviceFaults }) => serviceFaults.includes(fault)),
      fault,
    );
});

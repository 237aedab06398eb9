// Simulates the whole system (test/simulator): `npm run simulate -- --seed N [--hours H] [--store memory|sqlite] [--trace]`, or
// `--seeds 1..200` on all cores; with `--load`, many payers and a disturbance. The last line is one JSON object. The exit code is 1
// when a rule is broken; the shortest trace that still shows it is printed before, without `--load`.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { loadPlanOf } from '../test/simulator/load-plan.ts';
import { simulateLoad } from '../test/simulator/load-simulation.ts';
import { planOf, type Plan } from '../test/simulator/plan.ts';
import type { Violation } from '../test/simulator/rules.ts';
import { shrink, traceOf } from '../test/simulator/shrink.ts';
import { simulatePlan } from '../test/simulator/simulate-plan.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string' },
    /** The seeds of one of the processes that `--seeds` starts. */
    list: { type: 'string' },
    hours: { type: 'string', default: '20' },
    store: { type: 'string' },
    load: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    'no-shrink': { type: 'boolean', default: false },
  },
});
const hours = Number(values.hours);
/** Simulations make many short-lived objects, and errors whose stacks nobody reads. */
const execArgv = ['--max-semi-space-size=64', '--stack-trace-limit=0'];

function planFor(seed: number): Plan {
  const plan = planOf(seed, hours);
  return values.store === 'memory' || values.store === 'sqlite' ? { ...plan, store: values.store } : plan;
}

function describe({ rule, at, text, orderId }: Violation, seed: number): string {
  return `seed ${seed}, hour ${(at / 3_600_000).toFixed(2)}: ${rule}: ${orderId}: ${text}`;
}

/** The first violation of each rule. */
function firstOfRules(violations: readonly Violation[]): readonly Violation[] {
  return violations.filter(({ rule }, index) => violations.findIndex((other) => other.rule === rule) === index);
}

async function runSeed(seed: number) {
  const plan = planFor(seed);
  const report = await simulatePlan(plan, undefined, values.trace);
  for (const line of report.lines) console.log(line);
  const found = firstOfRules(report.violations);
  for (const violation of found) console.log(`VIOLATION ${describe(violation, seed)}`);
  const [first] = found;
  if (first !== undefined && !values['no-shrink']) {
    const shortest = await shrink(plan, first.rule);
    const violation = shortest.violations.find(({ rule }) => rule === first.rule) ?? first;
    console.log(JSON.stringify(shortest.plan));
    for (const line of traceOf(shortest, violation)) console.log(line);
    console.log(`VIOLATION ${describe(violation, seed)}`);
  }
  const { payments, outcomes, kills, lost_messages, trace } = report;
  return { payments, outcomes, kills, lost_messages, violations: found.map(({ rule }) => rule), trace };
}

async function runLoad(seed: number) {
  const report = await simulateLoad(loadPlanOf(seed));
  for (const rule of report.violations) console.log(`VIOLATION seed ${seed}: ${rule}`);
  return report;
}

/** Runs the seeds in as many processes as there are cores. Resolves with whether no process found a violation. */
async function runSeeds(seeds: readonly string[]): Promise<boolean> {
  const count = Math.min(availableParallelism(), seeds.length);
  // Built functions cost less than those that tsx gives names.
  const { buildPrograms } = await import('./build/build-programs.ts');
  const programs = await buildPrograms({ simulate: import.meta.filename });
  const runs = Array.from({ length: count }, async (_, number) => {
    const own = seeds.filter((_, index) => index % count === number);
    const child = fork(programs.file('simulate'), ['--list', own.join(','), ...process.argv.slice(2)], {
      stdio: 'inherit',
      execArgv,
    });
    return new Promise<boolean>((resolve) => child.once('exit', (code) => resolve(code === 0)));
  });
  const areGood = await Promise.all(runs).finally(() => programs.remove());
  return areGood.every((isGood) => isGood);
}

if (values.seeds === undefined || values.list !== undefined) {
  // One of several processes ends with the process that started it.
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
  for (const text of (values.list ?? values.seed).split(',')) {
    const seed = Number(text);
    const summary = values.load ? await runLoad(seed) : { seed, hours, ...(await runSeed(seed)) };
    console.log(JSON.stringify(summary));
    if (summary.violations.length > 0) process.exitCode = 1;
  }
} else {
  const [first = 1, last = first] = values.seeds.split('..').map(Number);
  const isGood = await runSeeds(Array.from({ length: last - first + 1 }, (_, index) => `${first + index}`));
  const simulated = values.load ? {} : { hours: hours * (last - first + 1) };
  console.log(JSON.stringify({ seeds: values.seeds, ...simulated, isGood }));
  if (!isGood) process.exitCode = 1;
}

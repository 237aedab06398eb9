// Runs processes with faults: `tsx scripts/run-fault-campaign.ts [--seed N] [--runs N] [--database embedded|postgres] [--at-once N]
// [--verbose]`. Each run has a seed, which determines its faults: `--seed N` alone repeats that run. test/fault-campaign defines what
// happens in a run, and what must hold.
import { parseArgs } from 'node:util';
import { Campaign, describeFailure, eachOf } from '../test/fault-campaign/campaign.ts';
import { databaseKinds, planOf } from '../test/fault-campaign/plan.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    runs: { type: 'string' },
    database: { type: 'string' },
    'at-once': { type: 'string', default: '2' },
    verbose: { type: 'boolean', default: false },
  },
});
const first = Number(values.seed ?? 1);
const runs = Number(values.runs ?? (values.seed === undefined ? 60 : 1));
const database = databaseKinds.find((kind) => kind === values.database);

const campaign = await Campaign.open(database === 'embedded');
const plans = Array.from({ length: runs }, (_, number) => planOf(first + number))
  .map((plan) => (database === undefined ? plan : { ...plan, database }))
  .filter((plan) => campaign.has(plan.database));
let failed = 0;
await eachOf(plans, Number(values['at-once']), async (plan) => {
  const report = await campaign.run(plan);
  const { violations, killedAt, applied, ms } = report;
  const faults = [...applied].map(([kind, count]) => `${kind} ${count}`).join(', ');
  const verdict = violations.length === 0 ? 'holds' : 'FAILS';
  console.log(
    `seed ${plan.seed} ${verdict} in ${(ms / 1000).toFixed(1)} s; ${plan.database}, ${plan.processes.length} processes; killed at: ${killedAt.join(', ')}; applied: ${faults}`,
  );
  if (violations.length > 0) failed += 1;
  if (violations.length > 0 || values.verbose) console.log(describeFailure(report));
});
await campaign.close();
console.log(`${plans.length} runs, ${failed} failed${plans.length < runs ? `, ${runs - plans.length} LEFT OUT` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;

// Runs processes with faults: `tsx scripts/run-fault-campaign.ts [--seed N] [--runs N] [--database embedded|postgres] [--at-once N]
// [--verbose]`. Each run has a seed, which determines its faults: `--seed N` alone repeats that run. test/fault-campaign defines the
// faults of a run and the rules that must hold.
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
const firstSeed = Number(values.seed ?? 1);
const runs = Number(values.runs ?? (values.seed === undefined ? 60 : 1));
const database = databaseKinds.find((kind) => kind === values.database);

const campaign = await Campaign.open(database === 'embedded');
const plans = Array.from({ length: runs }, (_, number) => planOf(firstSeed + number))
  .map((plan) => (database === undefined ? plan : { ...plan, database }))
  .filter((plan) => campaign.has(plan.database));
let failedCount = 0;
await eachOf(plans, Number(values['at-once']), async (plan) => {
  const report = await campaign.run(plan);
  const { violations, killedAt, applied: appliedFaults, ms } = report;
  const faults = [...appliedFaults].map(([kind, count]) => `${kind} ${count}`).join(', ');
  const verdict = violations.length === 0 ? 'holds' : 'FAILS';
  console.log(
    `seed ${plan.seed} ${verdict} in ${(ms / 1000).toFixed(1)} s; ${plan.database}, ${plan.processes.length} processes; killed at: ${killedAt.join(', ')}; applied: ${faults}`,
  );
  if (violations.length > 0) failedCount += 1;
  if (violations.length > 0 || values.verbose) console.log(describeFailure(report));
});
await campaign.close();
console.log(
  `${plans.length} runs, ${failedCount} failed${plans.length < runs ? `, ${runs - plans.length} LEFT OUT` : ''}`,
);
process.exitCode = failedCount > 0 ? 1 : 0;

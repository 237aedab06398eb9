import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Campaign, describeFailure, eachOf } from './campaign.ts';
import { killPoints } from './kill-points.ts';
import { planOf } from './plan.ts';
import type { Report } from './run.ts';
import { serviceFaults } from './service-faults.ts';
import { proxyFaultKinds } from './tcp-fault-proxy.ts';

// The short campaign. Its seeds together contain every kind of fault, every kill point, shops with one process and with two,
// and both databases. Each kill point is in a run with one process, because that process certainly reaches it. The long
// campaign is `tsx scripts/run-fault-campaign.ts`.

const seeds = [1, 3, 12, 14, 15, 16, 17, 20, 24, 25, 36];

const campaign = await Campaign.open();
after(() => campaign.close());
const plans = seeds.map((seed) => planOf(seed));
const reports: Report[] = [];

test('the rules about money hold whatever faults are injected and wherever processes are killed', async () => {
  const runnablePlans = plans.filter(({ database }) => campaign.has(database));
  await eachOf(runnablePlans, 4, async (plan) => void reports.push(await campaign.run(plan)));
  const failedReports = reports.filter(({ violations }) => violations.length > 0);
  assert.equal(failedReports.length, 0, `\n${failedReports.map(describeFailure).join('\n\n')}`);
});

test('the short campaign has every kind of fault and every kill point, with one process and two', () => {
  const faultNames = new Set(plans.flatMap(({ faults }) => faults.map(({ name }) => name)));
  for (const name of serviceFaults) assert.ok(faultNames.has(name), name);
  for (const kind of proxyFaultKinds)
    assert.ok(
      plans.some(({ serviceProxyFault }) => serviceProxyFault === kind),
      kind,
    );
  for (const count of [1, 2]) assert.ok(plans.some(({ processes }) => processes.length === count));
  for (const mode of ['new', 'same', 'conflict'])
    assert.ok(
      plans.some(({ repeatedExternalId }) => repeatedExternalId === mode),
      mode,
    );
});

test('processes were killed at every kill point, and at least ten kinds of faults took effect', () => {
  const killPointsReached = new Set(reports.flatMap((report) => report.killedAt));
  for (const point of killPoints) assert.ok(killPointsReached.has(point) || reports.length < plans.length, point);
  const appliedFaults = new Set(reports.flatMap((report) => [...report.applied.keys()]));
  assert.ok(appliedFaults.size >= 10, [...appliedFaults].join(', '));
});

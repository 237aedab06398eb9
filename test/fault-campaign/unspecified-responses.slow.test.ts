import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Campaign, describeFailure } from './campaign.ts';
import { planOf } from './plan.ts';
import { unspecifiedFaults, firstUnspecifiedSeed } from './service-faults.ts';

const campaign = await Campaign.open(true);
after(() => campaign.close());

const plans = unspecifiedFaults.map((_, index) => ({
  ...planOf(firstUnspecifiedSeed + index),
  database: 'embedded' as const,
}));

for (const plan of plans)
  test(`the rules about money hold when the service has the fault: ${plan.faults.at(-1)?.name ?? 'none'}`, async () => {
    const report = await campaign.run(plan, 120_000);
    assert.equal(report.violations.length, 0, describeFailure(report));
  });

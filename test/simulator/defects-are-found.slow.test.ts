import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defects } from '../model/checkout-defects.ts';
import { importCodeWithDefect } from './code-with-defect.ts';
import { planOf, type Plan } from './plan.ts';
import { simulatePlan } from './simulate-plan.ts';

/**
 * The defects of the checkout model that a running system shows, with the faults that bring them out. The server refuses to save
 * what such a defect makes of a record, and logs the rule.
 */
const shown: Readonly<Record<string, { readonly rule: RegExp; readonly change: Partial<Plan> }>> = {
  'a create in doubt is given up after its first failure': {
    rule: /after a day|rules of records/,
    change: { serviceFaults: ['creates stay in doubt'] },
  },
  'a second payment is reported as the first': {
    rule: /paid once|invented|rules of records/,
    change: {
      faults: [
        'payers pay twice',
        'payers replace invoices',
        'payers pay late',
        'bank refuses payments',
        'bank pays failed invoices',
      ],
    },
  },
  'the failure or expiry of another invoice is reported after a payment': {
    rule: /after paid|rules of records/,
    change: { faults: ['payers replace invoices'] },
  },
};

for (const [name, { rule, change }] of Object.entries(shown))
  test(`the simulator finds a defect: ${name}`, async () => {
    const index = defects.findIndex((defect) => defect.name === name);
    const code = await importCodeWithDefect(index);
    const quiet = {
      faults: [],
      serviceFaults: [],
      store: 'memory',
      orderEveryMs: 120_000,
      invoiceLifetimeMs: 300_000,
    } as const;
    const found: string[] = [];
    for (let seed = 1; seed <= 4; seed += 1) {
      const { violations } = await simulatePlan({ ...planOf(seed, 2), ...quiet, ...change }, code);
      found.push(...violations.map((violation) => violation.rule));
      if (found.some((broken) => rule.test(broken))) return;
    }
    assert.fail(`not found; broken rules: ${[...new Set(found)].join(', ') || 'none'}`);
  });

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Campaign, describeFailure, eachOf } from './campaign.ts';
import type { Defect } from './defects.ts';
import type { PayerAction, InvoiceEnd, PayerPlan, Plan } from './plan.ts';
import type { Report } from './run.ts';
import { invariants, type Invariant } from './violation.ts';

// Shows for each invariant that a shop with a defect breaks it.

function planPayer(actions: readonly PayerAction[], changes: Partial<PayerPlan> = {}): PayerPlan {
  return { startMs: 0, method: 'pm_sbp', tabs: 1, actions, invoiceEnd: 'pay', ...changes };
}

function planSecondCreate(invoiceEnd: InvoiceEnd): Pick<Plan, 'payers'> {
  return { payers: [planPayer(['read', 'read', 'create again'], { invoiceEnd })] };
}

const basePlan: Plan = {
  seed: 0,
  database: 'embedded',
  repeatedExternalId: 'new',
  lifetimeMs: 900_000,
  faults: [],
  serviceProxyFault: null,
  shopProxyFault: null,
  processes: [[]],
  payers: planSecondCreate('fail').payers,
  faultsForMs: 300,
  defect: null,
};
const replacementPlan = { payers: [planPayer(['replace', 'read', 'pay the first'], { invoiceEnd: 'leave' })] };
const paymentPlan = { payers: [planPayer(['pay', 'wait until paid', 'read', 'read'])] };

interface DefectCase {
  readonly defect: Defect | null;
  readonly brokenInvariant: Invariant | null;
  readonly changes?: Partial<Plan>;
  /** The run never finishes, so that it gets a shorter maximum duration. */
  readonly isEndless?: true;
}

const rows: readonly DefectCase[] = [
  { defect: 'drops an outcome', brokenInvariant: 'I4', changes: paymentPlan, isEndless: true },
  { defect: 'forgets replaced invoices', brokenInvariant: 'I2', changes: replacementPlan, isEndless: true },
  { defect: 'stays in doubt for ever', brokenInvariant: 'I7', isEndless: true },
  { defect: null, brokenInvariant: null },
  { defect: 'forgets offered invoices', brokenInvariant: 'I1', changes: planSecondCreate('leave') },
  {
    defect: 'deletes committed intents',
    brokenInvariant: 'I2',
    changes: { processes: [[{ point: 'service responded', nth: 1, afterMs: 0 }]] },
  },
  {
    defect: 'repeats creates with new external_ids',
    brokenInvariant: 'I2',
    changes: { faults: [{ name: 'lost', fault: { operation: 'CreateInvoice', kind: 'lost' } }], faultsForMs: 8000 },
  },
  { defect: 'invents a payment', brokenInvariant: 'I3', changes: { payers: [planPayer(['wait until paid'])] } },
  { defect: 'credits payments twice', brokenInvariant: 'I4', changes: paymentPlan },
  { defect: 'shows a paid order as unpaid', brokenInvariant: 'I5', changes: paymentPlan },
  { defect: 'shows another amount', brokenInvariant: 'I6' },
  { defect: 'fails in every fifth read', brokenInvariant: 'I6' },
];

const campaign = await Campaign.open(true);
const reports = new Map<Defect | null, Report>();
after(() => campaign.close());
await eachOf(rows, 4, async ({ defect, changes, isEndless }) => {
  const report = await campaign.run({ ...basePlan, ...changes, defect }, isEndless && 20_000);
  reports.set(defect, report);
});

for (const { defect, brokenInvariant } of rows) {
  const title =
    defect === null
      ? 'a shop without a defect breaks no rule'
      : `a shop that ${defect} breaks the rule: ${brokenInvariant === null ? 'none' : invariants[brokenInvariant]}`;
  test(title, () => {
    const report = reports.get(defect);
    assert.ok(report);
    const brokenInvariants = report.violations.map(({ invariant }) => invariant);
    if (brokenInvariant === null) assert.deepEqual(brokenInvariants, [], describeFailure(report));
    else assert.ok(brokenInvariants.includes(brokenInvariant), describeFailure(report));
  });
}

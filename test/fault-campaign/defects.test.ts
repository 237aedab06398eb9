import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Campaign, describeFailure, eachOf } from './campaign.ts';
import type { Defect } from './defects.ts';
import type { PayerAction, InvoiceEnd, PayerPlan, Plan } from './plan.ts';
import type { Report } from './run.ts';
import type { Invariant } from './violation.ts';

// Shows that each invariant can fail: a shop with one defect breaks it.

function payer(actions: readonly PayerAction[], change: Partial<PayerPlan> = {}): PayerPlan {
  return { startMs: 0, method: 'pm_sbp', tabs: 1, actions, invoiceEnd: 'pay', ...change };
}

function creatingAgain(invoiceEnd: InvoiceEnd): Pick<Plan, 'payers'> {
  return { payers: [payer(['read', 'read', 'create again'], { invoiceEnd })] };
}

const basePlan: Plan = {
  seed: 0,
  database: 'embedded',
  repeated: 'new',
  lifetimeMs: 900_000,
  faults: [],
  serviceProxyFault: null,
  shopProxyFault: null,
  processes: [[]],
  payers: creatingAgain('fail').payers,
  faultsForMs: 300,
  defect: null,
};
const replacing = { payers: [payer(['replace', 'read', 'pay the first'], { invoiceEnd: 'leave' })] };
const paying = { payers: [payer(['pay', 'wait until paid', 'read', 'read'])] };

interface Row {
  readonly defect: Defect | null;
  readonly breaks: Invariant | null;
  readonly change?: Partial<Plan>;
  /** The run never finishes: its maximum duration is shorter. */
  readonly isEndless?: true;
}

const rows: readonly Row[] = [
  { defect: 'drops an outcome', breaks: 'I4', change: paying, isEndless: true },
  { defect: 'forgets replaced invoices', breaks: 'I2', change: replacing, isEndless: true },
  { defect: 'stays in doubt for ever', breaks: 'I7', isEndless: true },
  { defect: null, breaks: null },
  { defect: 'forgets what it offered', breaks: 'I1', change: creatingAgain('leave') },
  {
    defect: 'forgets its intents',
    breaks: 'I2',
    change: { processes: [[{ point: 'service answered', nth: 1, afterMs: 0 }]] },
  },
  {
    defect: 'renames its repeats',
    breaks: 'I2',
    change: { faults: [{ name: 'lost', fault: { operation: 'CreateInvoice', kind: 'lost' } }], faultsForMs: 2500 },
  },
  { defect: 'invents a payment', breaks: 'I3', change: { payers: [payer(['wait until paid'])] } },
  { defect: 'credits twice', breaks: 'I4', change: paying },
  { defect: 'takes paid back', breaks: 'I5', change: paying },
  { defect: 'shows another amount', breaks: 'I6' },
  { defect: 'breaks now and then', breaks: 'I6' },
];

const campaign = await Campaign.open(true);
const reports = new Map<Defect | null, Report>();
after(() => campaign.close());
await eachOf(rows, 4, async ({ defect, change, isEndless }) => {
  const report = await campaign.run({ ...basePlan, ...change, defect }, isEndless && 20_000);
  reports.set(defect, report);
});

for (const { defect, breaks } of rows) {
  const title =
    defect === null ? 'a shop without a defect breaks no invariant' : `a shop that ${defect} breaks ${breaks ?? ''}`;
  test(title, () => {
    const report = reports.get(defect);
    assert.ok(report);
    const found = report.violations.map(({ invariant }) => invariant);
    if (breaks === null) assert.deepEqual(found, [], describeFailure(report));
    else assert.ok(found.includes(breaks), describeFailure(report));
  });
}

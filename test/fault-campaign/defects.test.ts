import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Campaign, describeFailure, eachOf } from './campaign.ts';
import type { Defect } from './defects.ts';
import type { PayerAction, InvoiceEnd, PayerPlan, Plan } from './plan.ts';
import type { Report } from './run.ts';
import type { Invariant } from './violation.ts';

// Each invariant is seen to fail: a shop with one thing wrong is caught.

function payer(acts: readonly PayerAction[], change: Partial<PayerPlan> = {}): PayerPlan {
  return { startMs: 0, method: 'pm_sbp', tabs: 1, actions: acts, invoiceEnd: 'pay', ...change };
}

function asking(fate: InvoiceEnd): Pick<Plan, 'payers'> {
  return { payers: [payer(['read', 'read', 'create again'], { invoiceEnd: fate })] };
}

const sound: Plan = {
  seed: 0,
  database: 'embedded',
  repeated: 'new',
  lifetimeMs: 900_000,
  faults: [],
  serviceProxyFault: null,
  shopProxyFault: null,
  processes: [[]],
  payers: asking('fail').payers,
  faultsForMs: 300,
  defect: null,
};
const replacing = { payers: [payer(['replace', 'read', 'pay the first'], { invoiceEnd: 'leave' })] };
const paying = { payers: [payer(['pay', 'wait until paid', 'read', 'read'])] };

interface Row {
  readonly defect: Defect | null;
  readonly fails: Invariant | null;
  readonly change?: Partial<Plan>;
  /** What is wrong never comes to rest: it is not waited for as long as on others. */
  readonly isEndless?: true;
}

const rows: readonly Row[] = [
  { defect: 'drops an outcome', fails: 'I4', change: paying, isEndless: true },
  { defect: 'forgets replaced invoices', fails: 'I2', change: replacing, isEndless: true },
  { defect: 'stays in doubt for ever', fails: 'I7', isEndless: true },
  { defect: null, fails: null },
  { defect: 'forgets what it offered', fails: 'I1', change: asking('leave') },
  {
    defect: 'forgets its intents',
    fails: 'I2',
    change: { processes: [[{ point: 'service answered', nth: 1, afterMs: 0 }]] },
  },
  {
    defect: 'renames its repeats',
    fails: 'I2',
    change: { faults: [{ name: 'lost', fault: { operation: 'CreateInvoice', kind: 'lost' } }], faultsForMs: 2500 },
  },
  { defect: 'invents a payment', fails: 'I3', change: { payers: [payer(['wait until paid'])] } },
  { defect: 'credits twice', fails: 'I4', change: paying },
  { defect: 'takes paid back', fails: 'I5', change: paying },
  { defect: 'shows another amount', fails: 'I6' },
  { defect: 'breaks now and then', fails: 'I6' },
];

const campaign = await Campaign.open(true);
const reports = new Map<Defect | null, Report>();
after(() => campaign.close());
await eachOf(rows, 4, async ({ defect, change, isEndless }) => {
  const report = await campaign.run({ ...sound, ...change, defect }, isEndless && 10_000);
  reports.set(defect, report);
});

for (const { defect, fails } of rows) {
  const title = defect === null ? 'nothing is held against a sound shop' : `a shop that ${defect} fails ${fails ?? ''}`;
  test(title, () => {
    const report = reports.get(defect);
    assert.ok(report);
    const found = report.violations.map(({ invariant }) => invariant);
    if (fails === null) assert.deepEqual(found, [], describeFailure(report));
    else assert.ok(found.includes(fails), describeFailure(report));
  });
}

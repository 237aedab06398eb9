import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';
import type { Fault, RepeatedCreateResponse } from '../support/fake-invoice-service.ts';
import { holds } from '../support/properties.ts';

// Random sequences of steps on one checkout: payers create invoices in several tabs and replace them, the service fails in
// every way, processes crash, invoices are paid or end. The rules about money hold after each step.

type Step =
  | {
      readonly action: 'create';
      readonly tab: number;
      readonly method: string;
      readonly replace: boolean;
      readonly awaitsResponse: boolean;
    }
  | { readonly action: 'fail'; readonly fault: Fault; readonly on: 'create' | 'fetch' | 'options' }
  | { readonly action: 'set_status'; readonly word: string; readonly invoiceIndex: number }
  | { readonly action: 'advance'; readonly ms: number }
  | { readonly action: 'read' | 'webhook' | 'crash' | 'begin_outage' | 'end_outage' };

const fault: fc.Arbitrary<Fault> = fc.constantFrom<Fault>(
  { kind: 'lost' },
  { kind: 'fails', failure: 'ambiguous' },
  { kind: 'fails', failure: 'unavailable' },
  { kind: 'fails', failure: 'refused', code: 'out_of_range', httpStatus: 400 },
  { kind: 'fails', failure: 'refused', code: 'unauthenticated', httpStatus: 401 },
  { kind: 'hangs', until: new Promise(() => undefined) },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      action: fc.constant('create' as const),
      tab: fc.nat(3),
      method: fc.constantFrom('pm_card', 'pm_sbp'),
      replace: fc.boolean(),
      awaitsResponse: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      action: fc.constant('fail' as const),
      fault,
      on: fc.constantFrom('create' as const, 'create' as const, 'fetch' as const, 'options' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      action: fc.constant('set_status' as const),
      word: fc.constantFrom('PAID', 'FAILED', 'EXPIRED', 'ODD', 'PENDING'),
      invoiceIndex: fc.nat(5),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ action: fc.constant('advance' as const), ms: fc.constantFrom(10, 1500, 15_000, 60_000) }),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Step>(
      { action: 'read' },
      { action: 'webhook' },
      { action: 'crash' },
      { action: 'begin_outage' },
      { action: 'end_outage' },
    ),
  },
);

/** The steps of each run. In half of the runs the payer never replaces an invoice. */
const stepLists = fc
  .tuple(fc.boolean(), fc.array(step, { minLength: 3, maxLength: 25 }))
  .map(([mayReplace, steps]) =>
    mayReplace ? steps : steps.map((step) => (step.action === 'create' ? { ...step, replace: false } : step)),
  );

/** Executes steps on one checkout, and records which invoices the payer was shown. */
class CheckoutRun {
  readonly harness: TestCheckoutServer;
  /** Identifiers of the invoices that a payer was shown. */
  readonly shownInvoiceIds: string[] = [];
  replaceCount = 0;
  /** Invoices that the service has reported as failed or expired, after which the payer may get another invoice. */
  readonly #endedInvoiceIds = new Set<string>();

  constructor(harness: TestCheckoutServer) {
    this.harness = harness;
    const { service } = harness;
    const fetch = service.fetchInvoices.bind(service);
    service.fetchInvoices = async (ids) => {
      const fetched = await fetch(ids);
      for (const { id, status = '' } of fetched)
        if (['FAILED', 'EXPIRED'].includes(status)) this.#endedInvoiceIds.add(id);
      return fetched;
    };
  }

  async execute(step: Step): Promise<void> {
    const { harness } = this;
    const { service } = harness;
    switch (step.action) {
      case 'create':
        return this.#create(step);
      case 'fail':
        void { create: service.createFaults, fetch: service.fetchFaults, options: service.optionsFaults }[step.on].push(
          step.fault,
        );
        return;
      case 'set_status': {
        const id = [...service.invoices.keys()][step.invoiceIndex];
        // A paid invoice stays paid at the service.
        if (id !== undefined && service.invoices.get(id)?.status !== 'PAID') service.setStatus(step.word, id);
        return;
      }
      case 'advance':
        return harness.advance(step.ms);
      case 'read':
        return this.#checkResponse((await harness.until(harness.getCheckout())).status);
      case 'webhook':
        assert.equal(await harness.sendWebhook(), 204);
        return;
      case 'crash':
        harness.crash();
        return;
      case 'begin_outage':
        service.outage = { kind: 'fails', failure: 'unavailable' };
        return;
      case 'end_outage':
        service.outage = undefined;
    }
  }

  /** A tab repeats its request with the same key until it gets a response. */
  async #create({ tab, method, replace, awaitsResponse }: Step & { readonly action: 'create' }): Promise<void> {
    const key = `tab-${tab}-${method}-${replace}`;
    const response = this.harness.createInvoice({ key, method, replace });
    if (replace) this.replaceCount += 1;
    if (!awaitsResponse) {
      void response.catch(() => undefined);
      return;
    }
    await this.#checkResponse((await this.harness.until(response)).status);
  }

  async #checkResponse(status: number): Promise<void> {
    assert.ok(status < 500 || status === 503, `${status}`);
    const response = await this.harness.until(this.harness.getCheckout());
    if (response.status !== 200) return;
    const { status: shownStatus, invoice } = response.checkout;
    const { invoices } = this.harness.service;
    if (shownStatus === 'paid')
      assert.ok(
        [...invoices.values()].some(({ status: word }) => word === 'PAID'),
        'a checkout is shown as paid only after a payment',
      );
    if (invoice === null) return;
    assert.ok(invoices.has(invoice.id), 'the shown invoice exists at the service');
    assert.equal(invoice.amount, '1500.00');
    if (!this.shownInvoiceIds.includes(invoice.id)) this.shownInvoiceIds.push(invoice.id);
  }

  /** How many of the shown invoices can still be paid, as far as the server can know. */
  get payableCount(): number {
    const { invoices } = this.harness.service;
    const hasEnded = (id: string): boolean => ['FAILED', 'EXPIRED', 'PAID'].includes(invoices.get(id)?.status ?? '');
    return this.shownInvoiceIds.filter((id) => !this.#endedInvoiceIds.has(id) && !hasEnded(id)).length;
  }
}

async function runSteps(repeated: RepeatedCreateResponse, steps: readonly Step[]): Promise<void> {
  const options = { limits: { createsOfCheckout: { burst: 1000, perMinute: 1000 } } };
  const harness = await TestCheckoutServer.open({}, options);
  harness.service.onRepeatedCreate = repeated;
  harness.service.lifetimeMs = undefined;
  const run = new CheckoutRun(harness);
  for (const step of steps) {
    await run.execute(step);
    if (run.replaceCount === 0)
      assert.ok(run.payableCount <= 1, 'without replace, at most one shown invoice can be paid');
    const attempts = await harness.loadAttempts();
    assert.ok(attempts.filter(({ replaced, refusal }) => !replaced && refusal === null).length <= 1);
  }
  await settleAll(harness);
  await checkFinalState(harness);
  await harness.until(harness.server.stop());
}

for (const repeated of ['same', 'conflict', 'new'] satisfies RepeatedCreateResponse[])
  test(`the rules about money hold after random steps, when a repeated create gets "${repeated}" from the service`, async () => {
    await holds(
      fc.asyncProperty(stepLists, async (steps) => runSteps(repeated, steps)),
      40,
    );
  });

test('the rules about money hold when a replaced invoice and the one that replaced it are both paid', async () => {
  const create = { action: 'create', tab: 0, method: 'pm_card', replace: false, awaitsResponse: true } as const;
  const advance = { action: 'advance', ms: 15_000 } as const;
  await runSteps('same', [
    create,
    { ...create, tab: 1, method: 'pm_sbp', replace: true },
    { action: 'set_status', invoiceIndex: 0, word: 'PAID' },
    advance,
    { action: 'set_status', invoiceIndex: 1, word: 'PAID' },
    advance,
  ]);
});

for (const word of ['ODD', 'PENDING', 'PAID'])
  test(`the rules about money hold when the status word of a failed invoice becomes ${word} after the payer got another invoice`, async () => {
    const create = { action: 'create', tab: 0, method: 'pm_card', replace: false, awaitsResponse: true } as const;
    const advance = { action: 'advance', ms: 15_000 } as const;
    const setStatus = { action: 'set_status', invoiceIndex: 0 } as const;
    await runSteps('same', [
      create,
      { ...setStatus, word: 'FAILED' },
      advance,
      { ...create, tab: 1 },
      { ...setStatus, word },
      advance,
      { action: 'read' },
    ]);
  });

/** Ends all faults, and lets enough time pass until every result is known. */
async function settleAll(harness: TestCheckoutServer): Promise<void> {
  harness.service.outage = undefined;
  for (const faults of [harness.service.createFaults, harness.service.fetchFaults, harness.service.optionsFaults])
    faults.length = 0;
  for (let minute = 0; minute < 12; minute += 1) {
    await harness.sendWebhook();
    await harness.advance(60_000);
  }
}

async function checkFinalState(harness: TestCheckoutServer): Promise<void> {
  const attempts = await harness.loadAttempts();
  const invoiceIds = attempts.flatMap(({ invoice }) => invoice?.id ?? []);
  const isPaid = invoiceIds.some((id) => harness.service.invoices.get(id)?.status === 'PAID');
  const { checkout } = await harness.getCheckout();
  assert.equal(checkout.status === 'paid', isPaid, 'the checkout is paid exactly when an invoice is paid');
  const paidOutcomes = harness.outcomes.filter(({ kind }) => kind === 'paid').map(({ id }) => id);
  assert.equal(new Set(paidOutcomes).size, isPaid ? 1 : 0, 'the order is credited once');
  const paidInvoiceIds = invoiceIds.filter((id) => harness.service.invoices.get(id)?.status === 'PAID');
  const payments = harness.outcomes.filter(({ kind }) => kind === 'paid' || kind === 'duplicate_payment');
  const reportedInvoiceIds = payments.map(({ invoiceId }) => invoiceId);
  assert.deepEqual(new Set(reportedInvoiceIds), new Set(paidInvoiceIds), 'every paid invoice is reported');
  for (const { stage } of attempts) assert.ok(stage === 'created' || stage === 'rejected', 'nothing stays in doubt');
  if (!isPaid && attempts.some(({ stage }) => stage === 'created')) assert.notEqual(checkout.invoice, null);
}

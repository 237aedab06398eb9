import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';
import type { Fault, RepeatedCreateResponse } from '../support/fake-invoice-service.ts';
import { holds } from '../support/properties.ts';

// Random lives of one checkout: payers ask in several tabs, replace, the service fails in every way, processes die,
// invoices are paid or end. Whatever happens, what is promised about money holds.

type Step =
  | {
      readonly do: 'ask';
      readonly tab: number;
      readonly method: string;
      readonly replace: boolean;
      readonly wait: boolean;
    }
  | { readonly do: 'fault'; readonly fault: Fault; readonly on: 'create' | 'fetch' | 'options' }
  | { readonly do: 'say'; readonly word: string; readonly which: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'look' | 'hook' | 'crash' | 'away' | 'back' };

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
      do: fc.constant('ask' as const),
      tab: fc.nat(3),
      method: fc.constantFrom('pm_card', 'pm_sbp'),
      replace: fc.boolean(),
      wait: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      fault,
      on: fc.constantFrom('create' as const, 'create' as const, 'fetch' as const, 'options' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      word: fc.constantFrom('PAID', 'FAILED', 'EXPIRED', 'ODD', 'PENDING'),
      which: fc.nat(5),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(10, 1500, 15_000, 60_000) }),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Step>({ do: 'look' }, { do: 'hook' }, { do: 'crash' }, { do: 'away' }, { do: 'back' }),
  },
);

/** A life; in every second one the payer never asks to replace an invoice. */
const lives = fc
  .tuple(fc.boolean(), fc.array(step, { minLength: 3, maxLength: 25 }))
  .map(([replaces, steps]) =>
    replaces ? steps : steps.map((one) => (one.do === 'ask' ? { ...one, replace: false } : one)),
  );

/** One life, and what was seen in it. */
class Life {
  readonly harness: TestCheckoutServer;
  /** Invoices that a payer was shown, in the order of their first showing. */
  readonly shown: string[] = [];
  replaces = 0;
  /** Invoices of which the service told that they ended: another may be offered, also if it takes that back. */
  readonly #ended = new Set<string>();

  constructor(harness: TestCheckoutServer) {
    this.harness = harness;
    const { service } = harness;
    const fetch = service.fetchInvoices.bind(service);
    service.fetchInvoices = async (ids) => {
      const told = await fetch(ids);
      for (const { id, status = '' } of told) if (['FAILED', 'EXPIRED'].includes(status)) this.#ended.add(id);
      return told;
    };
  }

  async take(step: Step): Promise<void> {
    const { harness } = this;
    const { service } = harness;
    switch (step.do) {
      case 'ask':
        return this.#ask(step);
      case 'fault':
        void { create: service.createFaults, fetch: service.fetchFaults, options: service.optionsFaults }[step.on].push(
          step.fault,
        );
        return;
      case 'say': {
        const id = [...service.invoices.keys()][step.which];
        // What was paid stays paid, at the service too.
        if (id !== undefined && service.invoices.get(id)?.status !== 'PAID') service.setStatus(step.word, id);
        return;
      }
      case 'pass':
        return harness.advance(step.ms);
      case 'look':
        return this.#see((await harness.until(harness.getCheckout())).status);
      case 'hook':
        assert.equal(await harness.sendWebhook(), 204);
        return;
      case 'crash':
        harness.crash();
        return;
      case 'away':
        service.outage = { kind: 'fails', failure: 'unavailable' };
        return;
      case 'back':
        service.outage = undefined;
    }
  }

  /** A tab keeps its key until it has an answer; nobody waits longer than the server makes them. */
  async #ask({ tab, method, replace, wait }: Step & { readonly do: 'ask' }): Promise<void> {
    const key = `tab-${tab}-${method}-${replace}`;
    const asked = this.harness.createInvoice({ key, method, replace });
    if (replace) this.replaces += 1;
    if (!wait) {
      void asked.catch(() => undefined);
      return;
    }
    await this.#see((await this.harness.until(asked)).status);
  }

  async #see(status: number): Promise<void> {
    assert.ok(status < 500 || status === 503, `${status}`);
    const answer = await this.harness.until(this.harness.getCheckout());
    if (answer.status !== 200) return;
    const { status: shown, invoice } = answer.checkout;
    const { invoices } = this.harness.service;
    if (shown === 'paid')
      assert.ok(
        [...invoices.values()].some(({ status: word }) => word === 'PAID'),
        'paid is never invented',
      );
    if (invoice === null) return;
    assert.ok(invoices.has(invoice.id), 'what is shown exists');
    assert.equal(invoice.amount, '1500.00');
    if (!this.shown.includes(invoice.id)) this.shown.push(invoice.id);
  }

  /** How many invoices the payer has seen that may all still be paid, as far as anybody could know. */
  get live(): number {
    const { invoices } = this.harness.service;
    const isOver = (id: string): boolean => ['FAILED', 'EXPIRED', 'PAID'].includes(invoices.get(id)?.status ?? '');
    return this.shown.filter((id) => !this.#ended.has(id) && !isOver(id)).length;
  }
}

async function live(repeated: RepeatedCreateResponse, steps: readonly Step[]): Promise<void> {
  const options = { limits: { createsOfCheckout: { burst: 1000, perMinute: 1000 } } };
  const harness = await TestCheckoutServer.open({}, options);
  harness.service.onRepeatedCreate = repeated;
  harness.service.lifetimeMs = undefined;
  const seen = new Life(harness);
  for (const one of steps) {
    await seen.take(one);
    if (seen.replaces === 0) assert.ok(seen.live <= 1, 'two live invoices are never offered without replace');
    const attempts = await harness.loadAttempts();
    assert.ok(attempts.filter(({ replaced, refusal }) => !replaced && refusal === null).length <= 1);
  }
  await settleAll(harness);
  await check(harness);
  await harness.until(harness.server.stop());
}

for (const repeated of ['same', 'conflict', 'new'] satisfies RepeatedCreateResponse[])
  test(`whatever happens, with a service whose repeats are "${repeated}", what is promised about money holds`, async () => {
    await holds(
      fc.asyncProperty(lives, async (steps) => live(repeated, steps)),
      40,
    );
  });

for (const word of ['ODD', 'PENDING', 'PAID'])
  test(`it holds where the service takes an end back and says ${word}, after the payer got another invoice`, async () => {
    const ask = { do: 'ask', tab: 0, method: 'pm_card', replace: false, wait: true } as const;
    const pass = { do: 'pass', ms: 15_000 } as const;
    const say = { do: 'say', which: 0 } as const;
    await live('same', [
      ask,
      { ...say, word: 'FAILED' },
      pass,
      { ...ask, tab: 1 },
      { ...say, word },
      pass,
      { do: 'look' },
    ]);
  });

/** The service is well again, and enough time passes for everything to be known. */
async function settleAll(harness: TestCheckoutServer): Promise<void> {
  harness.service.outage = undefined;
  for (const faults of [harness.service.createFaults, harness.service.fetchFaults, harness.service.optionsFaults])
    faults.length = 0;
  for (let minute = 0; minute < 12; minute += 1) {
    await harness.sendWebhook();
    await harness.advance(60_000);
  }
}

async function check(harness: TestCheckoutServer): Promise<void> {
  const attempts = await harness.loadAttempts();
  const known = attempts.flatMap(({ invoice }) => invoice?.id ?? []);
  const isPaid = known.some((id) => harness.service.invoices.get(id)?.status === 'PAID');
  const { checkout } = await harness.getCheckout();
  assert.equal(checkout.status === 'paid', isPaid, 'paid is neither lost nor invented');
  const told = harness.outcomes.filter(({ kind }) => kind === 'paid').map(({ id }) => id);
  assert.equal(new Set(told).size, isPaid ? 1 : 0, 'the order is credited once');
  const paid = known.filter((id) => harness.service.invoices.get(id)?.status === 'PAID');
  const heard = harness.outcomes.filter(({ kind }) => kind.startsWith('paid')).map(({ invoiceId }) => invoiceId);
  assert.deepEqual(new Set(heard), new Set(paid), 'every paid invoice is told of');
  for (const { stage } of attempts) assert.ok(stage === 'created' || stage === 'rejected', 'nothing stays in doubt');
  if (!isPaid && attempts.some(({ stage }) => stage === 'created')) assert.notEqual(checkout.invoice, null);
}

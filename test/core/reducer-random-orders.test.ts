import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CheckoutError, type CheckoutState } from '../../src/core.ts';
import { createModel, type Model } from '../../src/core/session-model.ts';
import type { Action } from '../../src/core/session-commands.ts';
import { reduce } from '../../src/core/reducer.ts';
import { selectState } from '../../src/core/select-state.ts';
import type { Checkout } from '../../src/protocol.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { holds } from '../support/properties.ts';

const { options } = makeOpenCheckout();
const error = fc
  .constantFrom('network', 'timeout', 'internal', 'not_found', 'invoice_pending', 'malformed')
  .map((code) => new CheckoutError(code, ''));

/** Any checkout for 1500.00 that a backend may return, also with an invoice for another amount. */
const anyCheckout: fc.Arbitrary<Checkout> = fc.oneof(
  fc.constant(makeOpenCheckout()),
  fc
    .record({
      status: fc.constantFrom('pending', 'failed', 'expired', 'paid'),
      id: fc.constantFrom('inv_1', 'inv_2', 'inv_3'),
      amount: fc.constantFrom('1500.00', '1500', '1500.00', '1500.01', '15.00'),
      expiresInMs: fc.constantFrom(undefined, 0, 60_000),
      hasOptions: fc.boolean(),
      hasInvoice: fc.boolean(),
    })
    .map(({ status, id, amount, expiresInMs, hasOptions, hasInvoice }) => {
      const checkout = makeCheckout(status, { id, amount, expires_in_ms: expiresInMs }, hasOptions ? { options } : {});
      return hasInvoice ? checkout : { ...checkout, invoice: null };
    }),
);

const now = fc.nat(300_000);
const read = fc.oneof(
  fc.record({ type: fc.constant('loaded' as const), number: fc.nat(12), checkout: anyCheckout, now }),
  fc.record({ type: fc.constant('unchanged' as const), number: fc.nat(12) }),
  fc.record({ type: fc.constant('loadFailed' as const), number: fc.nat(12), error }),
);
/** Results of create requests. They are numbered in the order in which they arrive. */
const settled = fc.record({
  settles: fc.constantFrom('created', 'createInDoubt'),
  checkout: fc.option(anyCheckout, { nil: undefined, freq: 4 }),
  now,
});
const methodId = fc.constantFrom('pm_card', 'pm_sbp', 'pm_transfer', 'nothing');
const otherAction: fc.Arbitrary<Action> = fc.oneof(
  fc.constantFrom<Action>(
    { type: 'dismissInvoice' },
    { type: 'resumeInvoice' },
    { type: 'retry' },
    { type: 'refresh' },
  ),
  fc.constantFrom<Action>({ type: 'sleep' }, { type: 'stop' }, { type: 'start' }),
  now.map((at) => ({ type: 'tick' as const, now: at })),
  methodId.map((id) => ({ type: 'select' as const, methodId: id })),
  fc.uuid().map((key) => ({ type: 'createInvoice' as const, key })),
  error.map((why) => ({ type: 'createRejected' as const, error: why })),
);
const action = fc.oneof(
  { weight: 4, arbitrary: read },
  { weight: 1, arbitrary: settled },
  { weight: 3, arbitrary: otherAction },
);
type Step = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** The checkout that the model should hold, computed without it: that of the newest answer, or the last paid one. */
class ExpectedCheckout {
  newest = -1;
  last: Checkout | undefined;

  record(number: number, checkout: Checkout): void {
    if (number < this.newest) return;
    this.newest = number;
    const hasOtherAmount = checkout.invoice !== null && Number(checkout.invoice.amount) !== 1500;
    // A payment of another amount counts as pending: the shop is checking it.
    const status = checkout.status === 'paid' && hasOtherAmount ? 'pending' : checkout.status;
    if (this.last?.status !== 'paid' || status === 'paid') this.last = { ...checkout, status };
  }

  reach(number: number): void {
    this.newest = Math.max(this.newest, number);
  }
}

function actionOf(step: Step, expected: ExpectedCheckout): Action {
  if (!('settles' in step)) return step;
  const { settles, checkout, now: at } = step;
  const response = checkout && { checkout, now: at, number: expected.newest + 1 };
  return settles === 'created' && response ? { type: 'created', ...response } : { type: 'createInDoubt', response };
}

function recordResponse(expected: ExpectedCheckout, { payment }: Model, one: Action): void {
  if (one.type === 'loaded') expected.record(one.number, one.checkout);
  else if (one.type === 'unchanged') expected.reach(one.number);
  else if (one.type === 'created') expected.record(one.number, one.checkout);
  else if (one.type === 'createInDoubt' && payment.pendingCreate !== undefined && one.response !== undefined)
    expected.record(one.response.number, one.response.checkout);
}

/** The invoices that a screen offers or names. */
function invoicesOf(state: CheckoutState): readonly { readonly id: string; readonly amount: string }[] {
  switch (state.status) {
    case 'waiting':
      return [state.invoice];
    case 'choosing':
      return state.activeInvoice === undefined ? [] : [state.activeInvoice];
    case 'paid':
    case 'failed':
    case 'expired':
      return state.invoice === undefined ? [] : [state.invoice];
    default:
      return [];
  }
}

function check(state: CheckoutState, { last }: ExpectedCheckout): void {
  const { status } = state;
  assert.equal(
    status === 'paid',
    last?.status === 'paid',
    'paid exactly when the backend reports a payment of the right amount',
  );
  assert.equal(status === 'loading' || status === 'lost', last === undefined);
  if (status === 'failed' || status === 'expired') assert.equal(status, last?.status, 'an end is never guessed');
  if (status === 'waiting')
    assert.equal(last?.status, 'pending', 'requisites are shown only while the checkout is pending');
  const invoices = invoicesOf(state);
  assert.ok(invoices.length <= 1);
  for (const { id, amount } of invoices) {
    assert.equal(id, last?.invoice?.id, 'only the newest invoice is on the screen');
    assert.equal(Number(amount), 1500, 'an invoice for another amount is never shown');
  }
  if (status === 'choosing' && state.selected !== undefined)
    assert.ok(state.checkout.options.some(({ id, available }) => id === state.selected && available));
}

describe('the reducer', () => {
  it('shows the newest response of the backend, in whatever order responses and actions of the payer arrive', () => {
    const run = (steps: readonly Step[]): void => {
      const expected = new ExpectedCheckout();
      let model = createModel();
      for (const step of steps) {
        const one = actionOf(step, expected);
        const before = model;
        recordResponse(expected, before, one);
        model = reduce(before, one).model;
        assert.ok(model.connection.applied >= before.connection.applied, 'an older answer was applied');
        check(selectState(model), expected);
        assert.equal(
          selectState(model).status === 'waiting' && model.payment.pendingCreate !== undefined,
          false,
          'requisites are shown while a create request is pending',
        );
      }
    };
    holds(fc.property(fc.array(action, { maxLength: 30 }), run), 1500);
  });

  it('reaches the same state for every order of the same responses, as long as nothing is paid', () => {
    const unpaid = anyCheckout.filter(({ status }) => status !== 'paid');
    const orders = fc
      .uniqueArray(fc.record({ number: fc.nat(1000), checkout: unpaid }), {
        selector: ({ number }) => number,
        minLength: 1,
      })
      .chain((answers) => fc.tuple(fc.constant(answers), fc.shuffledSubarray(answers, { minLength: answers.length })));
    const summaryOf = (answers: readonly { number: number; checkout: Checkout }[]): unknown => {
      const all = answers.reduce(
        (model, one) => reduce(model, { type: 'loaded', now: 0, ...one }).model,
        createModel(),
      );
      const { checkout, invoiceId } = all.payment;
      const { applied } = all.connection;
      return {
        status: selectState(all).status,
        id: checkout?.id,
        of: checkout?.status,
        invoice: checkout?.invoice,
        invoiceId,
        applied,
      };
    };
    holds(
      fc.property(orders, ([one, other]) => {
        assert.deepEqual(summaryOf(one), summaryOf(other));
      }),
      1000,
    );
  });

  it('stays paid, whatever arrives later', () => {
    holds(
      fc.property(fc.array(action, { maxLength: 30 }), (steps) => {
        const expected = new ExpectedCheckout();
        expected.record(0, makeCheckout('paid'));
        let model = reduce(createModel(), { type: 'loaded', number: 0, now: 0, checkout: makeCheckout('paid') }).model;
        for (const step of steps) {
          const one = actionOf(step, expected);
          recordResponse(expected, model, one);
          model = reduce(model, one).model;
          assert.equal(selectState(model).status, 'paid');
        }
      }),
      1000,
    );
  });
});

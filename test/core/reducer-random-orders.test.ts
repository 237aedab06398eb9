import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CheckoutError, type CheckoutState } from '../../src/core.ts';
import { createModel, type Model } from '../../src/core/session-model.ts';
import type { Action } from '../../src/core/session-commands.ts';
import { reduce } from '../../src/core/reducer.ts';
import { selectState } from '../../src/core/select-public-state.ts';
import type { Checkout } from '../../src/checkout-api.ts';
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
const readAction = fc.oneof(
  fc.record({ type: fc.constant('loaded' as const), number: fc.nat(12), checkout: anyCheckout, now }),
  fc.record({ type: fc.constant('unchanged' as const), number: fc.nat(12) }),
  fc.record({ type: fc.constant('loadFailed' as const), number: fc.nat(12), error }),
);
/** Results of create requests. They are numbered in the order in which they arrive. */
const createResult = fc.record({
  settles: fc.constantFrom('created', 'createInDoubt'),
  checkout: fc.option(anyCheckout, { nil: undefined, freq: 4 }),
  now,
});
const methodId = fc.constantFrom('pm_card', 'pm_sbp', 'pm_transfer', 'nothing');
const payerAction: fc.Arbitrary<Action> = fc.oneof(
  fc.constantFrom<Action>(
    { type: 'dismissInvoice' },
    { type: 'resumeInvoice' },
    { type: 'retry' },
    { type: 'refresh' },
  ),
  fc.constantFrom<Action>({ type: 'sleep' }, { type: 'stop' }, { type: 'start' }),
  fc.boolean().map((timeIsUp) => ({ type: 'tick' as const, timeIsUp })),
  methodId.map((id) => ({ type: 'select' as const, methodId: id })),
  fc.uuid().map((key) => ({ type: 'createInvoice' as const, key, now: 1000 })),
  error.map((reason) => ({ type: 'createRejected' as const, error: reason })),
);
const anyStep = fc.oneof(
  { weight: 4, arbitrary: readAction },
  { weight: 1, arbitrary: createResult },
  { weight: 3, arbitrary: payerAction },
);
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

/** The checkout that the model should have, computed without the reducer: the newest one, or the last paid one. */
class ExpectedCheckout {
  newestNumber = -1;
  checkout: Checkout | undefined;

  record(number: number, checkout: Checkout): void {
    if (number < this.newestNumber) return;
    this.newestNumber = number;
    const hasOtherAmount = checkout.invoice !== null && Number(checkout.invoice.amount) !== 1500;
    // A payment of another amount counts as pending: the shop is checking it.
    const status = checkout.status === 'paid' && hasOtherAmount ? 'pending' : checkout.status;
    if (this.checkout?.status !== 'paid' || status === 'paid') this.checkout = { ...checkout, status };
  }

  recordNumber(number: number): void {
    this.newestNumber = Math.max(this.newestNumber, number);
  }
}

function actionOf(step: Step, expectedCheckout: ExpectedCheckout): Action {
  if (!('settles' in step)) return step;
  const { settles, checkout, now: at } = step;
  const response = checkout && { checkout, now: at, number: expectedCheckout.newestNumber + 1 };
  return settles === 'created' && response ? { type: 'created', ...response } : { type: 'createInDoubt', response };
}

function recordResponse(expectedCheckout: ExpectedCheckout, { payment }: Model, action: Action): void {
  if (action.type === 'loaded') expectedCheckout.record(action.number, action.checkout);
  else if (action.type === 'unchanged') expectedCheckout.recordNumber(action.number);
  else if (action.type === 'created') expectedCheckout.record(action.number, action.checkout);
  else if (action.type === 'createInDoubt' && payment.pendingCreate !== undefined && action.response !== undefined)
    expectedCheckout.record(action.response.number, action.response.checkout);
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

function assertState(state: CheckoutState, { checkout }: ExpectedCheckout): void {
  const { status } = state;
  assert.equal(
    status === 'paid',
    checkout?.status === 'paid',
    'paid exactly when the backend reports a payment of the right amount',
  );
  assert.equal(status === 'loading' || status === 'lost', checkout === undefined);
  if (status === 'failed' || status === 'expired') assert.equal(status, checkout?.status, 'an end is never guessed');
  if (status === 'waiting')
    assert.equal(checkout?.status, 'pending', 'requisites are shown only while the checkout is pending');
  const invoices = invoicesOf(state);
  assert.ok(invoices.length <= 1);
  for (const { id, amount } of invoices) {
    assert.equal(id, checkout?.invoice?.id, 'only the newest invoice is on the screen');
    assert.equal(Number(amount), 1500, 'an invoice for another amount is never shown');
  }
  if (status === 'choosing' && state.selected !== undefined)
    assert.ok(state.checkout.options.some(({ id, available }) => id === state.selected && available));
}

describe('the reducer', () => {
  it('shows the newest response of the backend, in whatever order responses and actions of the payer arrive', () => {
    const run = (steps: readonly Step[]): void => {
      const expectedCheckout = new ExpectedCheckout();
      let model = createModel();
      for (const step of steps) {
        const action = actionOf(step, expectedCheckout);
        const modelBefore = model;
        recordResponse(expectedCheckout, modelBefore, action);
        model = reduce(modelBefore, action).model;
        assert.ok(
          model.connection.applied >= modelBefore.connection.applied,
          'a response to an older request was applied',
        );
        assertState(selectState(model), expectedCheckout);
        assert.equal(
          selectState(model).status === 'waiting' && model.payment.pendingCreate !== undefined,
          false,
          'requisites are shown while a create request is pending',
        );
      }
    };
    holds(fc.property(fc.array(anyStep, { maxLength: 30 }), run), 1500);
  });

  it('reaches the same state for every order of the same responses, as long as nothing is paid', () => {
    const unpaid = anyCheckout.filter(({ status }) => status !== 'paid');
    const orders = fc
      .uniqueArray(fc.record({ number: fc.nat(1000), checkout: unpaid }), {
        selector: ({ number }) => number,
        minLength: 1,
      })
      .chain((responses) =>
        fc.tuple(fc.constant(responses), fc.shuffledSubarray(responses, { minLength: responses.length })),
      );
    const summarize = (responses: readonly { number: number; checkout: Checkout }[]): unknown => {
      const finalModel = responses.reduce(
        (model, response) => reduce(model, { type: 'loaded', now: 0, ...response }).model,
        createModel(),
      );
      const { checkout, invoiceId } = finalModel.payment;
      const { applied } = finalModel.connection;
      return {
        status: selectState(finalModel).status,
        id: checkout?.id,
        checkoutStatus: checkout?.status,
        invoice: checkout?.invoice,
        invoiceId,
        applied,
      };
    };
    holds(
      fc.property(orders, ([inOrder, shuffled]) => {
        assert.deepEqual(summarize(inOrder), summarize(shuffled));
      }),
      1000,
    );
  });

  it('stays paid, whatever responses and actions of the payer follow', () => {
    holds(
      fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
        const expectedCheckout = new ExpectedCheckout();
        expectedCheckout.record(0, makeCheckout('paid'));
        let model = reduce(createModel(), { type: 'loaded', number: 0, now: 0, checkout: makeCheckout('paid') }).model;
        for (const step of steps) {
          const action = actionOf(step, expectedCheckout);
          recordResponse(expectedCheckout, model, action);
          model = reduce(model, action).model;
          assert.equal(selectState(model).status, 'paid');
        }
      }),
      1000,
    );
  });
});

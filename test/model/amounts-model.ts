// The model of the amounts: the service may return another amount in any response, responses arrive in any order, and the
// clock is set.
import { compareDecimals } from '../../src/service-api.ts';
import type { applyFetchedStatus } from '../support/apply-with-outcomes.ts';
import { deriveStatus } from '../../src/server/domain/apply-fetched-status.ts';
import { invoicesOf, mismatchedAttempt } from '../../src/server/domain/select-invoice-attempt.ts';
import { presentCheckout } from '../../src/server/domain/present-to-payer.ts';
import { defaultStatuses } from '../../src/server/domain/status-words.ts';
import { defaultTiming } from '../../src/server/timing-and-limit-defaults.ts';
import type { CheckoutRecord, NewOutcome } from '../../src/server.ts';
import type { Model, Step } from './explore.ts';
import { price, startTime, withPendingInvoices } from './checkout-model-state.ts';

export type ApplyFetched = typeof applyFetchedStatus;

/** An invoice at the service, or as a fetch returned it. */
interface ServiceInvoice {
  readonly externalId: string;
  readonly amount: string;
  readonly word: 'PENDING' | 'HELD_BY_BANK' | 'FAILED' | 'PAID';
}

interface Fetch extends ServiceInvoice {
  readonly requestedAt: number;
}

export interface AmountsState {
  readonly now: number;
  readonly record: CheckoutRecord;
  readonly invoices: readonly ServiceInvoice[];
  readonly fetches: readonly Fetch[];
  readonly outcomes: readonly NewOutcome[];
  readonly amountChanges: number;
  readonly clockSteps: number;
}

/** The requested amount, the requested amount in another notation, and another amount. */
const amounts = [price, '100', '100.01'];
const words = {
  PENDING: ['PAID', 'FAILED', 'HELD_BY_BANK'],
  HELD_BY_BANK: ['PAID'],
  FAILED: ['PAID'],
  PAID: [],
} as const;
const paymentKinds = ['paid', 'amount_mismatch', 'duplicate_payment'];
const isRequestedAmount = (amount: string): boolean => compareDecimals(amount, price) === 0;

/** The rule that a state breaks, or undefined. */
function violation({ record, outcomes, now }: AmountsState): string | undefined {
  for (const { kind, amount, expectedAmount } of outcomes) {
    if (expectedAmount !== price) return 'an outcome does not have the amount of the order';
    if (kind === 'paid' && !isRequestedAmount(amount)) return 'paid is reported for another amount';
    if (kind === 'amount_mismatch' && isRequestedAmount(amount))
      return 'a payment of the requested amount is reported as a mismatch';
  }
  for (const { externalId, outcome } of invoicesOf(record)) {
    const reportedPayments = outcomes.filter(
      (reported) => reported.externalId === externalId && paymentKinds.includes(reported.kind),
    );
    if (reportedPayments.length > 1) return 'one payment is reported twice';
    if ((outcome === 'paid' || outcome === 'amount_mismatch') && reportedPayments.length === 0)
      return 'a payment is not reported';
  }
  if ((record.paidExternalId !== null) !== outcomes.some(({ kind }) => kind === 'paid'))
    return 'a checkout is paid without a reported payment of the requested amount, or a reported payment does not make it paid';
  if ((deriveStatus(record, now) === 'paid') !== (record.paidExternalId !== null))
    return 'the status of a checkout is paid although no payment is stored, or it is not paid although a payment is stored';
  const isMismatch = mismatchedAttempt(record) !== undefined;
  if (isMismatch && deriveStatus(record, now) !== 'pending')
    return 'a checkout whose payment the shop checks is not pending';
  const { invoice } = presentCheckout(record, { ...presentationContext, now, status: deriveStatus(record, now) });
  if (isMismatch && (invoice?.sbp ?? invoice?.payment_url) !== undefined)
    return 'requisites are shown while the shop checks a payment';
  return invoice !== null && !isRequestedAmount(invoice.amount) ? 'an invoice for another amount is shown' : undefined;
}

const presentationContext = {
  mode: 'TEST',
  options: [],
  stale: false,
  pollAfterMs: 1000,
  endpoint: 'https://shop.test/checkout',
} as const;

/** The model of the amounts for a function that applies a fetch. It begins with `count` pending invoices. */
export function amountsModel(apply: ApplyFetched, count: 1 | 2): Model<AmountsState> {
  const { record, invoices } = withPendingInvoices(count);
  return {
    initial: {
      now: startTime,
      record,
      invoices: invoices.map(({ externalId }) => ({ externalId, amount: price, word: 'PENDING' })),
      fetches: [],
      outcomes: [],
      amountChanges: 0,
      clockSteps: 0,
    },
    *steps(state) {
      yield* changeInvoices(state);
      yield* fetchInvoices(state, apply);
      if (state.clockSteps === 0)
        for (const ms of [-3_600_000, 3_600_000])
          yield { name: `the clock is set by ${ms} ms`, next: { ...state, now: state.now + ms, clockSteps: 1 } };
    },
    key: ({ record, outcomes, ...otherMembers }) =>
      JSON.stringify([otherMembers, record.paidExternalId, outcomes.map(({ id, amount }) => [id, amount]),
        invoicesOf(record).map(({ outcome, serviceStatus, checkedAt }) => [outcome, serviceStatus, checkedAt])]), // prettier-ignore
    violation,
  };
}

/** The bank changes the status of an invoice, or the service changes the amount of an invoice. */
function* changeInvoices(state: AmountsState): Iterable<Step<AmountsState>> {
  for (const invoice of state.invoices) {
    const withChange = (change: Partial<ServiceInvoice>): AmountsState['invoices'] =>
      state.invoices.map((other) => (other === invoice ? { ...invoice, ...change } : other));
    for (const word of words[invoice.word])
      yield { name: `${invoice.externalId} becomes ${word}`, next: { ...state, invoices: withChange({ word }) } };
    if (state.amountChanges >= 2) continue;
    for (const amount of amounts)
      yield {
        name: `${invoice.externalId} gets the amount ${amount}`,
        next: { ...state, invoices: withChange({ amount }), amountChanges: state.amountChanges + 1 },
      };
  }
}

/** A fetch begins, or the response to a fetch arrives. The responses to two fetches arrive in any order. */
function* fetchInvoices(state: AmountsState, apply: ApplyFetched): Iterable<Step<AmountsState>> {
  if (state.fetches.length < 2)
    for (const invoice of state.invoices)
      yield {
        name: `${invoice.externalId} is fetched (${invoice.word}, ${invoice.amount})`,
        next: { ...state, fetches: [...state.fetches, { ...invoice, requestedAt: state.now }] },
      };
  for (const fetch of state.fetches) {
    const { externalId, requestedAt, word, amount } = fetch;
    const id = invoicesOf(state.record).find((known) => known.externalId === externalId)?.invoice.id ?? '';
    const update = apply(
      state.record,
      externalId,
      { fetched: { id, status: word, amount }, requestedAt, deadlineNow: requestedAt },
      { statuses: defaultStatuses, timing: defaultTiming, mode: 'TEST' },
      () => requestedAt,
      state.now,
    );
    if (update === undefined) continue;
    const { record, outcomes } = update;
    const fetches = state.fetches.filter((other) => other !== fetch);
    yield {
      name: `the response to the fetch of ${externalId} arrives (${word}, ${amount})`,
      next: { ...state, fetches, record, outcomes: [...state.outcomes, ...outcomes] },
    };
  }
}

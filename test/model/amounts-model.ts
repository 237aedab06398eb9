// The model of the amounts: the service may return another amount in any response, responses overtake each other, and the
// clock steps.
import { compareDecimals } from '../../src/contract.ts';
import type { applyFetchedStatus } from '../../src/server/domain/apply-fetched-status.ts';
import { deriveStatus } from '../../src/server/domain/apply-fetched-status.ts';
import { attemptOf, shownAttempt } from '../../src/server/domain/select-attempt.ts';
import { presentCheckout } from '../../src/server/domain/present-to-payer.ts';
import { defaultStatuses } from '../../src/server/domain/status-words.ts';
import { defaultTiming } from '../../src/server/timing-and-limit-defaults.ts';
import type { CheckoutRecord, NewOutcome } from '../../src/server.ts';
import type { Model, Step } from './explore.ts';
import { price, start, withWaiting } from './checkout-model-state.ts';

export type ApplyFetched = typeof applyFetchedStatus;

/** An invoice as the service has it, or as it was at a fetch. */
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

/** The requested amount, the same one written otherwise, and another one. */
const amounts = [price, '100', '100.01'];
const words = {
  PENDING: ['PAID', 'FAILED', 'HELD_BY_BANK'],
  HELD_BY_BANK: ['PAID'],
  FAILED: ['PAID'],
  PAID: [],
} as const;
const payments = ['paid', 'amount_mismatch', 'duplicate_payment'];
const isRight = (amount: string): boolean => compareDecimals(amount, price) === 0;

/** The rule that a state breaks, or undefined. */
function violation({ record, outcomes, now }: AmountsState): string | undefined {
  for (const { kind, amount, expectedAmount } of outcomes) {
    if (expectedAmount !== price) return 'an outcome does not carry the amount of the order';
    if (kind === 'paid' && !isRight(amount)) return 'paid is reported for another amount';
    if (kind === 'amount_mismatch' && isRight(amount)) return 'a right payment is reported as a mismatch';
  }
  for (const { externalId, outcome } of record.attempts) {
    const reported = outcomes.filter((one) => one.externalId === externalId && payments.includes(one.kind));
    if (reported.length > 1) return 'one payment is reported twice';
    if ((outcome === 'paid' || outcome === 'amount_mismatch') && reported.length === 0)
      return 'a payment is not reported';
  }
  if ((record.paidExternalId !== null) !== outcomes.some(({ kind }) => kind === 'paid'))
    return 'a checkout is paid without a reported payment of the right amount, or the other way round';
  if ((deriveStatus(record, now) === 'paid') !== (record.paidExternalId !== null))
    return 'the status of a checkout is paid although no payment was recorded, or the other way round';
  const isChecked = shownAttempt(record)?.outcome === 'amount_mismatch';
  if (isChecked && deriveStatus(record, now) !== 'pending') return 'a payment that the shop checks is not pending';
  const { invoice } = presentCheckout(record, { ...surroundings, now, status: deriveStatus(record, now) });
  if (isChecked && (invoice?.sbp ?? invoice?.payment_url) !== undefined)
    return 'requisites are shown while the shop checks a payment';
  return invoice !== null && !isRight(invoice.amount) ? 'an invoice for another amount is shown' : undefined;
}

const surroundings = {
  mode: 'TEST',
  options: [],
  stale: false,
  pollAfterMs: 1000,
  endpoint: 'https://shop.test/checkout',
} as const;

/** The model of the amounts for the function that applies a fetch. `count` invoices wait at the beginning. */
export function amountsModel(apply: ApplyFetched, count: 1 | 2): Model<AmountsState> {
  const { record, invoices } = withWaiting(count);
  return {
    initial: {
      now: start,
      record,
      invoices: invoices.map(({ externalId }) => ({ externalId, amount: price, word: 'PENDING' })),
      fetches: [],
      outcomes: [],
      amountChanges: 0,
      clockSteps: 0,
    },
    *steps(state) {
      yield* service(state);
      yield* fetching(state, apply);
      if (state.clockSteps === 0)
        for (const ms of [-3_600_000, 3_600_000])
          yield { name: `the clock steps by ${ms} ms`, next: { ...state, now: state.now + ms, clockSteps: 1 } };
    },
    key: ({ record: { attempts, paidExternalId }, outcomes, ...rest }) =>
      JSON.stringify([rest, paidExternalId, outcomes.map(({ id, amount }) => [id, amount]),
        attempts.map(({ outcome, serviceStatus, checkedAt }) => [outcome, serviceStatus, checkedAt])]), // prettier-ignore
    violation,
  };
}

/** The bank moves an invoice on, or the service changes its amount. */
function* service(state: AmountsState): Iterable<Step<AmountsState>> {
  for (const invoice of state.invoices) {
    const changed = (change: Partial<ServiceInvoice>): AmountsState['invoices'] =>
      state.invoices.map((one) => (one === invoice ? { ...invoice, ...change } : one));
    for (const word of words[invoice.word])
      yield { name: `${invoice.externalId} becomes ${word}`, next: { ...state, invoices: changed({ word }) } };
    if (state.amountChanges >= 2) continue;
    for (const amount of amounts)
      yield {
        name: `${invoice.externalId} is over ${amount}`,
        next: { ...state, invoices: changed({ amount }), amountChanges: state.amountChanges + 1 },
      };
  }
}

/** A fetch begins, by the schedule or by a hook, and is answered later; two may overtake each other. */
function* fetching(state: AmountsState, apply: ApplyFetched): Iterable<Step<AmountsState>> {
  if (state.fetches.length < 2)
    for (const invoice of state.invoices)
      yield {
        name: `${invoice.externalId} is fetched (${invoice.word}, ${invoice.amount})`,
        next: { ...state, fetches: [...state.fetches, { ...invoice, requestedAt: state.now }] },
      };
  for (const fetch of state.fetches) {
    const { externalId, requestedAt, word, amount } = fetch;
    const id = attemptOf(state.record, externalId)?.invoice?.id ?? '';
    const update = apply(
      state.record,
      externalId,
      { fetched: { id, status: word, amount }, requestedAt, deadlineNow: requestedAt },
      { statuses: defaultStatuses, timing: defaultTiming },
      () => null,
      state.now,
    );
    if (update === undefined) continue;
    const { record, outcomes } = update;
    const fetches = state.fetches.filter((one) => one !== fetch);
    yield {
      name: `the fetch of ${externalId} answers (${word}, ${amount})`,
      next: { ...state, fetches, record, outcomes: [...state.outcomes, ...outcomes] },
    };
  }
}

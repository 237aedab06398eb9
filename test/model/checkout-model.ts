// The decisions of src/server/domain as a model: a payer, a bank, two processes, a service and a clock do everything that
// they can do, in every order.
import { shownAttempt } from '../../src/server/domain/select-attempt.ts';
import { isClosed } from '../../src/server/domain/close-checkout.ts';
import type { Model } from './explore.ts';
import { fetches } from './checkout-fetch-steps.ts';
import * as step from './checkout-steps.ts';
import { closesAt, start, withWaiting, type Bounds, type State } from './checkout-model-state.ts';

/** The rules that hold in every state. */
function violation(state: State, { deriveStatus }: step.Decisions): string | undefined {
  const { broken, record, seenPaid, outcomes, paidElsewhere, now } = state;
  if (broken !== undefined) return broken;
  const status = deriveStatus(record, now);
  if ((status === 'paid') !== seenPaid.length > 0)
    return 'a payment that was seen makes the checkout paid, also after it was closed (checkout-api, States)';
  const mayBePaid = record.attempts.some(({ outcome, refusal }) => outcome === 'pending' && refusal === null);
  if (status === 'closed' && mayBePaid)
    return 'a checkout is closed while an invoice of it can still be paid (checkout-api, States)';
  if (status === 'open' && isClosed(record, now)) return 'a closed checkout is shown as open (checkout-api, States)';
  const paid = outcomes.filter(({ kind }) => kind === 'paid');
  const duplicates = outcomes.filter(({ kind }) => kind === 'duplicate_payment');
  if ((record.paidExternalId !== null) !== seenPaid.length > 0)
    return 'a checkout is paid without a paid invoice, or the other way round';
  if (paidElsewhere && paid.length > 0) return 'an order is reported as paid by two of its checkouts';
  const first = paidElsewhere ? 0 : Math.min(1, seenPaid.length);
  if (paid.length !== first) return 'paid is not reported exactly once';
  if (duplicates.length !== seenPaid.length - first) return 'a further payment is not reported exactly once';
  const unresolved = new Set(
    outcomes.filter(({ kind }) => kind === 'create_unresolved').map(({ externalId }) => externalId),
  );
  const isForgotten = record.attempts.some(
    ({ stage, runAt, externalId }) => stage === 'in_doubt' && runAt === null && !unresolved.has(externalId),
  );
  if (isForgotten) return 'a create in doubt is given up, and the shop is not notified';
  const firstPaid = outcomes.findIndex(({ kind }) => kind === 'paid');
  const isContradicted = outcomes.some(({ kind }, at) => at > firstPaid && (kind === 'failed' || kind === 'expired'));
  if (firstPaid !== -1 && isContradicted) return 'failed or expired is reported after paid';
  const shown = shownAttempt(record);
  if (shown?.invoice != null && shown.invoice.amount !== shown.amount) return 'an invoice for another amount is shown';
  const unwatched = record.attempts.find(
    ({ invoice, outcome, runAt }) => invoice !== null && outcome === 'pending' && runAt === null,
  );
  if (unwatched !== undefined) return 'an invoice that may be paid is not watched';
  return undefined;
}

/** Identifies a state. It is as short as possible, because most of the time of an exploration is spent here. */
function key({
  now,
  record,
  invoices,
  calls,
  fetches,
  outcomes,
  requests,
  clockSteps,
  crashes,
  broken,
}: State): string {
  const attempts = record.attempts.map((attempt) => [
    attempt.stage,
    attempt.outcome,
    attempt.invoice?.id,
    attempt.refusal,
    attempt.callCount,
    attempt.leaseUntil - start,
    attempt.checkedAt === null ? null : attempt.checkedAt - start,
    attempt.runAt === null ? null : attempt.runAt - start,
    attempt.serviceStatus,
    attempt.keys.length,
  ]);
  return JSON.stringify([
    now - start,
    record.paidExternalId,
    record.closedAt !== null,
    attempts,
    invoices.map(({ word }) => word),
    calls.map(({ process, externalId, answer }) => [process, externalId, answer?.kind]),
    fetches.map(({ externalId, requestedAt, invoice }) => [externalId, requestedAt - start, invoice?.word]),
    outcomes.map(({ kind, externalId }) => [kind, externalId]),
    requests,
    clockSteps,
    crashes,
    broken,
  ]);
}

function initialState({ waiting, paidElsewhere, closes }: Bounds): State {
  const state = { ...withWaiting(waiting), paidElsewhere };
  const { record } = state;
  return closes ? { ...state, record: { ...record, params: { ...record.params, expiresAt: closesAt } } } : state;
}

/** The model of one checkout for some decisions and bounds. */
export function checkoutModel(tested: step.Decisions, bounds: Bounds): Model<State> {
  return {
    initial: initialState(bounds),
    *steps(state) {
      yield* step.requests(state, tested, bounds);
      yield* step.recovery(state, tested, bounds);
      yield* step.handling(state, bounds);
      yield* step.answers(state, tested);
      yield* step.crashes(state, bounds);
      yield* step.payments(state);
      yield* fetches(state, tested, bounds);
      yield* step.closing(state, tested, bounds);
      yield* step.time(state, bounds);
    },
    key,
    violation: (state) => violation(state, tested),
  };
}

// The decisions of src/server/domain as a model. The steps are those of a payer, a merchant, a bank, two processes, a service and
// a clock, in every order.
import { shownAttempt } from '../../src/server/domain/select-invoice-attempt.ts';
import { isClosed } from '../../src/server/domain/close-checkout.ts';
import type { Model } from './explore.ts';
import { fetchInvoices } from './checkout-fetch-steps.ts';
import * as step from './checkout-steps.ts';
import { closesAt, startTime, withPendingInvoices, type Bounds, type State } from './checkout-model-state.ts';

/** The rule that a state breaks, or undefined. */
function violation(state: State, { deriveStatus }: step.Decisions): string | undefined {
  const { brokenRule, record, attemptsSeenPaid, outcomes, isPaidByOtherCheckout, now } = state;
  if (brokenRule !== undefined) return brokenRule;
  const status = deriveStatus(record, now);
  if ((status === 'paid') !== attemptsSeenPaid.length > 0)
    return 'a fetched payment makes the checkout paid, also after it was closed (checkout-api, States)';
  const mayBePaid = record.attempts.some(({ outcome, refusal }) => outcome === 'pending' && refusal === null);
  if (status === 'closed' && mayBePaid)
    return 'a checkout is closed while an invoice of it can still be paid (checkout-api, States)';
  if (status === 'open' && isClosed(record, now)) return 'a closed checkout is shown as open (checkout-api, States)';
  const paidOutcomes = outcomes.filter(({ kind }) => kind === 'paid');
  const duplicatePayments = outcomes.filter(({ kind }) => kind === 'duplicate_payment');
  if ((record.paidExternalId !== null) !== attemptsSeenPaid.length > 0)
    return 'a checkout is paid without a paid invoice, or a paid invoice does not make it paid';
  if (isPaidByOtherCheckout && paidOutcomes.length > 0) return 'an order is reported as paid by two of its checkouts';
  const expectedPaidCount = isPaidByOtherCheckout ? 0 : Math.min(1, attemptsSeenPaid.length);
  if (paidOutcomes.length !== expectedPaidCount) return 'paid is not reported exactly once';
  if (duplicatePayments.length !== attemptsSeenPaid.length - expectedPaidCount)
    return 'a further payment is not reported exactly once';
  const unresolvedIds = new Set(
    outcomes.filter(({ kind }) => kind === 'create_unresolved').map(({ externalId }) => externalId),
  );
  const hasUnreportedDoubt = record.attempts.some(
    ({ stage, runAt, externalId }) => stage === 'in_doubt' && runAt === null && !unresolvedIds.has(externalId),
  );
  if (hasUnreportedDoubt) return 'a create in doubt is given up, and the shop is not notified';
  const firstPaidIndex = outcomes.findIndex(({ kind }) => kind === 'paid');
  const hasLaterFailure = outcomes.some(
    ({ kind }, index) => index > firstPaidIndex && (kind === 'failed' || kind === 'expired'),
  );
  if (firstPaidIndex !== -1 && hasLaterFailure) return 'failed or expired is reported after paid';
  const visibleAttempt = shownAttempt(record);
  if (visibleAttempt?.invoice != null && visibleAttempt.invoice.amount !== visibleAttempt.amount)
    return 'an invoice for another amount is shown';
  const unpolledAttempt = record.attempts.find(
    ({ invoice, outcome, runAt }) => invoice !== null && outcome === 'pending' && runAt === null,
  );
  if (unpolledAttempt !== undefined) return 'an invoice that may be paid is not polled';
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
  brokenRule,
}: State): string {
  const attempts = record.attempts.map((attempt) => [
    attempt.stage,
    attempt.outcome,
    attempt.invoice?.id,
    attempt.refusal,
    attempt.callCount,
    attempt.leaseUntil - startTime,
    attempt.checkedAt === null ? null : attempt.checkedAt - startTime,
    attempt.runAt === null ? null : attempt.runAt - startTime,
    attempt.serviceStatus,
    attempt.keys.length,
  ]);
  return JSON.stringify([
    now - startTime,
    record.paidExternalId,
    record.closedAt !== null,
    attempts,
    invoices.map(({ word }) => word),
    calls.map(({ process, externalId, response }) => [process, externalId, response?.kind]),
    fetches.map(({ externalId, requestedAt, invoice }) => [externalId, requestedAt - startTime, invoice?.word]),
    outcomes.map(({ kind, externalId }) => [kind, externalId]),
    requests,
    clockSteps,
    crashes,
    brokenRule,
  ]);
}

function initialState({ pendingInvoices, isPaidByOtherCheckout, mayClose }: Bounds): State {
  const state = { ...withPendingInvoices(pendingInvoices), isPaidByOtherCheckout };
  const { record } = state;
  return mayClose ? { ...state, record: { ...record, params: { ...record.params, expiresAt: closesAt } } } : state;
}

/** The model of one checkout for some decisions and bounds. */
export function checkoutModel(decisions: step.Decisions, bounds: Bounds): Model<State> {
  return {
    initial: initialState(bounds),
    *steps(state) {
      yield* step.requestInvoice(state, decisions, bounds);
      yield* step.repeatCreates(state, decisions, bounds);
      yield* step.handleCalls(state, bounds);
      yield* step.receiveResponses(state, decisions);
      yield* step.crashProcesses(state, bounds);
      yield* step.changeStatuses(state);
      yield* fetchInvoices(state, decisions, bounds);
      yield* step.closeByMerchant(state, decisions, bounds);
      yield* step.passTime(state, bounds);
    },
    key,
    violation: (state) => violation(state, decisions),
  };
}

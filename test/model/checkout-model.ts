// The decisions of src/server/domain as a model. The steps are those of a payer, a merchant, a bank, two processes, a service and
// a clock, in every order.
import { rulesBrokenBy } from '../../src/server/domain/checkout-record-rules.ts';
import {
  canStillBePaid,
  hasInvoice,
  invoicesOf,
  isOpenOutcome,
  isClosed,
} from '../../src/server/domain/checkout-status.ts';
import type { Model, Step } from './explore.ts';
import { fetchInvoices } from './checkout-fetch-steps.ts';
import * as step from './checkout-steps.ts';
import { closesAt, startTime, withPendingInvoices, type Bounds, type State } from './checkout-model-state.ts';

/** The rule that a state breaks, or undefined. */
function violation(state: State, { deriveStatus }: step.Decisions): string | undefined {
  const { brokenRule, record, attemptsSeenPaid, outcomes, now } = state;
  if (brokenRule !== undefined) return brokenRule;
  const status = deriveStatus(record, now);
  const decidedAsPaid = record.attempts.filter(({ resolution }) => resolution?.as === 'paid');
  const isKnownAsPaid = attemptsSeenPaid.length > 0 || decidedAsPaid.length > 0;
  if ((status === 'paid') !== isKnownAsPaid)
    return 'a fetched payment makes the checkout paid, also after it was closed (checkout-api, States)';
  const mayBePaid = record.attempts.some(canStillBePaid);
  if (status === 'closed' && mayBePaid)
    return 'a checkout is closed while an invoice of it can still be paid (checkout-api, States)';
  if (status === 'open' && isClosed(record, now)) return 'a closed checkout is shown as open (checkout-api, States)';
  const paidOutcomes = outcomes.filter(({ kind }) => kind === 'paid');
  const duplicatePayments = outcomes.filter(({ kind }) => kind === 'duplicate_payment');
  if ((record.paidExternalId !== null) !== isKnownAsPaid)
    return 'a checkout is paid without a paid invoice, or a paid invoice does not make it paid';
  const payments = new Set([...attemptsSeenPaid, ...decidedAsPaid.map(({ externalId }) => externalId)]);
  const expectedPaidCount = Math.min(1, payments.size);
  if (paidOutcomes.length !== expectedPaidCount) return 'paid is not reported exactly once';
  if (duplicatePayments.length !== payments.size - expectedPaidCount)
    return 'a further payment is not reported exactly once';
  const endedStatus = status === 'failed' || status === 'expired' ? status : undefined;
  if (endedStatus !== undefined && !outcomes.some(({ kind }) => kind === endedStatus))
    return 'a checkout fails or expires, and the shop is not notified';
  const isUnreported = (id: string): boolean =>
    !outcomes.some(({ kind, externalId }) => kind === 'invoice_unresolved' && externalId === id);
  const unpolledAttempt = invoicesOf(record).find(
    ({ externalId, outcome, runAt }) => isOpenOutcome(outcome) && runAt === null && isUnreported(externalId),
  );
  if (unpolledAttempt !== undefined) return 'an invoice that may be paid is not polled, and the shop is not notified';
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
    attempt.state,
    'reason' in attempt ? attempt.reason : null,
    ...(hasInvoice(attempt) ? [attempt.outcome, attempt.invoice.id, attempt.serviceStatus] : []),
    attempt.callCount,
    attempt.leaseUntil - startTime,
    hasInvoice(attempt) && attempt.answeredAt !== null ? attempt.answeredAt - startTime : null,
    attempt.runAt === null ? null : attempt.runAt - startTime,
    attempt.keys.length,
    attempt.resolution?.as,
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

function initialState({ pendingInvoices, mayClose }: Bounds): State {
  const state = withPendingInvoices(pendingInvoices);
  const { record } = state;
  return mayClose ? { ...state, record: { ...record, params: { ...record.params, expiresAt: closesAt } } } : state;
}

/** The step with the first rule of a record that its change breaks. The server refuses to save such a change. */
function withRecordCheck({ record: before, outcomes: reported }: State, { name, next }: Step<State>): Step<State> {
  if (next.brokenRule !== undefined || (next.record === before && next.outcomes === reported)) return { name, next };
  // The model keeps each outcome once, while the server passes that of a repeated create again.
  const outcomes = next.outcomes.filter(
    (outcome) => !reported.includes(outcome) || outcome.kind === 'create_unresolved',
  );
  const [brokenRule] = rulesBrokenBy({ before, record: next.record, outcomes });
  return { name, next: { ...next, brokenRule } };
}

/** The model of one checkout for some decisions and bounds. */
export function checkoutModel(decisions: step.Decisions, bounds: Bounds): Model<State> {
  return {
    initial: initialState(bounds),
    *steps(state) {
      for (const nextSteps of [
        step.requestInvoice(state, decisions, bounds),
        step.repeatCreates(state, decisions, bounds),
        step.handleCalls(state, bounds),
        step.receiveResponses(state, decisions),
        step.crashProcesses(state, bounds),
        step.changeStatuses(state),
        fetchInvoices(state, decisions, bounds),
        step.closeByMerchant(state, decisions, bounds),
        step.resolveInvoices(state, decisions, bounds),
        step.passTime(state, bounds),
      ])
        for (const nextStep of nextSteps) yield withRecordCheck(state, nextStep);
    },
    key,
    violation: (state) => violation(state, decisions),
  };
}

// The status poller's steps: an invoice is fetched, and the response arrives later.
import {
  type FetchResult,
  type StatusUpdate,
  defaultStatuses,
  missingGraceMs,
  nextFetchAt,
} from '../../src/server/domain/fetch-decisions.ts';
import { invoicesOf } from '../../src/server/domain/checkout-status.ts';
import { defaultTiming } from '../../src/server/timing-and-limit-defaults.ts';
import type { CheckoutRecord, InvoiceAttempt } from '../../src/server-internals.ts';
import type { Step } from './explore.ts';
import { withoutIndex, withOutcomes, type Decisions } from './checkout-steps.ts';
import type { Bounds, Fetch, State } from './checkout-model-state.ts';

const rules = { statuses: defaultStatuses, timing: defaultTiming, mode: 'TEST' } as const;

const invoiceAttemptOf = (record: CheckoutRecord, externalId: string): InvoiceAttempt | undefined =>
  invoicesOf(record).find((attempt) => attempt.externalId === externalId);

/** The status poller fetches an invoice. The response arrives later, with the invoice as it was at the request, or without. */
export function* fetchInvoices(state: State, apply: Decisions, bounds: Bounds): Iterable<Step<State>> {
  if (state.fetches.length < bounds.fetches)
    for (const { externalId, invoice } of invoicesOf(state.record)) {
      const serviceInvoice = state.invoices.find(({ id }) => id === invoice.id);
      if (serviceInvoice === undefined) continue;
      const fetch: Fetch = { externalId, requestedAt: state.now, invoice: serviceInvoice };
      yield {
        name: `${serviceInvoice.id} is fetched (${serviceInvoice.word})`,
        next: { ...state, fetches: [...state.fetches, fetch], brokenRule: undefined },
      };
    }
  for (const [index, fetch] of state.fetches.entries()) {
    const remaining = { ...state, fetches: withoutIndex(state.fetches, index) };
    yield {
      name: `the response to the fetch of ${fetch.externalId} arrives`,
      next: applyFetch(remaining, fetch, apply),
    };
    yield {
      name: `the response to the fetch of ${fetch.externalId} arrives without the invoice`,
      next: applyFetch(remaining, { ...fetch, invoice: undefined }, apply),
    };
  }
}

function applyFetch(state: State, { externalId, requestedAt, invoice }: Fetch, apply: Decisions): State {
  const attemptBefore = invoiceAttemptOf(state.record, externalId);
  const result: FetchResult = {
    fetched: invoice && { id: invoice.id, status: invoice.word, amount: invoice.amount },
    requestedAt,
    deadlineNow: requestedAt,
  };
  const nextRun = (attempt: InvoiceAttempt): number | null => nextFetchAt(attempt, requestedAt, false, defaultTiming);
  const update = apply.applyFetchedStatus(state.record, externalId, result, rules, nextRun, state.now);
  if (update === undefined || attemptBefore === undefined) return state;
  const isPaid = invoice?.word === 'PAID';
  return {
    ...state,
    record: update.record,
    outcomes: withOutcomes(state.outcomes, apply.outcomesBetween(state.record, update.record, state.now)),
    attemptsSeenPaid:
      isPaid && !state.attemptsSeenPaid.includes(externalId)
        ? [...state.attemptsSeenPaid, externalId]
        : state.attemptsSeenPaid,
    brokenRule: findBrokenRule(attemptBefore, update, result),
  };
}

/** The rule that a change of an invoice's status breaks, or undefined. */
function findBrokenRule(
  attemptBefore: InvoiceAttempt,
  { record }: StatusUpdate,
  result: FetchResult,
): string | undefined {
  const attemptAfter = invoiceAttemptOf(record, attemptBefore.externalId);
  const word = result.fetched?.status;
  if (attemptBefore.outcome !== 'paid' && attemptAfter?.outcome === 'paid' && word !== 'PAID')
    return 'an invoice becomes paid that is not paid at the service';
  if (attemptAfter?.outcome === 'failed' && attemptBefore.outcome !== 'failed' && word !== 'FAILED')
    return 'an invoice becomes failed that has not failed at the service';
  if (attemptAfter?.outcome === 'expired' && attemptBefore.outcome === 'pending' && word !== 'EXPIRED') {
    if (word === 'HELD_BY_BANK') return 'an invoice with an unlisted status word ends by time';
    const grace = word === undefined ? missingGraceMs : defaultTiming.graceMs;
    if (result.requestedAt < (attemptAfter.expiresAt ?? Infinity) + grace)
      return 'an invoice expires before its grace period has ended';
  }
  return undefined;
}

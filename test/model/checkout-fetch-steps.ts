// The status poller's steps: an invoice is fetched, and the answer arrives later.
import type { FetchResult, StatusUpdate } from '../../src/server/domain/apply-fetched-status.ts';
import { attemptOf } from '../../src/server/domain/select-attempt.ts';
import { nextFetchAt } from '../../src/server/domain/next-fetch-time.ts';
import { defaultTiming } from '../../src/server/timing-and-limit-defaults.ts';
import { defaultStatuses } from '../../src/server/domain/status-words.ts';
import type { Attempt } from '../../src/server.ts';
import type { Step } from './explore.ts';
import { without, withOutcomes, type Decisions } from './checkout-steps.ts';
import type { Bounds, Fetch, State } from './checkout-model-state.ts';

const rules = { statuses: defaultStatuses, timing: defaultTiming };

/** The status poller fetches an invoice. The response arrives later, with the invoice as it was at the request or without it. */
export function* fetches(state: State, apply: Decisions, bounds: Bounds): Iterable<Step<State>> {
  if (state.fetches.length < bounds.fetches)
    for (const { externalId, invoice } of state.record.attempts) {
      const known = state.invoices.find(({ id }) => id === invoice?.id);
      if (invoice === null || known === undefined) continue;
      const fetch: Fetch = { externalId, requestedAt: state.now, invoice: known };
      yield {
        name: `${known.id} is fetched (${known.word})`,
        next: { ...state, fetches: [...state.fetches, fetch], broken: undefined },
      };
    }
  for (const [at, fetch] of state.fetches.entries()) {
    const rest = { ...state, fetches: without(state.fetches, at) };
    yield { name: `the fetch of ${fetch.externalId} answers`, next: fetched(rest, fetch, apply) };
    yield {
      name: `the fetch of ${fetch.externalId} answers without it`,
      next: fetched(rest, { ...fetch, invoice: undefined }, apply),
    };
  }
}

function fetched(state: State, { externalId, requestedAt, invoice }: Fetch, apply: Decisions): State {
  const before = attemptOf(state.record, externalId);
  const result: FetchResult = {
    fetched: invoice && { id: invoice.id, status: invoice.word, amount: invoice.amount },
    requestedAt,
    deadlineNow: requestedAt,
  };
  const nextRun = (attempt: Attempt): number | null => nextFetchAt(attempt, requestedAt, false, defaultTiming);
  const update = apply.applyFetchedStatus(state.record, externalId, result, rules, nextRun, state.now);
  if (update === undefined || before === undefined) return state;
  const isPaid = invoice?.word === 'PAID';
  const newOutcomes = state.paidElsewhere ? update.outcomes.map(apply.asDuplicatePayment) : update.outcomes;
  return {
    ...state,
    record: update.record,
    outcomes: withOutcomes(state.outcomes, newOutcomes),
    seenPaid: isPaid && !state.seenPaid.includes(externalId) ? [...state.seenPaid, externalId] : state.seenPaid,
    broken: brokenBy(state, before, update, result),
  };
}

/** The rules about one step of an invoice's status. */
function brokenBy(state: State, before: Attempt, { record }: StatusUpdate, result: FetchResult): string | undefined {
  const after = attemptOf(record, before.externalId);
  const word = result.fetched?.status;
  if (state.record.paidExternalId !== null && record.paidExternalId !== state.record.paidExternalId)
    return 'the invoice that paid the checkout changes';
  if (before.outcome === 'paid' && after?.outcome !== 'paid') return 'a paid invoice does not stay paid';
  if (before.outcome !== 'paid' && after?.outcome === 'paid' && word !== 'PAID')
    return 'an invoice becomes paid that is not paid at the service';
  if (after?.outcome === 'failed' && before.outcome !== 'failed' && word !== 'FAILED')
    return 'an invoice becomes failed that has not failed at the service';
  if (after?.outcome === 'expired' && before.outcome === 'pending' && word !== 'EXPIRED') {
    if (word === 'HELD_BY_BANK') return 'an invoice with an unlisted status word ends by time';
    const grace = word === undefined ? defaultTiming.missingGraceMs : defaultTiming.graceMs;
    if (result.requestedAt < (after.expiresAt ?? Infinity) + grace)
      return 'an invoice expires before its grace period has ended';
  }
  return undefined;
}

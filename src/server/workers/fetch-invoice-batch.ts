import { withoutImpossibleDeadline, type FetchedInvoice } from '../../service-api.ts';
import { withTimeout } from '../../base/clock.ts';
import { updateCheckout } from '../commands/update-checkout.ts';
import {
  type FetchResult,
  type FetchedAttempt,
  applyFetchedStatus,
  changesCheckout,
  isOfOtherAttempt,
  isOfSameCheckout,
  outcomeWhenPolledNext,
  isUnlistedStatus,
  readStatus,
  nextFetchTick,
  timesAfter,
} from '../domain/fetch-decisions.ts';
import { attemptOf, isOpenOutcome, isPaidOutcome } from '../domain/checkout-status.ts';
import type { InvoiceAttempt } from '../ports/invoice-attempt.ts';
import type { DueInvoice, Reschedule } from '../ports/checkout-store.ts';
import { InvoiceServiceError } from '../ports/invoice-service.ts';
import { errorFields } from '../ports/log.ts';
import type { ServerContext } from '../server-context.ts';

/** The timeout of one FetchInvoices. The lease of a process on the invoices that it fetches is longer (`fetchLeaseMs`). */
const fetchTimeoutMs = 4000;
const firstBackoffMs = 500;
const maxBackoffMs = 5000;

/** Error codes whose cause is the caller, and not one of the requested identifiers. */
const callerErrorCodes: readonly string[] = [
  'unauthenticated',
  'permission_denied',
  'unimplemented',
  'resource_exhausted',
];

/** How many calls in a row may be refused, without any answer, before the rest of a batch is not tried any more. */
const maxRefusals = 15;

interface FetchAnswer {
  readonly invoices: readonly FetchedInvoice[];
  /** When the call started. */
  readonly requestedAt: number;
}
type FetchResponse = FetchAnswer | { readonly error: unknown; readonly requestedAt: number };

/** A part of a batch, and the error with which the service refused it. */
interface RefusedPart {
  readonly due: readonly DueInvoice[];
  readonly error: InvoiceServiceError;
}

/** Whether an error may be about one of the requested identifiers. */
function isRefusal(error: unknown): error is InvoiceServiceError {
  return error instanceof InvoiceServiceError && error.failure === 'refused' && !callerErrorCodes.includes(error.code);
}

/**
 * Fetches batches of due invoices.
 * @param onFetched - called with each checkout of which an invoice was fetched and recorded
 */
export function createFetchBatch(context: ServerContext, onFetched: (checkoutId: string) => void) {
  const recordBatch = createRecordBatch(context, onFetched);
  const { service, store, clock, time, log, health } = context;
  let failuresInARow = 0;
  let pausedUntil = -Infinity;
  /** Whether the last refused batch had no answer for any of its parts: then the next one is hardly split. */
  let isRefusingAll = false;

  const backOff = async (due: readonly DueInvoice[], error: unknown): Promise<void> => {
    failuresInARow += 1;
    health.noteFailure();
    log('warn', 'fetch_failed', { asked: due.length, failures: failuresInARow, ...errorFields(error) });
    const backoffMs = Math.min(firstBackoffMs * 2 ** Math.min(failuresInARow - 1, 10), maxBackoffMs);
    pausedUntil = clock.now() + backoffMs / 2;
    const changes = due.map(({ externalId, answeredAt, checkedAt, claimedUntil, runAt: claimedRunAt }) => {
      return {
        externalId,
        answeredAt,
        checkedAt,
        claimedUntil,
        claimedRunAt,
        runAt: Math.round(time.now() + backoffMs * (0.5 + context.random.number() / 2)),
      };
    });
    await store.reschedule(changes);
  };

  /** Calls the service for a batch. Resolves with its invoices, or with the error. */
  const callService = async (due: readonly DueInvoice[]): Promise<FetchResponse> => {
    const requestedAt = time.now();
    // The service may have given one invoice to several attempts.
    const ids = [...new Set(due.map(({ invoiceId }) => invoiceId))];
    try {
      const invoices = await withTimeout(clock, fetchTimeoutMs, (signal) => service.fetchInvoices(ids, signal));
      failuresInARow = 0;
      isRefusingAll = false;
      health.noteResponse();
      pausedUntil = -Infinity;
      return { invoices, requestedAt };
    } catch (error) {
      return { error, requestedAt };
    }
  };

  const recordAnswer = async (due: readonly DueInvoice[], { invoices, requestedAt }: FetchAnswer): Promise<void> => {
    const returnedIds = new Set(invoices.map(({ id }) => id));
    const returnedAttempts = due.filter(({ invoiceId }) => returnedIds.has(invoiceId));
    // The service may return only a part of a long list. The missing invoices may exist and be paid, so they are fetched again.
    const isPartial = returnedAttempts.length > 0 && returnedAttempts.length < due.length;
    await recordBatch(isPartial ? returnedAttempts : due, invoices, requestedAt);
    if (!isPartial) return;
    const missing = due.filter((attempt) => !returnedAttempts.includes(attempt));
    await handleResponse(missing, await callService(missing));
  };

  /**
   * Fetches the parts of a refused batch, so that a refused identifier does not block the others. A refusal is about an
   * identifier only when the service answered for another identifier, or returned its own `not_found` for this one. Otherwise a
   * gateway may refuse every call, which says nothing about the invoices: they are fetched again later.
   */
  const fetchParts = async (due: readonly DueInvoice[], firstError: InvoiceServiceError): Promise<void> => {
    const parts: RefusedPart[] = [{ due, error: firstError }];
    const single: RefusedPart[] = [];
    let isAnswered = false;
    let isTriedAlone = false;
    let refusals = 1;
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      // The last try is one identifier alone, because a service may refuse every list.
      const isLastTry = !isAnswered && refusals >= (isRefusingAll ? 1 : maxRefusals);
      if (part.due.length === 1 || (isLastTry && isTriedAlone)) {
        single.push(part);
        continue;
      }
      isTriedAlone ||= isLastTry;
      const middle = isLastTry ? 1 : Math.ceil(part.due.length / 2);
      for (const half of [part.due.slice(0, middle), part.due.slice(middle)]) {
        const response = await callService(half);
        if ('invoices' in response) {
          isAnswered = true;
          await recordAnswer(half, response);
        } else if (isRefusal(response.error)) {
          refusals += 1;
          parts.push({ due: half, error: response.error });
        } else await backOff(half, response.error);
      }
    }
    isRefusingAll = !isAnswered;
    for (const part of single) {
      const isOwnNotFound = part.error.code === 'not_found' && part.error.isOwnCode;
      if (part.due.length > 1 || (!isAnswered && !isOwnNotFound)) await backOff(part.due, part.error);
      else await rescheduleUnreadable(part);
    }
  };

  /** A refused invoice is not missing: it exists, and it never expires by time. It is fetched again on its schedule. */
  const rescheduleUnreadable = async ({ due, error }: RefusedPart): Promise<void> => {
    for (const { externalId } of due)
      log('warn', 'invoice_fetch_rejected', { external_id: externalId, ...errorFields(error) });
    await recordBatch(due, 'unreadable', time.now());
  };

  const handleResponse = async (due: readonly DueInvoice[], response: FetchResponse): Promise<void> => {
    if ('invoices' in response) await recordAnswer(due, response);
    else if (isRefusal(response.error)) await fetchParts(due, response.error);
    else await backOff(due, response.error);
  };

  return {
    /** Fetches a batch with one call, or with several calls when the service refuses a part of it. */
    run: async (due: readonly DueInvoice[]): Promise<void> => handleResponse(due, await callService(due)),
    /** Milliseconds until the next batch should be claimed, because the last call has failed; at most 0 after a success. */
    pauseMs: (): number => pausedUntil - clock.now(),
  };
}

/** An attempt, and the result of the fetch that changes it. */
interface StatusChange {
  readonly attempt: DueInvoice;
  readonly result: FetchResult;
}

/** Whether a fetch told the status of an invoice, or that the service has no such invoice. */
function isStatusTold({ fetched, isUnreadable, isForeign }: FetchResult): boolean {
  return isUnreadable !== true && isForeign !== true && (fetched === undefined || fetched.status !== undefined);
}

/**
 * Returns a function that saves the attempts that a fetch has changed, and reschedules the attempts that it has not changed.
 * `unreadable`: the service refused each of these identifiers.
 */
function createRecordBatch(context: ServerContext, onFetched: (checkoutId: string) => void) {
  const { store, time, log, timing, statuses, mode } = context;
  const rules = { statuses, timing, mode };

  /**
   * When an attempt is fetched next. An invoice that was shown here and is paid with the `external_id` of another request is
   * `unresolved` at once: a person has to find out whose payment it is.
   */
  const nextRunOf = (attempt: FetchedAttempt, result: FetchResult, viewedUntil: number | null): number | null => {
    const isPaidElsewhere = result.isForeign === true && readStatus(result.fetched?.status, statuses) === 'paid';
    if (isPaidElsewhere && isOpenOutcome(attempt.outcome)) return null;
    return nextFetchTick(attempt, result.requestedAt, viewedUntil, isStatusTold(result), context);
  };

  const saveChange = async ({ attempt, result }: StatusChange): Promise<void> => {
    const { checkoutId, externalId, invoiceId, claimedUntil } = attempt;
    const decision = await updateCheckout(context, checkoutId, (record) => {
      const isOwn = isOfSameCheckout(record, result);
      const storedRunAt = attemptOf(record, externalId)?.runAt ?? attempt.runAt;
      const nextRunAt = (changedAttempt: InvoiceAttempt): number | null => {
        const runAt = nextRunOf(changedAttempt, result, attempt.viewedUntil);
        // A webhook that arrived during the fetch has stored another time.
        const isRequested = storedRunAt !== attempt.runAt && !isPaidOutcome(changedAttempt.outcome);
        return isRequested ? Math.min(storedRunAt, runAt ?? storedRunAt) : runAt;
      };
      const update = isOwn ? undefined : applyFetchedStatus(record, externalId, result, rules, nextRunAt, time.now());
      return { result: { isOwn, update }, record: update?.record };
    });
    if (decision?.isOwn === true) {
      // The attempt whose identifier the invoice has is polled, and may be paid.
      const runAt = nextFetchTick(attempt, result.requestedAt, attempt.viewedUntil, false, context);
      const times = timesAfter(attempt, result);
      await store.reschedule([{ externalId, runAt, ...times, claimedUntil, claimedRunAt: attempt.runAt }]);
      return;
    }
    const fields = { checkout: checkoutId, external_id: externalId, invoice_id: invoiceId };
    if (decision?.update?.hasAmountMismatch === true) log('error', 'amount_mismatch', fields);
    const status = result.fetched?.status;
    // An unlisted word never ends an invoice: the checkout stays pending until an operator lists the word.
    if (status !== undefined && isOpenOutcome(attempt.outcome) && isUnlistedStatus(status, statuses))
      log('error', 'status_unknown', { ...fields, status });
    log('info', 'status_changed', { ...fields, status });
  };

  return async (
    due: readonly DueInvoice[],
    invoices: readonly FetchedInvoice[] | 'unreadable',
    fetchStartedAt: number,
  ): Promise<void> => {
    // After a backward step of the clock, `fetchStartedAt` may be in the future, and would count as later than the next
    // fetches.
    const now = time.now();
    const requestedAt = Math.min(fetchStartedAt, now);
    const deadlineNow = requestedAt + (time.deadlineNow() - now);
    const fetchedInvoices = invoices === 'unreadable' ? [] : invoices;
    const invoiceById = new Map(fetchedInvoices.map((invoice) => [invoice.id, invoice]));
    const reschedules: Reschedule[] = [];
    const changes: StatusChange[] = [];
    for (const attempt of due) {
      const { externalId, checkoutId, claimedUntil, createdAt } = attempt;
      const returned = invoiceById.get(attempt.invoiceId);
      const isForeign = returned !== undefined && isOfOtherAttempt(returned, externalId);
      if (isForeign)
        log('error', 'external_id_mismatch', {
          checkout: checkoutId,
          external_id: externalId,
          invoice_id: returned.id,
        });
      const fetched = returned && withoutImpossibleDeadline(returned, deadlineNow, time.elapsedMs(createdAt));
      const result = { fetched, isForeign, isUnreadable: invoices === 'unreadable', requestedAt, deadlineNow };
      const runAt = nextRunOf(attempt, result, attempt.viewedUntil);
      const isOtherOutcome = outcomeWhenPolledNext(attempt.outcome, runAt) !== attempt.outcome;
      if (isOtherOutcome || changesCheckout(attempt, result, rules)) changes.push({ attempt, result });
      else
        reschedules.push({
          externalId,
          runAt,
          ...timesAfter(attempt, result),
          claimedUntil,
          claimedRunAt: attempt.runAt,
        });
    }
    const missingCount =
      invoices === 'unreadable' ? 0 : due.filter(({ invoiceId }) => !invoiceById.has(invoiceId)).length;
    if (missingCount > 0) log('info', 'invoices_missing', { missing: missingCount, asked: due.length });
    await store.reschedule(reschedules);
    for (const change of changes) {
      try {
        await saveChange(change);
      } catch (error) {
        // The attempt is claimed again after its lease.
        log('error', 'status_not_recorded', {
          checkout: change.attempt.checkoutId,
          ...errorFields(error),
        });
      }
    }
    for (const { checkoutId } of due) onFetched(checkoutId);
  };
}

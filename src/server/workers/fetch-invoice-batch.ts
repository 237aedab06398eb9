import type { FetchedInvoice } from '../../contract.ts';
import { sleep, withTimeout } from '../../base/clock.ts';
import { updateCheckout } from '../commands/load-decide-save.ts';
import {
  type FetchResult,
  applyFetchedStatus,
  asDuplicatePayment,
  changesCheckout,
  isPaidOutcome,
} from '../domain/apply-fetched-status.ts';
import { withoutImpossibleDeadline } from '../domain/invoice-expiry.ts';
import { isUnlistedStatus, readStatus } from '../domain/status-words.ts';
import type { Attempt, DueAttempt, Reschedule } from '../ports/checkout-store.ts';
import type { NewOutcome, Outcome } from '../ports/outcome-outbox.ts';
import { InvoiceServiceError } from '../ports/invoice-service.ts';
import { checkoutLogId, errorFields } from '../ports/log.ts';
import type { ServerContext } from '../server-context.ts';
import type { FetchRateLimit } from './adaptive-fetch-rate.ts';
import type { FetchScheduler } from './viewers-and-webhook-hints.ts';

/** Fetches a batch of due invoices with one call. */
export type FetchBatch = (due: readonly DueAttempt[]) => Promise<void>;

const firstBackoffMs = 500;
const maxBackoffMs = 5000;

/** Error codes whose cause is the caller, and not one of the requested identifiers. */
const callerErrorCodes: readonly string[] = [
  'unauthenticated',
  'permission_denied',
  'unimplemented',
  'resource_exhausted',
];

export function createFetchBatch(
  context: ServerContext,
  rateLimit: FetchRateLimit,
  scheduler: FetchScheduler,
  recordBatch: RecordBatch,
): FetchBatch {
  const { service, store, clock, time, log, health, timing } = context;
  let failuresInARow = 0;

  const backOff = async (due: readonly DueAttempt[], error: unknown): Promise<void> => {
    failuresInARow += 1;
    health.noteFailure();
    rateLimit.noteFailure(error instanceof InvoiceServiceError ? error.retryAfterMs : undefined);
    log('warn', 'fetch_failed', { asked: due.length, failures: failuresInARow, ...errorFields(error) });
    const backoffMs = Math.min(firstBackoffMs * 2 ** Math.min(failuresInARow - 1, 10), maxBackoffMs);
    const changes = due.map(({ externalId, checkedAt, claimedUntil }) => {
      return {
        externalId,
        checkedAt,
        claimedUntil,
        runAt: Math.round(time.now() + backoffMs * (0.5 + context.random.number() / 2)),
      };
    });
    await store.reschedule(changes);
  };

  /**
   * Fetches both halves of a refused batch separately, down to the refused identifier, so that it does not block the others.
   */
  const fetchHalves = async (
    due: readonly DueAttempt[],
    error: InvoiceServiceError,
    requestedAt: number,
  ): Promise<void> => {
    if (due.length === 1) {
      log('warn', 'invoice_fetch_rejected', { external_id: due[0]?.externalId, ...errorFields(error) });
      await recordBatch(due, [], requestedAt);
      return;
    }
    const middle = Math.ceil(due.length / 2);
    for (const half of [due.slice(0, middle), due.slice(middle)]) await fetchPart(half);
  };

  /** Fetches a part of a batch with a separate call. */
  const fetchPart = async (due: readonly DueAttempt[]): Promise<void> => {
    while (rateLimit.waitMs() > 0) await sleep(clock, rateLimit.waitMs());
    rateLimit.noteStart();
    await fetchBatch(due);
  };

  const fetchBatch: FetchBatch = async (due) => {
    const requestedAt = time.now();
    scheduler.noteFetch(due.map(({ checkoutId }) => checkoutId));
    const ids = due.flatMap(({ invoiceId }) => invoiceId ?? []);
    let invoices: readonly FetchedInvoice[];
    try {
      invoices = await withTimeout(clock, timing.fetchMs, (signal) => service.fetchInvoices(ids, signal));
    } catch (error) {
      const isAboutIdentifier =
        error instanceof InvoiceServiceError && error.failure === 'refused' && !callerErrorCodes.includes(error.code);
      await (isAboutIdentifier ? fetchHalves(due, error, requestedAt) : backOff(due, error));
      return;
    }
    failuresInARow = 0;
    health.noteResponse();
    rateLimit.noteSuccess();
    const returnedIds = new Set(invoices.map(({ id }) => id));
    const returnedAttempts = due.filter(({ invoiceId }) => returnedIds.has(invoiceId ?? ''));
    // The service may return only a part of a long list. The missing invoices may exist and be paid, so they are fetched again.
    const isPartial = returnedAttempts.length > 0 && returnedAttempts.length < due.length;
    await recordBatch(isPartial ? returnedAttempts : due, invoices, requestedAt);
    if (isPartial) await fetchPart(due.filter((attempt) => !returnedAttempts.includes(attempt)));
  };
  return fetchBatch;
}

/** Saves the attempts that a fetch has changed, and reschedules the attempts that it has not changed. */
export type RecordBatch = (
  due: readonly DueAttempt[],
  invoices: readonly FetchedInvoice[],
  requestedAt: number,
) => Promise<void>;

/** Whether an outcome of this kind needs a person at the shop to act. */
const needsAttention = (kind: Outcome['kind']): boolean => kind === 'duplicate_payment' || kind === 'amount_mismatch';

/** An attempt, and the result of the fetch that changes it. */
interface StatusChange {
  readonly attempt: DueAttempt;
  readonly result: FetchResult;
}

export function createRecordBatch(context: ServerContext, scheduler: FetchScheduler): RecordBatch {
  const { store, time, log, timing, statuses } = context;
  const rules = { statuses, timing };

  /**
   * Turns a payment into `duplicate_payment` when another checkout has paid the order. Only older versions could create two
   * checkouts of one order.
   */
  const markDuplicates = async (outcomes: readonly NewOutcome[]): Promise<readonly NewOutcome[]> => {
    const payment = outcomes.find(({ kind }) => isPaidOutcome(kind));
    if (payment === undefined) return outcomes;
    const isDuplicate = await store.isPaidByOtherCheckout(payment.orderId, payment.checkoutId);
    return isDuplicate ? outcomes.map(asDuplicatePayment) : outcomes;
  };

  const saveChange = async ({ attempt, result }: StatusChange): Promise<void> => {
    const { checkoutId, externalId, invoiceId } = attempt;
    const savedUpdate = await updateCheckout(store, checkoutId, async (record) => {
      const nextRunAt = (changedAttempt: Attempt): number | null =>
        scheduler.runAt(checkoutId, changedAttempt, result.requestedAt, attempt.viewedUntil);
      const update = applyFetchedStatus(record, externalId, result, rules, nextRunAt, time.now());
      const outcomes = await markDuplicates(update?.outcomes ?? []);
      return { result: update && { ...update, outcomes }, record: update?.record, outcomes };
    });
    const fields = { checkout: checkoutLogId(checkoutId), external_id: externalId, invoice_id: invoiceId };
    if (savedUpdate?.hasAmountMismatch === true) log('error', 'amount_mismatch', fields);
    const status = result.fetched?.status;
    // An unlisted word never ends an invoice: the checkout stays pending until an operator lists the word.
    if (status !== undefined && isUnlistedStatus(status, statuses))
      log('error', 'status_unknown', { ...fields, status });
    log('info', 'status_changed', { ...fields, status });
    for (const { kind } of savedUpdate?.outcomes ?? [])
      log(needsAttention(kind) ? 'error' : 'info', `outcome_${kind}`, fields);
  };

  return async (due, invoices, fetchStartedAt) => {
    // After a backward step of the clock, `fetchStartedAt` may be in the future, and would count as later than the next
    // fetches.
    const now = time.now();
    const requestedAt = Math.min(fetchStartedAt, now);
    const deadlineNow = requestedAt + (time.deadlineNow() - now);
    const invoiceById = new Map<string, FetchedInvoice>();
    for (const invoice of invoices) {
      // If a response has an invoice twice, once as paid, the paid one is used, because paid is final.
      const isPaid = readStatus(invoiceById.get(invoice.id)?.status, statuses) === 'paid';
      if (!isPaid) invoiceById.set(invoice.id, invoice);
    }
    const reschedules: Reschedule[] = [];
    const changes: StatusChange[] = [];
    for (const attempt of due) {
      const { externalId, checkoutId, claimedUntil, createdAt } = attempt;
      const returnedInvoice = invoiceById.get(attempt.invoiceId ?? '');
      const fetched =
        returnedInvoice && withoutImpossibleDeadline(returnedInvoice, deadlineNow - time.elapsedMs(createdAt));
      const result = { fetched, requestedAt, deadlineNow };
      if (changesCheckout(attempt, result, rules)) changes.push({ attempt, result });
      else
        reschedules.push({
          externalId,
          runAt: scheduler.runAt(checkoutId, attempt, requestedAt, attempt.viewedUntil),
          checkedAt: requestedAt,
          claimedUntil,
        });
    }
    const missingCount = due.filter(({ invoiceId }) => !invoiceById.has(invoiceId ?? '')).length;
    if (missingCount > 0) log('info', 'invoices_missing', { missing: missingCount, asked: due.length });
    await store.reschedule(reschedules);
    for (const change of changes) {
      try {
        await saveChange(change);
      } catch (error) {
        // The attempt is claimed again after its lease.
        log('error', 'status_not_recorded', {
          checkout: checkoutLogId(change.attempt.checkoutId),
          ...errorFields(error),
        });
      }
    }
  };
}

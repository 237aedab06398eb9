import type { FetchedInvoice } from '../../contract.ts';
import { sleep, withTimeout } from '../../base/clock.ts';
import { updateCheckout } from '../commands/update-checkout.ts';
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
import type { FetchScheduler } from './invoice-fetch-scheduler.ts';

/** Fetches a batch of invoices that are due with one call. */
export type FetchBatch = (due: readonly DueAttempt[]) => Promise<void>;

const firstBackoffMs = 500;
const maxBackoffMs = 5000;

/** Error codes that are about the caller and not about one of the identifiers. */
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
  let failures = 0;

  const backOff = async (due: readonly DueAttempt[], error: unknown): Promise<void> => {
    failures += 1;
    health.failed();
    rateLimit.callFailed(error instanceof InvoiceServiceError ? error.retryAfterMs : undefined);
    log('warn', 'fetch_failed', { asked: due.length, failures, ...errorFields(error) });
    const backoffMs = Math.min(firstBackoffMs * 2 ** Math.min(failures - 1, 10), maxBackoffMs);
    const changes = due.map(({ externalId, checkedAt, claimedUntil }) => {
      return {
        externalId,
        checkedAt,
        claimedUntil,
        runAt: Math.round(time.now() + backoffMs * (0.5 + context.random() / 2)),
      };
    });
    await store.reschedule(changes);
  };

  /** Fetches both halves separately, down to the refused identifier, so that it does not block the others. */
  const split = async (due: readonly DueAttempt[], error: InvoiceServiceError, requestedAt: number): Promise<void> => {
    if (due.length === 1) {
      log('warn', 'invoice_fetch_rejected', { external_id: due[0]?.externalId, ...errorFields(error) });
      await recordBatch(due, [], requestedAt);
      return;
    }
    const middle = Math.ceil(due.length / 2);
    for (const half of [due.slice(0, middle), due.slice(middle)]) await fetchPart(half);
  };

  /** Fetches a part of a batch with a call of its own. */
  const fetchPart = async (due: readonly DueAttempt[]): Promise<void> => {
    while (rateLimit.waitMs() > 0) await sleep(clock, rateLimit.waitMs());
    rateLimit.callStarted();
    await fetchBatch(due);
  };

  const fetchBatch: FetchBatch = async (due) => {
    const requestedAt = time.now();
    scheduler.fetchStarted(due.map(({ checkoutId }) => checkoutId));
    const ids = due.flatMap(({ invoiceId }) => invoiceId ?? []);
    let invoices: readonly FetchedInvoice[];
    try {
      invoices = await withTimeout(clock, timing.fetchMs, (signal) => service.fetchInvoices(ids, signal));
    } catch (error) {
      const isAboutOne =
        error instanceof InvoiceServiceError && error.failure === 'refused' && !callerErrorCodes.includes(error.code);
      await (isAboutOne ? split(due, error, requestedAt) : backOff(due, error));
      return;
    }
    failures = 0;
    health.answered();
    rateLimit.callSucceeded();
    const returned = new Set(invoices.map(({ id }) => id));
    const found = due.filter(({ invoiceId }) => returned.has(invoiceId ?? ''));
    // The service may return a part of a long list. What is missing then is not unknown, and may be paid.
    const isPart = found.length > 0 && found.length < due.length;
    await recordBatch(isPart ? found : due, invoices, requestedAt);
    if (isPart) await fetchPart(due.filter((attempt) => !found.includes(attempt)));
  };
  return fetchBatch;
}

/** Saves what a fetch changed, and reschedules the attempts that it did not change. */
export type RecordBatch = (
  due: readonly DueAttempt[],
  invoices: readonly FetchedInvoice[],
  requestedAt: number,
) => Promise<void>;

/** Whether a person at the shop has to act on an outcome. */
const needsAttention = (kind: Outcome['kind']): boolean => kind === 'duplicate_payment' || kind === 'amount_mismatch';

interface StatusChange {
  readonly attempt: DueAttempt;
  readonly result: FetchResult;
}

export function createRecordBatch(context: ServerContext, scheduler: FetchScheduler): RecordBatch {
  const { store, time, log, timing, statuses } = context;
  const rules = { statuses, timing };

  /** Older versions could create two checkouts of an order. A payment of one is a duplicate when the other has paid the order. */
  const markDuplicates = async (outcomes: readonly NewOutcome[]): Promise<readonly NewOutcome[]> => {
    const payment = outcomes.find(({ kind }) => isPaidOutcome(kind));
    if (payment === undefined) return outcomes;
    const isDuplicate = await store.isPaidByOtherCheckout(payment.orderId, payment.checkoutId);
    return isDuplicate ? outcomes.map(asDuplicatePayment) : outcomes;
  };

  const save = async ({ attempt, result }: StatusChange): Promise<void> => {
    const { checkoutId, externalId, invoiceId } = attempt;
    const recorded = await updateCheckout(store, checkoutId, async (record) => {
      const runAt = (next: Attempt): number | null =>
        scheduler.runAt(checkoutId, next, result.requestedAt, attempt.viewedUntil);
      const update = applyFetchedStatus(record, externalId, result, rules, runAt, time.now());
      const outcomes = await markDuplicates(update?.outcomes ?? []);
      return { result: update && { ...update, outcomes }, record: update?.record, outcomes };
    });
    const fields = { checkout: checkoutLogId(checkoutId), external_id: externalId, invoice_id: invoiceId };
    if (recorded?.hasAmountMismatch === true) log('error', 'amount_mismatch', fields);
    const status = result.fetched?.status;
    // An unlisted word never ends an invoice: the checkout stays pending until an operator lists the word.
    if (status !== undefined && isUnlistedStatus(status, statuses))
      log('error', 'status_unknown', { ...fields, status });
    log('info', 'status_changed', { ...fields, status });
    for (const { kind } of recorded?.outcomes ?? [])
      log(needsAttention(kind) ? 'error' : 'info', `outcome_${kind}`, fields);
  };

  return async (due, invoices, requested) => {
    // After a step back of the clock, `requested` may be in the future, and would count as later than the next requests.
    const now = time.now();
    const requestedAt = Math.min(requested, now);
    const deadlineNow = requestedAt + (time.deadlineNow() - now);
    const byId = new Map<string, FetchedInvoice>();
    for (const invoice of invoices) {
      // Where a response has an invoice twice, paid counts: it is final.
      const isPaid = readStatus(byId.get(invoice.id)?.status, statuses) === 'paid';
      if (!isPaid) byId.set(invoice.id, invoice);
    }
    const unchanged: Reschedule[] = [];
    const changes: StatusChange[] = [];
    for (const attempt of due) {
      const { externalId, checkoutId, claimedUntil, createdAt } = attempt;
      const returned = byId.get(attempt.invoiceId ?? '');
      const fetched = returned && withoutImpossibleDeadline(returned, deadlineNow - time.elapsedMs(createdAt));
      const result = { fetched, requestedAt, deadlineNow };
      if (changesCheckout(attempt, result, rules)) changes.push({ attempt, result });
      else
        unchanged.push({
          externalId,
          runAt: scheduler.runAt(checkoutId, attempt, requestedAt, attempt.viewedUntil),
          checkedAt: requestedAt,
          claimedUntil,
        });
    }
    const missing = due.filter(({ invoiceId }) => !byId.has(invoiceId ?? '')).length;
    if (missing > 0) log('info', 'invoices_missing', { missing, asked: due.length });
    await store.reschedule(unchanged);
    for (const change of changes) {
      try {
        await save(change);
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

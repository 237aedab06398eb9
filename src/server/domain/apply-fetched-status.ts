import type { CheckoutStatus } from '../../checkout-api.ts';
import {
  attemptOf,
  canStillBePaid,
  currentAttempt,
  expectedAmountOf,
  hasInvoice,
  isOpenOutcome,
  isPaidOutcome,
  mismatchedAttempt,
  modeOf,
  withAttempt,
} from './select-invoice-attempt.ts';
import type { InvoiceAttempt, InvoiceOutcome } from '../ports/attempt.ts';
import type { CheckoutRecord, DueInvoice } from '../ports/checkout-store.ts';
import { compareDecimals, type FetchedInvoice, type Mode } from '../../service-api.ts';
import { deadlineAfter, isExpired, type GraceTiming } from './invoice-expiry.ts';
import { readStatus, type StatusLists } from './status-words.ts';

/**
 * The status of a checkout at the time `now` (`ServerTime.now`).
 * - `paid`: one of its invoices was paid; this is final.
 * - `pending`: its invoice can be paid; or a create is in doubt, so that an invoice may exist; or the shop checks a payment of
 *   another amount.
 * - `closed`: the checkout gets no new invoice, and none of its invoices can still be paid.
 */
export function deriveStatus(record: CheckoutRecord, now: number): CheckoutStatus {
  const { status, closesAt } = listedStatusOf(record);
  return closesAt !== null && closesAt <= now ? 'closed' : status;
}

/** The status of a checkout by its invoices alone, as if it were never closed. */
export function statusOfInvoices(record: CheckoutRecord): Exclude<CheckoutStatus, 'closed'> {
  if (record.paidExternalId !== null) return 'paid';
  if (mismatchedAttempt(record) !== undefined) return 'pending';
  const current = currentAttempt(record);
  if (current === undefined) return 'open';
  const hasEnded = current.state === 'live' && (current.outcome === 'failed' || current.outcome === 'expired');
  return hasEnded ? current.outcome : 'pending';
}

/** The two parts of a checkout's status that a store keeps for `list`: from `closesAt` on, the status is `closed` instead. */
export function listedStatusOf(record: CheckoutRecord): {
  readonly status: Exclude<CheckoutStatus, 'closed'>;
  readonly closesAt: number | null;
} {
  const status = statusOfInvoices(record);
  const isSettled = mismatchedAttempt(record) === undefined && !record.attempts.some(canStillBePaid);
  return { status, closesAt: status !== 'paid' && isSettled ? (record.closedAt ?? record.params.expiresAt) : null };
}

/**
 * Whether a fetched invoice has another `external_id` than the attempt sent: it pays another order. The identifier of an attempt
 * for a second invoice ends with `~` and a number, which the service does not know.
 */
export function isOfOtherAttempt({ external_id }: FetchedInvoice, externalId: string): boolean {
  return external_id !== undefined && external_id !== externalId.split('~')[0];
}

/** The result of a fetch for one invoice. Times are milliseconds since 1970. */
export interface FetchResult {
  /** undefined: the response did not contain this invoice. */
  readonly fetched: FetchedInvoice | undefined;
  /** The service refused this identifier, which says nothing about the invoice: it never expires by time because of it. */
  readonly isUnreadable?: boolean;
  /** When the fetch started. */
  readonly requestedAt: number;
  /** The same moment as `requestedAt`, on the clock that the deadline is compared with. */
  readonly deadlineNow: number;
}

export interface StatusRules {
  readonly statuses: StatusLists;
  readonly timing: GraceTiming;
  /** The mode of the server. */
  readonly mode: Mode;
}

/** The members of an attempt from which its next outcome is computed. */
type KnownStatus = Pick<DueInvoice, 'outcome' | 'expiresAt' | 'serviceStatus' | 'checkedAt'>;

/**
 * The outcome of an attempt after a fetch. `paid` is final, even from a response that is older than the last one. An invoice
 * that failed or expired never becomes pending again; the service can only report another final status. A pending invoice
 * expires by time when a fetch after its deadline and the grace period returned a pending word, or did not return the invoice.
 */
function outcomeAfter(
  known: KnownStatus,
  { fetched, isUnreadable, requestedAt, deadlineNow }: FetchResult,
  { statuses, timing }: Pick<StatusRules, 'statuses' | 'timing'>,
): InvoiceOutcome {
  if (isPaidOutcome(known.outcome) || isUnreadable === true) return known.outcome;
  const meaning = fetched === undefined ? 'pending' : readStatus(fetched.status, statuses);
  if (meaning === 'paid') return 'paid';
  if (isOlderResult(known, requestedAt) || meaning === 'unlisted') return known.outcome;
  if (meaning !== 'pending') return meaning;
  return isOpenOutcome(known.outcome) && isExpired(known, fetched, deadlineNow, timing) ? 'expired' : known.outcome;
}

function isOlderResult({ checkedAt }: KnownStatus, requestedAt: number): boolean {
  return requestedAt < (checkedAt ?? 0);
}

/** The outcome of an invoice that is fetched next at `runAt`: an open invoice that is not polled any more is `unresolved`. */
export function outcomeWhenPolledNext(outcome: InvoiceOutcome, runAt: number | null): InvoiceOutcome {
  if (!isOpenOutcome(outcome)) return outcome;
  return runAt === null ? 'unresolved' : 'pending';
}

/** Whether a fetch changes more than the time of the next fetch. */
export function changesCheckout(
  known: KnownStatus,
  result: FetchResult,
  rules: Pick<StatusRules, 'statuses' | 'timing'>,
): boolean {
  if (outcomeAfter(known, result, rules) !== known.outcome) return true;
  const { fetched, requestedAt } = result;
  if (fetched === undefined || isOlderResult(known, requestedAt)) return false;
  const hasNewWord = fetched.status !== undefined && fetched.status !== known.serviceStatus;
  return hasNewWord || deadlineAfter(known, fetched) !== known.expiresAt;
}

/** How many status words of an invoice are kept. */
const maxStatusChanges = 50;

/** The checkout after a fetch. */
export interface StatusUpdate {
  readonly record: CheckoutRecord;
  /** Whether the fetched amount differs from the requested amount. */
  readonly hasAmountMismatch: boolean;
}

/**
 * Applies the result of a fetch to one attempt. `nextRunAt` computes when the changed attempt is fetched next. Returns
 * undefined when the checkout has no such attempt.
 */
export function applyFetchedStatus(
  record: CheckoutRecord,
  externalId: string,
  result: FetchResult,
  rules: StatusRules,
  nextRunAt: (attempt: InvoiceAttempt) => number | null,
  now: number,
): StatusUpdate | undefined {
  const attempt = attemptOf(record, externalId);
  if (attempt === undefined || !hasInvoice(attempt)) return undefined;
  const { fetched, requestedAt } = result;
  const amount = fetched?.amount ?? attempt.invoice.amount;
  const hasAmountMismatch = compareDecimals(amount, attempt.amount) !== 0;
  const newOutcome = outcomeAfter(attempt, result, rules);
  const isNewPayment = newOutcome === 'paid' && attempt.outcome !== 'paid';
  const isOtherMode = modeOf(attempt) !== rules.mode;
  const outcome = !isNewPayment
    ? newOutcome
    : isOtherMode
      ? 'test_payment'
      : hasAmountMismatch || compareDecimals(amount, expectedAmountOf(record, attempt)) !== 0
        ? 'amount_mismatch'
        : 'paid';
  const isOlderResponse = isOlderResult(attempt, requestedAt);
  const serviceStatus = isOlderResponse ? attempt.serviceStatus : (fetched?.status ?? attempt.serviceStatus);
  const changedAttempt: InvoiceAttempt = {
    ...attempt,
    outcome,
    paidAmount: isNewPayment ? amount : attempt.paidAmount,
    serviceStatus,
    statusHistory:
      serviceStatus === null || serviceStatus === attempt.serviceStatus
        ? attempt.statusHistory
        : [...attempt.statusHistory, { at: now, status: serviceStatus }].slice(-maxStatusChanges),
    // The money has come after all.
    resolution: isNewPayment && attempt.resolution?.as === 'void' ? null : attempt.resolution,
    expiresAt: isOlderResponse ? attempt.expiresAt : deadlineAfter(attempt, fetched),
    checkedAt: Math.max(requestedAt, attempt.checkedAt ?? 0),
  };
  const runAt = nextRunAt(changedAttempt);
  const nextRecord = withAttempt(record, { ...changedAttempt, runAt, outcome: outcomeWhenPolledNext(outcome, runAt) });
  const isFirstPayment = outcome === 'paid' && record.paidExternalId === null;
  return {
    record: isFirstPayment ? { ...nextRecord, paidExternalId: externalId, paidAt: now } : nextRecord,
    hasAmountMismatch,
  };
}

import type { CheckoutStatus } from '../../protocol.ts';
import { canStillBePaid, isClosed } from './close-checkout.ts';
import { attemptOf, currentAttempt, mismatchedAttempt, withAttempt } from './select-invoice-attempt.ts';
import type { Attempt, CheckoutRecord, DueAttempt, InvoiceOutcome } from '../ports/checkout-store.ts';
import type { NewOutcome } from '../ports/outcome-outbox.ts';
import { compareDecimals, type FetchedInvoice } from '../../contract.ts';
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
  const status = statusOfInvoices(record);
  const isEnded = status !== 'paid' && status !== 'pending' && !record.attempts.some(canStillBePaid);
  return isEnded && isClosed(record, now) ? 'closed' : status;
}

function statusOfInvoices(record: CheckoutRecord): Exclude<CheckoutStatus, 'closed'> {
  if (record.paidExternalId !== null) return 'paid';
  if (mismatchedAttempt(record) !== undefined) return 'pending';
  const current = currentAttempt(record);
  if (current === undefined) return 'open';
  // Stryker disable next-line ConditionalExpression: The outcome of an attempt without an invoice is pending as well.
  return current.stage === 'created' && current.outcome !== 'amount_mismatch' ? current.outcome : 'pending';
}

/** Whether an outcome means that the invoice was paid, with the requested amount or another amount. It is final. */
export function isPaidOutcome(outcome: InvoiceOutcome | NewOutcome['kind']): boolean {
  return outcome === 'paid' || outcome === 'amount_mismatch';
}

/** The result of a fetch for one invoice. Times are milliseconds since 1970. */
export interface FetchResult {
  /** undefined: the response did not contain this invoice. */
  readonly fetched: FetchedInvoice | undefined;
  /** When the fetch started. */
  readonly requestedAt: number;
  /** The same moment as `requestedAt`, on the clock that the deadline is compared with. */
  readonly deadlineNow: number;
}

export interface StatusRules {
  readonly statuses: StatusLists;
  readonly timing: GraceTiming;
}

/** The members of an attempt from which its next outcome is computed. */
type KnownStatus = Pick<DueAttempt, 'outcome' | 'expiresAt' | 'serviceStatus' | 'checkedAt'>;

/**
 * The outcome of an attempt after a fetch. `paid` is final, even from a response that is older than the last one. An invoice
 * that failed or expired never becomes pending again; the service can only report another final status. A pending invoice
 * expires by time when a fetch after its deadline and the grace period returned a pending word, or did not return the invoice.
 */
function outcomeAfter(
  known: KnownStatus,
  { fetched, requestedAt, deadlineNow }: FetchResult,
  { statuses, timing }: StatusRules,
): InvoiceOutcome {
  if (isPaidOutcome(known.outcome)) return known.outcome;
  const meaning = fetched === undefined ? 'pending' : readStatus(fetched.status, statuses);
  if (meaning === 'paid') return 'paid';
  if (isOlderResult(known, requestedAt) || meaning === 'unlisted') return known.outcome;
  if (meaning !== 'pending') return meaning;
  return known.outcome === 'pending' && isExpired(known, fetched, deadlineNow, timing) ? 'expired' : known.outcome;
}

function isOlderResult({ checkedAt }: KnownStatus, requestedAt: number): boolean {
  // Stryker disable next-line ConditionalExpression: null compares as 0 (1970), and no fetch is older.
  return checkedAt !== null && requestedAt < checkedAt;
}

/** Whether a fetch changes more than the time of the next fetch. */
export function changesCheckout(known: KnownStatus, result: FetchResult, rules: StatusRules): boolean {
  if (outcomeAfter(known, result, rules) !== known.outcome) return true;
  const { fetched, requestedAt } = result;
  if (fetched === undefined || isOlderResult(known, requestedAt)) return false;
  const hasNewWord = fetched.status !== undefined && fetched.status !== known.serviceStatus;
  return hasNewWord || deadlineAfter(known, fetched) !== known.expiresAt;
}

/** The checkout after a fetch, and the new outcomes for the shop. */
export interface StatusUpdate {
  readonly record: CheckoutRecord;
  readonly outcomes: readonly NewOutcome[];
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
  nextRunAt: (attempt: Attempt) => number | null,
  now: number,
): StatusUpdate | undefined {
  const attempt = attemptOf(record, externalId);
  if (attempt?.invoice == null) return undefined;
  const { fetched, requestedAt } = result;
  const amount = fetched?.amount ?? attempt.invoice.amount;
  const hasAmountMismatch = compareDecimals(amount, attempt.amount) !== 0;
  const newOutcome = outcomeAfter(attempt, result, rules);
  const isMismatchedPayment = newOutcome === 'paid' && attempt.outcome !== 'paid' && hasAmountMismatch;
  const outcome = isMismatchedPayment ? 'amount_mismatch' : newOutcome;
  const isOlderResponse = isOlderResult(attempt, requestedAt);
  const changedAttempt: Attempt = {
    ...attempt,
    outcome,
    serviceStatus: isOlderResponse ? attempt.serviceStatus : (fetched?.status ?? attempt.serviceStatus),
    expiresAt: isOlderResponse ? attempt.expiresAt : deadlineAfter(attempt, fetched),
    checkedAt: Math.max(requestedAt, attempt.checkedAt ?? 0),
  };
  const nextRecord = withAttempt(record, { ...changedAttempt, runAt: nextRunAt(changedAttempt) });
  const isFirstPayment = outcome === 'paid' && record.paidExternalId === null;
  return {
    record: isFirstPayment ? { ...nextRecord, paidExternalId: externalId, paidAt: now } : nextRecord,
    outcomes: outcome === attempt.outcome ? [] : outcomesOf(record, attempt, outcome, amount, now),
    hasAmountMismatch,
  };
}

/** Turns the outcome of a payment into `duplicate_payment`. Returns other outcomes unchanged. */
export function asDuplicatePayment(outcome: NewOutcome): NewOutcome {
  return isPaidOutcome(outcome.kind)
    ? { ...outcome, id: `${outcome.externalId}.duplicate_payment`, kind: 'duplicate_payment' }
    : outcome;
}

/** The outcomes of a changed attempt. There is none when an invoice that the payer had replaced failed or expired. */
function outcomesOf(
  record: CheckoutRecord,
  attempt: Attempt,
  kind: InvoiceOutcome,
  amount: string,
  now: number,
): readonly NewOutcome[] {
  // Stryker disable next-line all: A final outcome never becomes pending again. The line narrows the type.
  if (kind === 'pending') return [];
  const isCheckoutPaid = record.paidExternalId !== null;
  const isPayment = isPaidOutcome(kind);
  const isCurrentAttempt = currentAttempt(record)?.externalId === attempt.externalId;
  if (!isPayment && (isCheckoutPaid || mismatchedAttempt(record) !== undefined || !isCurrentAttempt)) return [];
  // The service may return one invoice for two requests. Its payment is reported once. Exception: an amount that is wrong for
  // one request may be right for the other, so `amount_mismatch` does not prevent a later `paid`.
  const isPaymentReported = record.attempts.some(
    ({ externalId, invoice, outcome }) =>
      externalId !== attempt.externalId &&
      invoice?.id === attempt.invoice?.id &&
      (outcome === 'paid' || outcome === kind),
  );
  if (isPayment && isPaymentReported) return [];
  // Stryker disable next-line ConditionalExpression: For a paid checkout, only payments reach this line.
  const reportedKind = isPayment && isCheckoutPaid ? 'duplicate_payment' : kind;
  const outcome: NewOutcome = {
    id: `${attempt.externalId}.${reportedKind}`,
    kind: reportedKind,
    orderId: record.params.orderId,
    checkoutId: record.id,
    externalId: attempt.externalId,
    // Stryker disable next-line all: An attempt whose status was fetched has an invoice. The default narrows the type.
    invoiceId: attempt.invoice?.id ?? null,
    amount,
    expectedAmount: attempt.amount,
    mode: attempt.request.mode ?? 'LIVE',
    occurredAt: now,
  };
  return [outcome];
}

import type { CheckoutStatus } from '../../protocol.ts';
import { canStillBePaid, isClosed } from './close-checkout.ts';
import { attemptOf, currentAttempt, mismatchedAttempt, withAttempt } from './select-attempt.ts';
import type { Attempt, CheckoutRecord, DueAttempt, InvoiceOutcome } from '../ports/checkout-store.ts';
import type { NewOutcome } from '../ports/outcome-outbox.ts';
import { compareDecimals, type FetchedInvoice } from '../../contract.ts';
import { deadlineAfter, isExpired, type GraceTiming } from './invoice-expiry.ts';
import { readStatus, type StatusLists } from './status-words.ts';

/**
 * The status of a checkout at a time (`ServerTime.now`). `paid`: one of its invoices was paid; this is final. `pending` also
 * while a create is in doubt, because the invoice may exist, and after a payment of another amount, because the shop checks
 * that payment. `closed`: it gets no new invoice, and none of its invoices can still be paid.
 */
export function deriveStatus(record: CheckoutRecord, now: number): CheckoutStatus {
  const status = statusOfInvoices(record);
  const isOver = status !== 'paid' && status !== 'pending' && !record.attempts.some(canStillBePaid);
  return isOver && isClosed(record, now) ? 'closed' : status;
}

function statusOfInvoices(record: CheckoutRecord): Exclude<CheckoutStatus, 'closed'> {
  if (record.paidExternalId !== null) return 'paid';
  if (mismatchedAttempt(record) !== undefined) return 'pending';
  const current = currentAttempt(record);
  if (current === undefined) return 'open';
  // Stryker disable next-line ConditionalExpression: The outcome of an attempt without an invoice is pending as well.
  return current.stage === 'created' && current.outcome !== 'amount_mismatch' ? current.outcome : 'pending';
}

/** Whether an invoice was paid, with the requested amount or another one. Such an outcome is final. */
export function isPaidOutcome(outcome: InvoiceOutcome | NewOutcome['kind']): boolean {
  return outcome === 'paid' || outcome === 'amount_mismatch';
}

/** The result of a fetch for one invoice. Times are milliseconds since 1970. */
export interface FetchResult {
  /** undefined: the response did not contain this invoice. */
  readonly fetched: FetchedInvoice | undefined;
  /** When the fetch started. */
  readonly requestedAt: number;
  /** The same moment on the clock that the deadline is compared with. */
  readonly deadlineNow: number;
}

export interface StatusRules {
  readonly statuses: StatusLists;
  readonly timing: GraceTiming;
}

/** The members of an attempt that decide about its outcome. */
type KnownStatus = Pick<DueAttempt, 'outcome' | 'expiresAt' | 'serviceStatus' | 'checkedAt'>;

/**
 * The outcome of an attempt after a fetch. `paid` is final, also when it comes from an older response. An invoice that ended
 * unpaid can only become paid, or get another end that the service reports. It expires by time alone when a fetch after its
 * deadline and the grace period returned a pending word, or no such invoice.
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

/** Whether a fetch changes anything but the time of the next fetch. */
export function changesCheckout(known: KnownStatus, result: FetchResult, rules: StatusRules): boolean {
  if (outcomeAfter(known, result, rules) !== known.outcome) return true;
  const { fetched, requestedAt } = result;
  if (fetched === undefined || isOlderResult(known, requestedAt)) return false;
  const isOtherWord = fetched.status !== undefined && fetched.status !== known.serviceStatus;
  return isOtherWord || deadlineAfter(known, fetched) !== known.expiresAt;
}

/** The checkout after a fetch, and the new outcomes for the shop. */
export interface StatusUpdate {
  readonly record: CheckoutRecord;
  readonly outcomes: readonly NewOutcome[];
  /** The fetched amount differs from the requested one. */
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
  const isOlder = isOlderResult(attempt, requestedAt);
  const changed: Attempt = {
    ...attempt,
    outcome,
    serviceStatus: isOlder ? attempt.serviceStatus : (fetched?.status ?? attempt.serviceStatus),
    expiresAt: isOlder ? attempt.expiresAt : deadlineAfter(attempt, fetched),
    checkedAt: Math.max(requestedAt, attempt.checkedAt ?? 0),
  };
  const next = withAttempt(record, { ...changed, runAt: nextRunAt(changed) });
  const isFirstPaid = outcome === 'paid' && record.paidExternalId === null;
  return {
    record: isFirstPaid ? { ...next, paidExternalId: externalId, paidAt: now } : next,
    outcomes: outcome === attempt.outcome ? [] : outcomesOf(record, attempt, outcome, amount, now),
    hasAmountMismatch,
  };
}

/** A payment as the second one of its order; other outcomes stay as they are. */
export function asDuplicatePayment(outcome: NewOutcome): NewOutcome {
  return isPaidOutcome(outcome.kind)
    ? { ...outcome, id: `${outcome.externalId}.duplicate_payment`, kind: 'duplicate_payment' }
    : outcome;
}

/** The outcomes of a change. The end of an invoice that the payer had already replaced has none. */
function outcomesOf(
  record: CheckoutRecord,
  attempt: Attempt,
  kind: InvoiceOutcome,
  amount: string,
  now: number,
): readonly NewOutcome[] {
  // Stryker disable next-line all: A final outcome never becomes pending again. The line narrows the type.
  if (kind === 'pending') return [];
  const isPaid = record.paidExternalId !== null;
  const isPayment = isPaidOutcome(kind);
  const isCurrent = currentAttempt(record)?.externalId === attempt.externalId;
  if (!isPayment && (isPaid || mismatchedAttempt(record) !== undefined || !isCurrent)) return [];
  // The service may return one invoice for two requests. Its payment is one payment. That its amount is wrong for one request
  // does not report that it is right for the other.
  const isReported = record.attempts.some(
    ({ externalId, invoice, outcome }) =>
      externalId !== attempt.externalId &&
      invoice?.id === attempt.invoice?.id &&
      (outcome === 'paid' || outcome === kind),
  );
  if (isPayment && isReported) return [];
  // Stryker disable next-line ConditionalExpression: For a paid checkout no other outcome gets here.
  const reported = isPayment && isPaid ? 'duplicate_payment' : kind;
  const outcome: NewOutcome = {
    id: `${attempt.externalId}.${reported}`,
    kind: reported,
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

import type { CheckoutStatus } from '../../protocol.ts';
import { attemptOf, currentAttempt, mismatchedAttempt, withAttempt } from './attempts.ts';
import type { Attempt, CheckoutRecord, DueAttempt, InvoiceOutcome, NewOutcome } from '../ports/checkout-store.ts';
import { type FetchedInvoice, compareDecimals, parseTimestamp } from '../../contract.ts';
import type { Timing } from '../options.ts';
import { readStatus, type StatusLists } from './status-words.ts';

/**
 * Where a checkout stands. Paid absorbs, whichever of its invoices was paid. An invoice that may exist, although the
 * service's answer is not known, is pending, and so is one that was paid over another amount: the shop is checking it.
 */
export function deriveStatus(record: CheckoutRecord): CheckoutStatus {
  if (record.paid_external_id !== null) return 'paid';
  if (mismatchedAttempt(record) !== undefined) return 'pending';
  const current = currentAttempt(record);
  if (current === undefined) return 'open';
  // Stryker disable next-line ConditionalExpression: The outcome of an attempt without an invoice is pending as well.
  return current.stage === 'created' && current.outcome !== 'amount_mismatch' ? current.outcome : 'pending';
}

/** Whether an invoice was paid, over whatever amount: final, and nothing more is expected of it. */
export function isPaidOutcome(outcome: InvoiceOutcome | NewOutcome['kind']): boolean {
  return outcome === 'paid' || outcome === 'amount_mismatch';
}

/** One look at an invoice: what the service said of it, if anything, and when it was asked. */
export interface FetchResult {
  /** undefined: the service's answer did not hold this invoice. */
  readonly fetched: FetchedInvoice | undefined;
  readonly requested_at: number;
  /** The same moment on the clock that the deadline is compared with. */
  readonly deadline_time: number;
}

export interface StatusRules {
  readonly statuses: StatusLists;
  readonly timing: Pick<Timing, 'graceMs' | 'missingGraceMs'>;
}

/** What the decision needs of an attempt; a due one carries it too. */
type KnownStatus = Pick<DueAttempt, 'outcome' | 'expires_at' | 'service_status' | 'checked_at'>;

/** A deadline that the service moves by less than this is the same one, written otherwise. */
const sameDeadlineMs = 1000;

/**
 * The outcome of an attempt after a fetch. Paid is final, also when an older answer says it. An invoice that ended unpaid
 * only becomes paid, or ends otherwise by the service's own word. Time alone makes it expired when a fetch after its
 * deadline and the grace period said a pending word, or did not return the invoice.
 */
function outcomeAfter(
  known: KnownStatus,
  { fetched, requested_at, deadline_time }: FetchResult,
  { statuses, timing }: StatusRules,
): InvoiceOutcome {
  if (isPaidOutcome(known.outcome)) return known.outcome;
  const meaning = fetched === undefined ? 'pending' : readStatus(fetched.status, statuses);
  if (meaning === 'paid') return 'paid';
  if (isStale(known, requested_at) || meaning === 'unlisted') return known.outcome;
  if (meaning !== 'pending') return meaning;
  const expiresAt = deadlineAfter(known, fetched);
  const grace = fetched === undefined ? timing.missingGraceMs : timing.graceMs;
  const isOver = expiresAt !== null && deadline_time >= expiresAt + grace;
  return known.outcome === 'pending' && isOver ? 'expired' : known.outcome;
}

function isStale({ checked_at }: KnownStatus, askedAt: number): boolean {
  // Stryker disable next-line ConditionalExpression: null compares as 0 (1970), and no fetch is older.
  return checked_at !== null && askedAt < checked_at;
}

function deadlineAfter({ expires_at }: KnownStatus, fetched: FetchedInvoice | undefined): number | null {
  const told = fetched?.expires_at === undefined ? undefined : parseTimestamp(fetched.expires_at);
  // Stryker disable next-line ConditionalExpression: null compares as 0 (1970), and no invoice expires near it.
  if (told === undefined || (expires_at !== null && Math.abs(told - expires_at) < sameDeadlineMs)) return expires_at;
  return told;
}

/** Tells whether a look changes anything but the time of the next one. */
export function changesCheckout(facts: KnownStatus, look: FetchResult, reading: StatusRules): boolean {
  if (outcomeAfter(facts, look, reading) !== facts.outcome) return true;
  const { fetched, requested_at } = look;
  if (fetched === undefined || isStale(facts, requested_at)) return false;
  const isOtherWord = fetched.status !== undefined && fetched.status !== facts.service_status;
  return isOtherWord || deadlineAfter(facts, fetched) !== facts.expires_at;
}

/** What a look came to: the checkout after it, and what the shop has to hear. */
export interface StatusUpdate {
  readonly record: CheckoutRecord;
  readonly outcomes: readonly NewOutcome[];
  /** The service says another amount than was asked for. */
  readonly hasAmountMismatch: boolean;
}

/** Records a look at one invoice; undefined when the checkout has no such attempt. */
export function applyStatus(
  record: CheckoutRecord,
  externalId: string,
  look: FetchResult,
  reading: StatusRules,
  dueAt: (attempt: Attempt) => number | null,
  now: number,
): StatusUpdate | undefined {
  const attempt = attemptOf(record, externalId);
  if (attempt?.invoice == null) return undefined;
  const { fetched, requested_at } = look;
  const amount = fetched?.amount ?? attempt.invoice.amount;
  const hasAmountMismatch = compareDecimals(amount, attempt.amount) !== 0;
  const read = outcomeAfter(attempt, look, reading);
  const isMismatchedPayment = read === 'paid' && attempt.outcome !== 'paid' && hasAmountMismatch;
  const outcome = isMismatchedPayment ? 'amount_mismatch' : read;
  const isOld = isStale(attempt, requested_at);
  const seen: Attempt = {
    ...attempt,
    outcome,
    service_status: isOld ? attempt.service_status : (fetched?.status ?? attempt.service_status),
    expires_at: isOld ? attempt.expires_at : deadlineAfter(attempt, fetched),
    checked_at: Math.max(requested_at, attempt.checked_at ?? 0),
  };
  const next = withAttempt(record, { ...seen, run_at: dueAt(seen) });
  const isFirstPaid = outcome === 'paid' && record.paid_external_id === null;
  return {
    record: isFirstPaid ? { ...next, paid_external_id: externalId } : next,
    outcomes: outcome === attempt.outcome ? [] : outcomesOf(record, attempt, outcome, amount, now),
    hasAmountMismatch,
  };
}

/** A payment as the second one of its order; other outcomes stay as they are. */
export function asDuplicatePayment(outcome: NewOutcome): NewOutcome {
  return isPaidOutcome(outcome.kind)
    ? { ...outcome, id: `${outcome.external_id}.duplicate_payment`, kind: 'duplicate_payment' }
    : outcome;
}

/** What the shop hears of a change. That an invoice ended which the payer had already left is not of its concern. */
function outcomesOf(
  record: CheckoutRecord,
  attempt: Attempt,
  kind: InvoiceOutcome,
  amount: string,
  now: number,
): readonly NewOutcome[] {
  // Stryker disable next-line all: A final outcome never becomes pending again. The line narrows the type.
  if (kind === 'pending') return [];
  const isPaid = record.paid_external_id !== null;
  const isPayment = isPaidOutcome(kind);
  const isCurrent = currentAttempt(record)?.external_id === attempt.external_id;
  if (!isPayment && (isPaid || mismatchedAttempt(record) !== undefined || !isCurrent)) return [];
  // Stryker disable next-line ConditionalExpression: For a paid checkout no other outcome gets here.
  const told = isPayment && isPaid ? 'duplicate_payment' : kind;
  const outcome: NewOutcome = {
    id: `${attempt.external_id}.${told}`,
    kind: told,
    order_id: record.params.order_id,
    checkout_id: record.id,
    external_id: attempt.external_id,
    // Stryker disable next-line all: An attempt whose status was fetched has an invoice. The default narrows the type.
    invoice_id: attempt.invoice?.id ?? null,
    amount,
    expected_amount: attempt.amount,
    mode: attempt.request.mode ?? 'LIVE',
    occurred_at: now,
  };
  return [outcome];
}

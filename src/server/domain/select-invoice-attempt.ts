import type { Mode } from '../../service-api.ts';
import type { Attempt, CheckoutRecord } from '../ports/checkout-store.ts';

// Finds the attempts that determine a checkout's status and its invoice. Returns records with changed or added attempts.

/**
 * Whether an attempt ended without an invoice for the payer, or with a payment that pays no order. A void attempt never prevents
 * a new attempt.
 */
export function isVoid(attempt: Attempt): boolean {
  // Stryker disable next-line ConditionalExpression,StringLiteral: Every rejected attempt has a refusal; the stage is compared for readers.
  return attempt.refusal !== null || attempt.stage === 'rejected' || attempt.outcome === 'test_payment';
}

/** The newest attempt that is not void. It decides the status of an unpaid checkout. */
export function currentAttempt(record: CheckoutRecord): Attempt | undefined {
  return record.attempts.findLast((attempt) => !isVoid(attempt));
}

/** The attempt that was paid with another amount than requested; undefined when another attempt has paid the checkout. */
export function mismatchedAttempt(record: CheckoutRecord): Attempt | undefined {
  return record.paidExternalId === null
    ? record.attempts.find(({ outcome }) => outcome === 'amount_mismatch')
    : undefined;
}

/**
 * The attempt whose invoice the payer sees: the paid attempt, or the attempt paid with another amount, or the current attempt.
 */
export function shownAttempt(record: CheckoutRecord): Attempt | undefined {
  const mismatched = mismatchedAttempt(record);
  if (mismatched !== undefined) return mismatched;
  const shown = record.paidExternalId === null ? currentAttempt(record) : attemptOf(record, record.paidExternalId);
  return shown !== undefined && !isVoid(shown) ? shown : undefined;
}

export function attemptOf(record: CheckoutRecord, externalId: string): Attempt | undefined {
  return record.attempts.find((attempt) => attempt.externalId === externalId);
}

/** Marks each attempt that a newer attempt has replaced. A void attempt replaces none. */
function markReplaced(attempts: readonly Attempt[]): readonly Attempt[] {
  const currentIndex = attempts.findLastIndex((attempt) => !isVoid(attempt));
  return attempts.map((attempt, index) => {
    const replaced = index < currentIndex;
    // Stryker disable next-line ConditionalExpression: A copy has the same content.
    return attempt.replaced === replaced ? attempt : { ...attempt, replaced };
  });
}

/** The checkout with a changed attempt. */
export function withAttempt(record: CheckoutRecord, changedAttempt: Attempt): CheckoutRecord {
  const attempts = record.attempts.map((attempt) =>
    attempt.externalId === changedAttempt.externalId ? changedAttempt : attempt,
  );
  return { ...record, attempts: markReplaced(attempts) };
}

/** The checkout with one more attempt, which replaces those before it. */
export function withNewAttempt(record: CheckoutRecord, attempt: Attempt): CheckoutRecord {
  return { ...record, attempts: markReplaced([...record.attempts, attempt]) };
}

/** The mode that was sent to the service with the request for the invoice. */
export function modeOf({ request }: Pick<Attempt, 'request'>): Mode {
  return request.mode ?? 'LIVE';
}

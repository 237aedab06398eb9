import type { Attempt, CheckoutRecord } from '../ports/checkout-store.ts';

// Which attempt of a checkout counts, and how one of them is exchanged for its next state.

/** Whether the payer got nothing from an attempt, and never will: it stands in nobody's way. */
function isVoid(attempt: Attempt): boolean {
  // Stryker disable next-line ConditionalExpression,StringLiteral: Every rejected attempt has a reason; the stage is named for readers.
  return attempt.refusal !== null || attempt.stage === 'rejected';
}

/** The newest attempt that the service has not refused: what the checkout is about now. */
export function currentAttempt(record: CheckoutRecord): Attempt | undefined {
  return record.attempts.findLast((attempt) => !isVoid(attempt));
}

/** The attempt that was paid over another amount than was requested, of a checkout that is not paid by another one. */
export function mismatchedAttempt(record: CheckoutRecord): Attempt | undefined {
  return record.paid_external_id === null
    ? record.attempts.find(({ outcome }) => outcome === 'amount_mismatch')
    : undefined;
}

/** The attempt whose invoice the payer sees: the paid one, else the one that was paid over another amount, else the current one. */
export function shownAttempt(record: CheckoutRecord): Attempt | undefined {
  const mismatched = mismatchedAttempt(record);
  if (mismatched !== undefined) return mismatched;
  const shown = record.paid_external_id === null ? currentAttempt(record) : attemptOf(record, record.paid_external_id);
  return shown !== undefined && !isVoid(shown) ? shown : undefined;
}

export function attemptOf(record: CheckoutRecord, externalId: string): Attempt | undefined {
  return record.attempts.find(({ external_id }) => external_id === externalId);
}

/** Exactly the attempts that a newer one has taken the place of are replaced; one that was refused takes no place. */
function settleReplaced(attempts: readonly Attempt[]): readonly Attempt[] {
  const current = attempts.findLastIndex((attempt) => !isVoid(attempt));
  return attempts.map((attempt, index) => {
    const replaced = index < current;
    // Stryker disable next-line ConditionalExpression: An equal copy has the same content.
    return attempt.replaced === replaced ? attempt : { ...attempt, replaced };
  });
}

/** The checkout with one attempt in its next state. */
export function withAttempt(record: CheckoutRecord, next: Attempt): CheckoutRecord {
  const attempts = record.attempts.map((attempt) => (attempt.external_id === next.external_id ? next : attempt));
  return { ...record, attempts: settleReplaced(attempts) };
}

/** The checkout with one more attempt, which takes the place of those before it. */
export function withNewAttempt(record: CheckoutRecord, attempt: Attempt): CheckoutRecord {
  return { ...record, attempts: settleReplaced([...record.attempts, attempt]) };
}

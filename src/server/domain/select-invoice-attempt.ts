import type { Mode } from '../../service-api.ts';
import type { Attempt, CreateAttempt, InvoiceAttempt, InvoiceOutcome, LiveAttempt } from '../ports/attempt.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';

// Finds the attempts that determine a checkout's status and its invoice. Returns records with changed or added attempts.

export function hasInvoice(attempt: Attempt): attempt is InvoiceAttempt {
  return attempt.state === 'live' || attempt.state === 'hidden';
}

/** The attempts with an invoice, oldest first. */
export function invoicesOf({ attempts }: Pick<CheckoutRecord, 'attempts'>): readonly InvoiceAttempt[] {
  return attempts.filter(hasInvoice);
}

/** Whether an outcome means that the invoice was paid, whatever the amount and the mode. It is final. */
export function isPaidOutcome(outcome: InvoiceOutcome): boolean {
  return outcome === 'paid' || outcome === 'amount_mismatch' || outcome === 'test_payment';
}

/** Whether an invoice can be paid as far as is known. */
export function isOpenOutcome(outcome: InvoiceOutcome): boolean {
  return outcome === 'pending' || outcome === 'unresolved';
}

/** Whether the payer can pay the attempt's invoice, or may be able to pay it once it is created. */
export function canStillBePaid(attempt: Attempt): boolean {
  return (
    attempt.state === 'creating' ||
    attempt.state === 'in_doubt' ||
    (attempt.state === 'live' && isOpenOutcome(attempt.outcome) && attempt.resolution === null)
  );
}

/**
 * Whether an attempt is the payer's: it has not ended without an invoice for the payer, or with a payment that pays no order, and
 * nobody has decided that it pays none.
 * Another attempt never prevents a new attempt.
 */
function isOffered(attempt: Attempt): attempt is CreateAttempt | LiveAttempt {
  switch (attempt.state) {
    case 'creating':
    case 'in_doubt':
    case 'unresolved':
      return true;
    case 'live':
      return attempt.outcome !== 'test_payment' && attempt.resolution?.as !== 'void';
    case 'rejected':
    case 'hidden':
      return false;
  }
}

/** The newest attempt that is offered to the payer; it replaces those before. It decides the status of an unpaid checkout. */
export function currentAttempt(record: CheckoutRecord): CreateAttempt | LiveAttempt | undefined {
  return record.attempts.findLast(isOffered);
}

/** The attempt that was paid with another amount than requested, while nobody has decided about it and nothing has paid the checkout. */
export function mismatchedAttempt(record: CheckoutRecord): InvoiceAttempt | undefined {
  return record.paidExternalId === null
    ? invoicesOf(record).find(({ outcome, resolution }) => outcome === 'amount_mismatch' && resolution === null)
    : undefined;
}

/**
 * The attempt whose invoice the payer sees: the paid attempt, or the attempt paid with another amount, or the current attempt.
 */
export function shownAttempt(record: CheckoutRecord): Attempt | undefined {
  const mismatched = mismatchedAttempt(record);
  if (mismatched !== undefined) return mismatched;
  const shown = record.paidExternalId === null ? currentAttempt(record) : attemptOf(record, record.paidExternalId);
  return shown !== undefined && isOffered(shown) ? shown : undefined;
}

/**
 * The attempts with an unpaid invoice of this checkout: a webhook, or a payer who says that he has paid, may be about each of
 * them.
 */
export function unpaidAttempts(record: CheckoutRecord): readonly InvoiceAttempt[] {
  return invoicesOf(record).filter((attempt) => !isForeign(attempt) && !isPaidOutcome(attempt.outcome));
}

/** Whether the invoice of an attempt belongs to another checkout. */
export function isForeign(attempt: Attempt): boolean {
  return attempt.state === 'hidden' && attempt.reason === 'foreign_invoice';
}

export function attemptOf(record: CheckoutRecord, externalId: string): Attempt | undefined {
  return record.attempts.find((attempt) => attempt.externalId === externalId);
}

/** The checkout with a changed attempt. */
export function withAttempt(record: CheckoutRecord, changedAttempt: Attempt): CheckoutRecord {
  const attempts = record.attempts.map((attempt) =>
    attempt.externalId === changedAttempt.externalId ? changedAttempt : attempt,
  );
  return { ...record, attempts };
}

/** The checkout with one more attempt, which replaces those before it. */
export function withNewAttempt(record: CheckoutRecord, attempt: Attempt): CheckoutRecord {
  return { ...record, attempts: [...record.attempts, attempt] };
}

/** The amount by which an invoice pays the order: `update` may have changed it since the invoice was requested. */
export function expectedAmountOf({ params }: CheckoutRecord, { amount }: Pick<Attempt, 'amount'>): string {
  return params.amount ?? amount;
}

/** The mode that was sent to the service with the request for the invoice. */
export function modeOf({ request }: Pick<Attempt, 'request'>): Mode {
  return request.mode ?? 'LIVE';
}

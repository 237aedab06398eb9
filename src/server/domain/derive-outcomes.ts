import { statusOfInvoices } from './apply-fetched-status.ts';
import {
  attemptOf,
  currentAttempt,
  expectedAmountOf,
  hasInvoice,
  invoicesOf,
  modeOf,
} from './select-invoice-attempt.ts';
import type { Attempt, InvoiceAttempt } from '../ports/attempt.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';
import type { NewOutcome } from '../ports/outcome-outbox.ts';

/**
 * The outcomes for the shop when a saved checkout takes the place of `before`. They are derived from the two records alone, so
 * that the order in which attempts end does not matter. A repeated outcome has the same `id`, and the store keeps it once.
 */
export function outcomesBetween(before: CheckoutRecord, after: CheckoutRecord, now: number): readonly NewOutcome[] {
  const kinds = after.attempts.flatMap((attempt) => {
    const kind = kindOfChange(before, after, attempt);
    return kind === undefined ? [] : [{ attempt, kind }];
  });
  const status = statusOfInvoices(after);
  const current = currentAttempt(after);
  const hasEnded = status === 'failed' || status === 'expired';
  if (hasEnded && current !== undefined && status !== statusOfInvoices(before))
    kinds.push({ attempt: current, kind: status });
  return kinds.map(({ attempt, kind }) => toOutcome(after, attempt, kind, now));
}

/** What the shop must learn of the change of one attempt: a payment, or the end of the work for it without a result. */
function kindOfChange(before: CheckoutRecord, after: CheckoutRecord, attempt: Attempt): NewOutcome['kind'] | undefined {
  const known = attemptOf(before, attempt.externalId);
  if (attempt.resolution !== null && known?.resolution === null) return 'resolved';
  if (attempt.state === 'unresolved') return known?.state === 'unresolved' ? undefined : 'create_unresolved';
  if (!hasInvoice(attempt)) return undefined;
  const knownOutcome = known !== undefined && hasInvoice(known) ? known.outcome : undefined;
  switch (attempt.outcome) {
    case knownOutcome:
    case 'pending':
    case 'failed':
    case 'expired':
      return undefined;
    case 'unresolved':
      return 'invoice_unresolved';
    case 'paid':
    case 'amount_mismatch':
    case 'test_payment':
  }
  // A person has decided before that it pays the order.
  if (before.paidExternalId === attempt.externalId || isReported(before, attempt)) return undefined;
  const isFirstPayment = before.paidExternalId === null && after.paidExternalId === attempt.externalId;
  if (attempt.outcome === 'test_payment' || isFirstPayment) return attempt.outcome;
  return attempt.outcome === 'amount_mismatch' && before.paidExternalId === null
    ? 'amount_mismatch'
    : 'duplicate_payment';
}

/**
 * Whether the payment was reported for another attempt: the service may return one invoice for two requests. Exception: an amount
 * that is wrong for one request may be right for the other, so `amount_mismatch` does not prevent a later `paid`.
 */
function isReported(before: CheckoutRecord, { externalId, invoice, outcome: kind }: InvoiceAttempt): boolean {
  return invoicesOf(before).some(
    (other) =>
      other.externalId !== externalId &&
      other.invoice.id === invoice.id &&
      (other.outcome === 'paid' || other.outcome === kind),
  );
}

function toOutcome(record: CheckoutRecord, attempt: Attempt, kind: NewOutcome['kind'], now: number): NewOutcome {
  const known = hasInvoice(attempt) ? attempt : undefined;
  const resolution = kind === 'resolved' ? attempt.resolution : null;
  return {
    // A payment after a decision may need another decision.
    id: `${attempt.externalId}.${kind}${resolution === null ? '' : `.${resolution.at}`}`,
    kind,
    orderId: record.params.orderId,
    checkoutId: record.id,
    externalId: attempt.externalId,
    invoiceId: known?.invoice.id ?? null,
    amount: known?.paidAmount ?? known?.invoice.amount ?? attempt.amount,
    expectedAmount: expectedAmountOf(record, attempt),
    mode: modeOf(attempt),
    occurredAt: now,
    ...(resolution !== null && { decision: resolution.as, note: resolution.note }),
  };
}

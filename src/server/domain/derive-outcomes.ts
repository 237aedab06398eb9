import { statusOfInvoices } from './apply-fetched-status.ts';
import { attemptOf, currentAttempt, modeOf } from './select-invoice-attempt.ts';
import type { Attempt, CheckoutRecord } from '../ports/checkout-store.ts';
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
  const wasScheduled = known?.runAt !== null;
  const isGivenUp = attempt.runAt === null && wasScheduled;
  if (attempt.stage === 'in_doubt' && isGivenUp) return 'create_unresolved';
  if (attempt.stage !== 'created') return undefined;
  if (attempt.outcome === 'pending')
    return isGivenUp && attempt.refusal !== 'foreign_invoice' ? 'invoice_unresolved' : undefined;
  if (attempt.outcome === known?.outcome || attempt.outcome === 'failed' || attempt.outcome === 'expired')
    return undefined;
  if (isReported(before, attempt)) return undefined;
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
function isReported(before: CheckoutRecord, { externalId, invoice, outcome: kind }: Attempt): boolean {
  return before.attempts.some(
    (other) =>
      other.externalId !== externalId &&
      other.invoice?.id === invoice?.id &&
      (other.outcome === 'paid' || other.outcome === kind),
  );
}

function toOutcome(record: CheckoutRecord, attempt: Attempt, kind: NewOutcome['kind'], now: number): NewOutcome {
  return {
    id: `${attempt.externalId}.${kind}`,
    kind,
    orderId: record.params.orderId,
    checkoutId: record.id,
    externalId: attempt.externalId,
    invoiceId: attempt.invoice?.id ?? null,
    amount: attempt.paidAmount ?? attempt.invoice?.amount ?? attempt.amount,
    expectedAmount: attempt.amount,
    mode: modeOf(attempt),
    occurredAt: now,
  };
}

import type { CheckoutStatus } from '../../protocol.ts';
import { currentAttempt } from './attempts.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';

/**
 * Where a checkout stands. Paid absorbs, whichever of its invoices was paid. An invoice that may exist, although the
 * service's answer is not known, is pending.
 */
export function deriveStatus(record: CheckoutRecord): CheckoutStatus {
  if (record.paid_external_id !== null) return 'paid';
  const current = currentAttempt(record);
  if (current === undefined) return 'open';
  // Stryker disable next-line ConditionalExpression: The outcome of an attempt without an invoice is pending as well.
  return current.stage === 'created' ? current.outcome : 'pending';
}

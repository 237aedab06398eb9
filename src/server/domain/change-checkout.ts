import { isDeepStrictEqual } from 'node:util';
import type { CheckoutParams, CheckoutRecord } from '../ports/checkout-store.ts';
import { deriveStatus } from './apply-fetched-status.ts';
import { CheckoutConflictError, differingMoney } from './checkout-params.ts';
import { withAction } from './merchant-actions.ts';
import { canStillBePaid } from './select-invoice-attempt.ts';

/**
 * The checkout of an order after a further `create`. The money stays as it is, and the rest takes the new values. A checkout
 * that was closed and of which nothing can be paid any more is opened again. An expired capability is replaced.
 * @param renewal - a new capability, for a checkout whose capability has expired
 * @returns the same record when nothing changes
 * @throws CheckoutConflictError `order_conflict` for other money
 */
export function recreateCheckout(
  record: CheckoutRecord,
  newParams: CheckoutParams,
  now: number,
  renewal: Pick<CheckoutRecord, 'capability' | 'capabilityAt'> | undefined,
): CheckoutRecord {
  const path = differingMoney(record.params, newParams);
  if (path !== undefined) throw new CheckoutConflictError('order_conflict', path);
  const { amount, amountLimits } = record.params;
  const params = { ...newParams, amount, amountLimits };
  const closedAt = deriveStatus(record, now) === 'closed' ? null : record.closedAt;
  const isReopened = closedAt !== record.closedAt;
  if (renewal === undefined && !isReopened && isDeepStrictEqual(params, record.params)) return record;
  return withAction({ ...record, ...renewal, params, closedAt }, now, isReopened ? 'reopen' : 'update');
}

/**
 * An open checkout with other parameters.
 * @throws CheckoutConflictError while an invoice can still be paid, and when the checkout is paid or closed
 */
export function changeParams(record: CheckoutRecord, changes: Partial<CheckoutParams>, now: number): CheckoutRecord {
  const status = deriveStatus(record, now);
  if (status === 'paid') throw new CheckoutConflictError('already_paid');
  if (status === 'closed') throw new CheckoutConflictError('checkout_closed');
  if (status === 'pending' || record.attempts.some(canStillBePaid)) throw new CheckoutConflictError('invoice_pending');
  const hasAmount = changes.amount !== undefined;
  const params = { ...record.params, ...changes, ...(hasAmount && { amountLimits: null }) };
  return withAction({ ...record, params }, now, 'update');
}

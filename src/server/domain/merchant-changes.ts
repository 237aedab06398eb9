import { isDeepStrictEqual } from 'node:util';
import type { CheckoutParams, CheckoutRecord, MerchantAction } from '../ports/checkout-store.ts';
import { isUnlistedStatus } from './fetch-decisions.ts';
import { CheckoutConflictError, differingMoney, CheckoutParamsError } from './checkout-params.ts';
import {
  attemptOf,
  canStillBePaid,
  deriveStatus,
  hasInvoice,
  isClosed,
  isForeign,
  isUndecidedPayment,
  withAttempt,
} from './checkout-status.ts';
import type { NewOutcome } from '../ports/outcome-outbox.ts';
import type { Attempt, Resolution, StatusLists } from '../ports/invoice-attempt.ts';

/**
 * The checkout of an order after a further `create`. The money stays as it is, and the rest takes the new values. One that is
 * closed stays closed, also by an `expiresAt` that has passed. An expired capability is replaced.
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
  const { amount, amountLimits, expiresAt } = record.params;
  const hasEnded = expiresAt !== null && expiresAt <= now;
  const params = { ...newParams, amount, amountLimits, ...(hasEnded && { expiresAt }) };
  if (renewal === undefined && isDeepStrictEqual(params, record.params)) return record;
  return withAction({ ...record, ...renewal, params }, { at: now, action: 'update', target: null });
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
  return withAction({ ...record, params }, { at: now, action: 'update', target: null });
}

/** How many actions of a checkout are kept. */
const maxActions = 100;

/** The checkout with one more action of the merchant. */
export function withAction(record: CheckoutRecord, action: MerchantAction): CheckoutRecord {
  return { ...record, actions: [...record.actions, action].slice(-maxActions) };
}

/**
 * The checkout whose capability is handed out again. An expired one is replaced by `renewal`.
 * @throws CheckoutConflictError `checkout_closed`: nobody can pay with it until the checkout is opened again
 */
export function linkCheckout(
  record: CheckoutRecord,
  now: number,
  renewal: Pick<CheckoutRecord, 'capability' | 'capabilityAt'> | undefined,
): CheckoutRecord {
  if (deriveStatus(record, now) === 'closed') throw new CheckoutConflictError('checkout_closed');
  return withAction({ ...record, ...renewal }, { at: now, action: 'link', target: null });
}

/** The checkout as closed by the merchant; undefined when it was closed before or is paid, so that nothing changes. */
export function closeCheckout(record: CheckoutRecord, now: number): CheckoutRecord | undefined {
  if (record.closedAt !== null || record.paidExternalId !== null) return undefined;
  return withAction({ ...record, closedAt: now }, { at: now, action: 'close', target: null });
}

/** The checkout as opened again; undefined when it is not closed, or is paid. An `expiresAt` that has passed is removed. */
export function reopenCheckout(record: CheckoutRecord, now: number): CheckoutRecord | undefined {
  if (!isClosed(record, now) || record.paidExternalId !== null) return undefined;
  const { expiresAt } = record.params;
  const params = { ...record.params, expiresAt: expiresAt !== null && expiresAt <= now ? null : expiresAt };
  return withAction({ ...record, params, closedAt: null }, { at: now, action: 'reopen', target: null });
}

/**
 * Whether a person has to decide about a payment, because the server cannot judge it: it was of another amount, also where
 * something else has paid the checkout, or it is not known whether there is an invoice, or how it ended.
 */
export function needsDecision(record: CheckoutRecord, attempt: Attempt, statuses: StatusLists): boolean {
  if (attempt.resolution !== null || isForeign(attempt)) return false;
  if (!hasInvoice(attempt)) return attempt.state === 'unresolved';
  return (
    isUndecidedPayment(record, attempt) ||
    attempt.outcome === 'unresolved' ||
    (attempt.outcome === 'pending' && isUnlistedStatus(attempt.serviceStatus ?? '', statuses))
  );
}

/** Whether a person has to act on an outcome: to decide about its invoice, or to pay back money that pays no order. */
export function needsPerson(record: CheckoutRecord, { kind, externalId }: NewOutcome, statuses: StatusLists): boolean {
  const attempt = attemptOf(record, externalId);
  const isOwed = kind === 'duplicate_payment' || kind === 'test_payment';
  return isOwed || (attempt !== undefined && needsDecision(record, attempt, statuses));
}

/**
 * Records a person's decision about one invoice of a checkout.
 * @param invoiceId - the invoice's `id` or `externalId`; undefined: the only one that needs a decision
 * @throws CheckoutConflictError `nothing_to_resolve`
 * @throws CheckoutParamsError when several invoices need a decision, and none is named
 */
export function resolveInvoice(
  record: CheckoutRecord,
  invoiceId: string | undefined,
  resolution: Resolution,
  statuses: StatusLists,
): { readonly record: CheckoutRecord; readonly externalId: string } {
  const isNamed = (attempt: Attempt): boolean =>
    attempt.externalId === invoiceId || (hasInvoice(attempt) && attempt.invoice.id === invoiceId);
  const [attempt, ...others] = record.attempts
    .filter((candidate) => needsDecision(record, candidate, statuses))
    .filter((candidate) => invoiceId === undefined || isNamed(candidate));
  if (attempt === undefined)
    throw new CheckoutConflictError('nothing_to_resolve', invoiceId === undefined ? 'id' : 'invoiceId');
  if (others.length > 0)
    throw new CheckoutParamsError({ path: 'invoiceId', message: 'invoiceId: is required: several need a decision' });
  const { externalId } = attempt;
  const resolved: Attempt = { ...attempt, resolution };
  if (resolution.as === 'paid') {
    const { paidExternalId, paidAt } = record;
    const isFirst = paidExternalId === null;
    const payment = { paidExternalId: isFirst ? externalId : paidExternalId, paidAt: isFirst ? resolution.at : paidAt };
    return { record: { ...withAttempt(record, resolved), ...payment }, externalId };
  }
  // Without an invoice, the create ends: the payer may request another invoice.
  const ended: Attempt = hasInvoice(resolved)
    ? resolved
    : { ...resolved, state: 'rejected', reason: 'method_unavailable' };
  return { record: withAttempt(record, ended), externalId };
}

import type { Attempt, Resolution } from '../ports/attempt.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';
import { CheckoutConflictError, CheckoutParamsError } from './checkout-params.ts';
import { hasInvoice, isForeign, withAttempt } from './select-invoice-attempt.ts';
import { isUnlistedStatus, type StatusLists } from './status-words.ts';

/**
 * Whether a person has to decide about a payment, because the server cannot judge it: it was of another amount, or it is not
 * known whether there is an invoice, or how it ended.
 */
export function needsDecision(record: CheckoutRecord, attempt: Attempt, statuses: StatusLists): boolean {
  if (attempt.resolution !== null || isForeign(attempt)) return false;
  if (!hasInvoice(attempt)) return attempt.state === 'unresolved';
  if (attempt.outcome === 'amount_mismatch') return record.paidExternalId === null;
  return (
    attempt.outcome === 'unresolved' ||
    (attempt.outcome === 'pending' && isUnlistedStatus(attempt.serviceStatus ?? '', statuses))
  );
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

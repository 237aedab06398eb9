import type { CheckoutRecord } from '../ports/checkout-store.ts';
import { withAction } from './merchant-actions.ts';

// A closed checkout gets no new invoice: the merchant has closed it, or its `expiresAt` has passed. Invoices that were issued
// before can still be paid, and a late payment still counts.

/** Whether a checkout gets no new invoice any more. */
export function isClosed({ closedAt, params }: Pick<CheckoutRecord, 'closedAt' | 'params'>, now: number): boolean {
  return closedAt !== null || (params.expiresAt !== null && now >= params.expiresAt);
}

/** Milliseconds until `expiresAt` closes a checkout; undefined when it is closed already, or when it has no `expiresAt`. */
export function msUntilClosed(record: Pick<CheckoutRecord, 'closedAt' | 'params'>, now: number): number | undefined {
  const { expiresAt } = record.params;
  return expiresAt === null || isClosed(record, now) ? undefined : expiresAt - now;
}

/** The checkout as closed by the merchant; undefined when it was closed before or is paid, so that nothing changes. */
export function closeCheckout(record: CheckoutRecord, now: number): CheckoutRecord | undefined {
  if (record.closedAt !== null || record.paidExternalId !== null) return undefined;
  return withAction({ ...record, closedAt: now }, now, 'close');
}

import type { Attempt, CheckoutRecord } from '../ports/checkout-store.ts';

// A closed checkout gets no new invoice: the merchant has closed it, or its `expiresAt` has passed. What was issued before can
// still be paid, and a late payment still counts.

/** Whether no new invoice is created any more. */
export function isClosed({ closedAt, params }: Pick<CheckoutRecord, 'closedAt' | 'params'>, now: number): boolean {
  return closedAt !== null || (params.expiresAt !== null && now >= params.expiresAt);
}

/** Milliseconds until time closes a checkout; undefined when it is closed already, or time never closes it. */
export function closesInMs(record: Pick<CheckoutRecord, 'closedAt' | 'params'>, now: number): number | undefined {
  const { expiresAt } = record.params;
  return expiresAt === null || isClosed(record, now) ? undefined : expiresAt - now;
}

/** Whether the payer can pay the attempt's invoice, or may be able to when it is created. */
export function canStillBePaid({ outcome, refusal }: Attempt): boolean {
  return outcome === 'pending' && refusal === null;
}

/** The checkout after the merchant has closed it; undefined when nothing changes: it was closed before, or it is paid. */
export function closeCheckout(record: CheckoutRecord, now: number): CheckoutRecord | undefined {
  return record.closedAt === null && record.paidExternalId === null ? { ...record, closedAt: now } : undefined;
}

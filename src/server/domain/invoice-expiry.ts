import { parseServiceTimestamp, type FetchedInvoice } from '../../service-api.ts';
import type { DueInvoice } from '../ports/checkout-store.ts';
import type { Timing } from '../timing-and-limit-defaults.ts';

type KnownDeadline = Pick<DueInvoice, 'expiresAt'>;

export type GraceTiming = Pick<Timing, 'graceMs' | 'missingGraceMs'>;

/** A fetched deadline that differs by less than this counts as unchanged. */
const sameDeadlineMs = 1000;

/**
 * Whether an unpaid invoice has expired by time: its deadline and the grace period after the deadline have passed.
 * @param fetched - undefined where the response did not contain the invoice
 * @param deadlineNow - when the fetch started, on the clock that the deadline is compared with
 */
export function isExpired(
  known: KnownDeadline,
  fetched: FetchedInvoice | undefined,
  deadlineNow: number,
  timing: GraceTiming,
): boolean {
  const expiresAt = deadlineAfter(known, fetched);
  const grace = fetched === undefined ? timing.missingGraceMs : timing.graceMs;
  return expiresAt !== null && deadlineNow >= expiresAt + grace;
}

/**
 * The deadline of an invoice after a fetch: the fetched deadline, unless it is unreadable or unchanged. Milliseconds since
 * 1970.
 */
export function deadlineAfter({ expiresAt }: KnownDeadline, fetched: FetchedInvoice | undefined): number | null {
  const deadline = fetched?.expires_at === undefined ? undefined : parseServiceTimestamp(fetched.expires_at);
  if (deadline === undefined) return expiresAt;
  return expiresAt !== null && Math.abs(deadline - expiresAt) < sameDeadlineMs ? expiresAt : deadline;
}

/**
 * Removes a deadline that is before the request for the invoice, such as the zero of a date type, or a local time that is
 * marked as UTC. An invoice without a deadline has no countdown and does not expire by time.
 * @param requestedAt - when the invoice was requested, on the clock that its deadline is compared with
 */
export function withoutImpossibleDeadline<T extends { readonly expires_at?: string | undefined }>(
  invoice: T,
  requestedAt: number,
): T {
  const deadline = invoice.expires_at === undefined ? undefined : parseServiceTimestamp(invoice.expires_at);
  return deadline === undefined || deadline > requestedAt ? invoice : { ...invoice, expires_at: undefined };
}

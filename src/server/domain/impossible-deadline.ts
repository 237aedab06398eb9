import { parseServiceTimestamp } from '../../contract.ts';

/**
 * An invoice without its deadline where that is a time before the invoice was requested, such as the zero of a date type, or a
 * local time that is marked as UTC. Such an invoice has no countdown, and does not expire by time.
 * @param requestedAt - when the invoice was requested, on the clock that its deadline is compared with
 */
export function withoutImpossibleDeadline<T extends { readonly expires_at?: string | undefined }>(
  invoice: T,
  requestedAt: number,
): T {
  const deadline = invoice.expires_at === undefined ? undefined : parseServiceTimestamp(invoice.expires_at);
  return deadline === undefined || deadline > requestedAt ? invoice : { ...invoice, expires_at: undefined };
}

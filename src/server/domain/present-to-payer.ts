import { compareDecimals, formatTimestamp, type Mode } from '../../service-api.ts';
import type { Checkout, CheckoutInvoice, CheckoutStatus, PaymentOption } from '../../checkout-api.ts';
import { isSafeLink } from '../../checkout-api/safe-link.ts';
import type { Attempt, InvoiceAttempt } from '../ports/invoice-attempt.ts';
import type { CheckoutParams, CheckoutRecord } from '../ports/checkout-store.ts';
import { expectedAmountOf, hasInvoice, shownAttempt } from './checkout-status.ts';
import { checkLinks } from './invoice-links.ts';
import { amountRange } from './order-limits.ts';

// Maps a stored checkout to what the payer sees: from the service API to the checkout API.

/** What `presentCheckout` needs besides the record. */
export interface PresentContext {
  /** The current time of the clock that an invoice's deadline is compared with. */
  readonly now: number;
  readonly status: CheckoutStatus;
  readonly mode: Mode;
  readonly options: readonly PaymentOption[];
  readonly stale: boolean;
  readonly pollAfterMs: number;
  /** The address of the merchant's backend: return URLs to its host may be `http:`. */
  readonly endpoint: string;
}

/** The checkout as the payer sees it, without the QR code of its link. */
export function presentCheckout(record: CheckoutRecord, context: PresentContext): Checkout {
  const { now, status, mode, options, stale, pollAfterMs, endpoint } = context;
  const { params } = record;
  const shown = shownAttempt(record);
  return {
    id: record.id,
    status,
    amount: params.amount,
    amount_limits: params.amountLimits === null ? null : amountRange(params),
    currency: params.currency,
    description: params.description,
    reference: params.reference,
    expires_at: params.expiresAt === null ? null : formatTimestamp(params.expiresAt),
    paid_at: record.paidAt === null ? null : formatTimestamp(record.paidAt),
    test: (shown?.request.mode ?? mode) === 'TEST',
    options: [...options],
    invoice: shown === undefined ? null : presentInvoice(record, shown, now),
    return_urls: returnUrls(params, endpoint),
    server_time: formatTimestamp(now),
    poll_after_ms: pollAfterMs,
    stale,
  };
}

function returnUrls({ successUrl, failUrl }: CheckoutParams, endpoint: string): Checkout['return_urls'] {
  const safeOrNull = (url: string | null): string | null => (url !== null && isSafeLink(url, endpoint) ? url : null);
  return { success_url: safeOrNull(successUrl), fail_url: safeOrNull(failUrl) };
}

/** The invoice of an attempt, without the links that may not be shown. Members that are undefined are left out of the JSON. */
function presentInvoice(record: CheckoutRecord, attempt: Attempt, now: number): CheckoutInvoice | null {
  if (!hasInvoice(attempt)) return null;
  const expectedAmount = expectedAmountOf(record, attempt);
  const { invoice, externalId, paymentMethodId, method, serviceStatus, expiresAt, checkedAt } = attempt;
  if (attempt.outcome === 'amount_mismatch' && attempt.resolution === null)
    return presentMismatchedInvoice(attempt, expectedAmount);
  // The order has got another amount since.
  if (compareDecimals(attempt.amount, expectedAmount) !== 0) return null;
  const dropped = new Set(checkLinks(invoice, record.params.currency, attempt).map(({ field }) => field));
  const { id, amount, payment_url, nspk_url, sbp, card, bank_transfer, bank } = invoice;
  const link = dropped.has('nspk_url') ? undefined : nspk_url;
  return {
    id,
    payment_method_id: paymentMethodId,
    external_id: externalId,
    amount,
    payment_url: dropped.has('payment_url') ? undefined : payment_url,
    nspk_url: link,
    sbp,
    card,
    bank_transfer,
    bank,
    method: method ?? undefined,
    service_status: serviceStatus ?? undefined,
    expires_at: expiresAt === null ? undefined : formatTimestamp(expiresAt),
    expires_in_ms: expiresAt === null ? undefined : Math.max(0, Math.ceil(expiresAt - now)),
    checked_at: checkedAt === null ? null : formatTimestamp(checkedAt),
  };
}

/**
 * An invoice that was paid with another amount, while the shop checks the payment. It has no requisites, so that nobody pays
 * again, and no remaining time, so that the element shows "checking".
 */
function presentMismatchedInvoice(attempt: InvoiceAttempt, amount: string): CheckoutInvoice {
  const { invoice, paymentMethodId, externalId, serviceStatus } = attempt;
  return {
    id: invoice.id,
    payment_method_id: paymentMethodId,
    external_id: externalId,
    amount,
    service_status: serviceStatus ?? undefined,
    expires_in_ms: 0,
  };
}

/** The pause before the payer's page reads the checkout again, in milliseconds. */
export function pollAdviceMs(status: CheckoutStatus, stale: boolean, fastMs: number): number {
  if (stale) return Math.max(5000, fastMs);
  if (status === 'pending') return fastMs;
  return status === 'open' ? 10_000 : 15_000;
}

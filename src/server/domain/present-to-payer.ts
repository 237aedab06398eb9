import {
  compareDecimals,
  formatTimestamp,
  isWithin,
  type AmountRange,
  type CreatedInvoice,
  type Mode,
  type PaymentOption as ServiceOption,
} from '../../service-api.ts';
import type { Checkout, CheckoutInvoice, CheckoutStatus, PaymentOption, QrCode } from '../../checkout-api.ts';
import { isSafeLink, sumsOf } from '../../checkout-api/safe-link.ts';
import { expectedAmountOf, hasInvoice, shownAttempt } from './checkout-status.ts';
import type { Attempt, InvoiceAttempt } from '../ports/invoice-attempt.ts';
import { fractionDigitsOf, hasMoreDigits } from '../../base/currency-digits.ts';
import type { CheckoutParams, CheckoutRecord } from '../ports/checkout-store.ts';
import { encodeQr } from '../../base/qr-encoder.ts';

// Maps a stored checkout and the service's payment options to what the payer sees: from the service API to the checkout API.

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

/** Whether each amount in an NSPK link equals the invoice's amount. True for a link without amounts. */
function sumsMatch(link: string, amount: string): boolean {
  return sumsOf(link).every((sum) => sum !== undefined && (sum === amount || compareDecimals(sum, amount) === 0));
}

/** The codes of ISO 4217 by which a link may name roubles. */
const roubles: readonly string[] = ['RUB', '643'];

/**
 * Whether each currency in an NSPK link is the order's currency, or roubles when the order has none. True for a link without a
 * currency.
 */
function currenciesMatch(link: string, currency: string | null): boolean {
  const codes = currency === null || currency === 'RUB' ? roubles : [currency];
  return new URL(link).searchParams.getAll('cur').every((code) => codes.includes(code.toUpperCase()));
}

/** A link of an invoice that must not be shown, with the reason. */
export interface LinkIssue {
  readonly field: 'payment_url' | 'nspk_url';
  readonly reason: 'unsafe' | 'other_amount' | 'other_currency';
}

/**
 * Checks the links of an invoice that `request` asked for. `currency` is that of the order. A trial in a local network has links
 * of its sandbox with `http:`: they are on the host to which the request had its notifications sent.
 */
export function checkLinks(
  { payment_url, nspk_url, amount }: CreatedInvoice,
  currency: string | null,
  { request }: Pick<Attempt, 'request'>,
): readonly LinkIssue[] {
  const issues: LinkIssue[] = [];
  const own = request.url_config?.hook_url;
  if (payment_url !== undefined && !isSafeLink(payment_url, own))
    issues.push({ field: 'payment_url', reason: 'unsafe' });
  if (nspk_url === undefined) return issues;
  if (!isSafeLink(nspk_url, own)) issues.push({ field: 'nspk_url', reason: 'unsafe' });
  else if (!sumsMatch(nspk_url, amount)) issues.push({ field: 'nspk_url', reason: 'other_amount' });
  else if (!currenciesMatch(nspk_url, currency)) issues.push({ field: 'nspk_url', reason: 'other_currency' });
  return issues;
}

/** The payment options for the payer. With an amount, only the options whose limits allow the amount. */
export function optionsFor(options: readonly ServiceOption[], amount: string | undefined): readonly PaymentOption[] {
  const fits = fitsAmount(amount);
  return options.filter(fits).map((option) => presentOption({ ...option, banks: option.banks.filter(fits) }));
}

/**
 * The payment options for an amount that the payer has typed. What the amount excludes stays listed with its limits, and is not
 * available: the payer reads which amounts it takes.
 * @param all The options for all amounts.
 * @param filtered The options that the service returned for the amount.
 */
export function optionsForTypedAmount(
  all: readonly ServiceOption[],
  filtered: readonly ServiceOption[],
  amount: string,
): readonly PaymentOption[] {
  const fits = fitsAmount(amount);
  const added = filtered.filter(({ id }) => all.every((option) => option.id !== id));
  return [...all, ...added].map((listed) => {
    const option = filtered.find(({ id }) => id === listed.id);
    const banks = [...(option?.banks ?? [])];
    for (const bank of listed.banks)
      if (banks.every(({ code }) => code !== bank.code)) banks.push({ ...bank, available: false });
    return presentOption({
      ...(option ?? listed),
      available: option !== undefined && option.available && fits(option),
      banks: banks.map((bank) => ({ ...bank, available: bank.available && fits(bank) })),
    });
  });
}

const fitsAmount =
  (amount: string | undefined) =>
  ({ limits }: Pick<ServiceOption, 'limits'>): boolean =>
    amount === undefined || isWithin(amount, limits);

function presentOption({ id, code, type, name, available, limits, banks }: ServiceOption): PaymentOption {
  const shownBanks = banks.map((bank) => ({
    code: bank.code,
    name: bank.name,
    available: bank.available,
    limits: bank.limits,
  }));
  return { id, code, type, name, available, limits, banks: shownBanks };
}

/** The pause before the payer's page reads the checkout again, in milliseconds. */
export function pollAdviceMs(status: CheckoutStatus, stale: boolean, fastMs: number): number {
  if (stale) return Math.max(5000, fastMs);
  if (status === 'pending') return fastMs;
  return status === 'open' ? 10_000 : 15_000;
}

/** Whether an invoice has a link that may be shown, or requisites to pay to. */
export function isPayable(
  invoice: CreatedInvoice,
  currency: string | null,
  attempt: Pick<Attempt, 'request'>,
): boolean {
  const { payment_url, nspk_url, sbp, card, bank_transfer } = invoice;
  const linkCount = [payment_url, nspk_url].filter((link) => link !== undefined).length;
  const requisites = [sbp?.phone, sbp?.account, card?.card_number, card?.account, bank_transfer?.account];
  return (
    linkCount > checkLinks(invoice, currency, attempt).length ||
    requisites.some((text) => text !== undefined && text.trim() !== '')
  );
}

/** The checkout with the QR code of its invoice's link: it is drawn only where it is sent, because most reads find nothing new. */
export function withQrCode(checkout: Checkout): Checkout {
  const { invoice } = checkout;
  if (invoice?.nspk_url === undefined) return checkout;
  return { ...checkout, invoice: { ...invoice, qr: qrCodeOf(invoice.nspk_url) } };
}

/** How many codes are kept. One takes about 350 bytes, and drawing one takes a millisecond. */
const maxCodes = 5000;

/** The codes by their links, the oldest first. A link that no code can hold has none. */
const codes = new Map<string, QrCode | undefined>();

/** The QR code of an invoice's link, drawn once; undefined where the link is too long for a QR code. */
export function qrCodeOf(link: string): QrCode | undefined {
  const known = codes.get(link);
  if (known || codes.has(link)) return known;
  const code = drawCode(link);
  codes.set(link, code);
  for (const oldest of codes.keys()) {
    if (codes.size <= maxCodes) break;
    codes.delete(oldest);
  }
  return code;
}

function drawCode(link: string): QrCode | undefined {
  try {
    return encodeQr(link);
  } catch {
    return undefined; // The link has more bytes than the largest code holds: the payer gets the link alone.
  }
}

// Which amounts and methods an order allows its payer.

/** Whether a decimal has more digits after the point than the currency; zeros at the end do not count. */
export function hasTooManyDigits(amount: string, currency: string | null): boolean {
  return currency !== null && hasMoreDigits(amount, fractionDigitsOf(currency));
}

/** The amount limits of the order, with the member names of the checkout API. */
export function amountRange({ amountLimits }: Pick<CheckoutParams, 'amountLimits'>): AmountRange {
  return { min_amount: amountLimits?.minAmount, max_amount: amountLimits?.maxAmount };
}

/** Whether the order allows an amount that a payer typed. */
export function isAmountAllowed(amount: string, params: CheckoutParams): boolean {
  return compareDecimals(amount, '0') > 0 && isWithin(amount, amountRange(params));
}

/** The members of a payment method by which an order may name it. */
interface Method {
  readonly id: string;
  readonly type: string;
}

/** The place of a method in the list of ids and types of an order; -1: the order may not be paid with it. */
function placeOf({ id, type }: Method, methods: readonly string[]): number {
  return methods.findIndex((name) => name === id || name.toLowerCase() === type.toLowerCase());
}

/** Whether an order may be paid with a method. */
export function isMethodAllowed(method: Method, methods: readonly string[] | null): boolean {
  return methods === null || placeOf(method, methods) !== -1;
}

/** The methods that an order may be paid with, in the order in which it names them. */
export function withMethods<T extends Method>(options: readonly T[], methods: readonly string[] | null): readonly T[] {
  if (methods === null) return options;
  return options
    .filter((option) => isMethodAllowed(option, methods))
    .toSorted((left, right) => placeOf(left, methods) - placeOf(right, methods));
}

import {
  compareDecimals,
  formatTimestamp,
  isWithin,
  type CreatedInvoice,
  type Mode,
  type PaymentOption as ServiceOption,
} from '../../contract.ts';
import type { Checkout, CheckoutInvoice, CheckoutStatus, PaymentOption } from '../../protocol.ts';
import { isSafeLink, sumsOf } from '../../protocol/safe-link.ts';
import { shownAttempt } from './select-attempt.ts';
import type { Attempt, CheckoutParams, CheckoutRecord } from '../ports/checkout-store.ts';

// Maps a stored checkout and the service's payment options to what the payer sees: from contract to protocol.

/** What `presentCheckout` needs besides the record. */
export interface PresentContext {
  /** The time that an invoice's deadline is compared with. */
  readonly now: number;
  readonly status: CheckoutStatus;
  readonly mode: Mode;
  readonly options: readonly PaymentOption[];
  readonly stale: boolean;
  readonly pollAfterMs: number;
  /** The address of the merchant's backend: return URLs to its host may be `http:`. */
  readonly endpoint: string;
}

/** The checkout as the payer sees it. */
export function presentCheckout(record: CheckoutRecord, context: PresentContext): Checkout {
  const { now, status, mode, options, stale, pollAfterMs, endpoint } = context;
  const { params } = record;
  const shown = shownAttempt(record);
  return {
    id: record.id,
    status,
    amount: params.amount,
    amount_limits: presentLimits(params),
    currency: params.currency,
    description: params.description,
    reference: params.reference,
    expires_at: params.expiresAt === null ? null : formatTimestamp(params.expiresAt),
    paid_at: record.paidAt === null ? null : formatTimestamp(record.paidAt),
    test: (shown?.request.mode ?? mode) === 'TEST',
    options: [...options],
    invoice: shown === undefined ? null : presentInvoice(shown, params.currency, now),
    return_urls: returnUrls(params, endpoint),
    server_time: formatTimestamp(now),
    poll_after_ms: pollAfterMs,
    stale,
  };
}

/** The safe return URLs of each loaded record, so that they are parsed once. */
const checkedUrls = new WeakMap<
  CheckoutParams,
  { readonly endpoint: string; readonly urls: Checkout['return_urls'] }
>();

function returnUrls(params: CheckoutParams, endpoint: string): Checkout['return_urls'] {
  const checked = checkedUrls.get(params);
  if (checked?.endpoint === endpoint) return checked.urls;
  const link = (url: string | null): string | null => (url !== null && isSafeLink(url, endpoint) ? url : null);
  const urls = { success_url: link(params.successUrl), fail_url: link(params.failUrl) };
  checkedUrls.set(params, { endpoint, urls });
  return urls;
}

function presentLimits({ amountLimits }: CheckoutParams): Checkout['amount_limits'] {
  if (amountLimits === null) return null;
  const { minAmount, maxAmount } = amountLimits;
  return {
    ...(minAmount === undefined ? {} : { min_amount: minAmount }),
    ...(maxAmount === undefined ? {} : { max_amount: maxAmount }),
  };
}

/** The invoice of an attempt, without what may not be shown. */
function presentInvoice(attempt: Attempt, currency: string | null, now: number): CheckoutInvoice | null {
  const { invoice, externalId, paymentMethodId, method, serviceStatus, expiresAt } = attempt;
  if (invoice === null) return null;
  if (attempt.outcome === 'amount_mismatch') return presentMismatchedInvoice(invoice.id, attempt);
  const dropped = droppedLinks(invoice, currency);
  const { id, amount, payment_url, nspk_url, sbp, card, bank_transfer, bank } = invoice;
  return {
    id,
    payment_method_id: paymentMethodId,
    external_id: externalId,
    amount,
    ...(payment_url === undefined || dropped.has('payment_url') ? {} : { payment_url }),
    ...(nspk_url === undefined || dropped.has('nspk_url') ? {} : { nspk_url }),
    ...(sbp === undefined ? {} : { sbp }),
    ...(card === undefined ? {} : { card }),
    ...(bank_transfer === undefined ? {} : { bank_transfer }),
    ...(bank === undefined ? {} : { bank }),
    ...(method === null ? {} : { method }),
    ...(serviceStatus === null ? {} : { service_status: serviceStatus }),
    ...(expiresAt === null
      ? {}
      : { expires_at: formatTimestamp(expiresAt), expires_in_ms: Math.max(0, Math.ceil(expiresAt - now)) }),
  };
}

/**
 * An invoice that was paid with another amount, and that the shop is checking. It has no requisites, so that nobody pays
 * again, and no time left, so that the element shows "checking".
 */
function presentMismatchedInvoice(id: string, attempt: Attempt): CheckoutInvoice {
  const { paymentMethodId, externalId, amount, serviceStatus } = attempt;
  return {
    id,
    payment_method_id: paymentMethodId,
    external_id: externalId,
    amount,
    ...(serviceStatus === null ? {} : { service_status: serviceStatus }),
    expires_in_ms: 0,
  };
}

/** Whether every amount in an NSPK link, if it has any, equals the invoice's amount. */
export function sumMatches(link: string, amount: string): boolean {
  return sumsOf(link).every((sum) => sum !== undefined && (sum === amount || compareDecimals(sum, amount) === 0));
}

/** The codes of ISO 4217 by which a link may name roubles. */
const roubles: readonly string[] = ['RUB', '643'];

/** Whether every currency that an NSPK link names, if any, is the order's: roubles, where the order has none. */
function currencyMatches(link: string, currency: string | null): boolean {
  const codes = currency === null || currency === 'RUB' ? roubles : [currency];
  return new URL(link).searchParams.getAll('cur').every((code) => codes.includes(code.toUpperCase()));
}

/** A link of an invoice that must not be shown, with the reason. */
export interface LinkIssue {
  readonly field: 'payment_url' | 'nspk_url';
  readonly reason: 'unsafe' | 'other_amount' | 'other_currency';
}

const checkedLinks = new WeakMap<
  CreatedInvoice,
  { readonly currency: string | null; readonly dropped: ReadonlySet<LinkIssue['field']> }
>();

/** The links of an invoice that are not shown. They are parsed once for each loaded record. */
function droppedLinks(invoice: CreatedInvoice, currency: string | null): ReadonlySet<LinkIssue['field']> {
  const checked = checkedLinks.get(invoice);
  if (checked?.currency === currency) return checked.dropped;
  const dropped = new Set(checkLinks(invoice, currency).map(({ field }) => field));
  checkedLinks.set(invoice, { currency, dropped });
  return dropped;
}

/** What is wrong with the links of an invoice, whose order has this currency. */
export function checkLinks(
  { payment_url, nspk_url, amount }: CreatedInvoice,
  currency: string | null,
): readonly LinkIssue[] {
  const issues: LinkIssue[] = [];
  if (payment_url !== undefined && !isSafeLink(payment_url)) issues.push({ field: 'payment_url', reason: 'unsafe' });
  if (nspk_url === undefined) return issues;
  if (!isSafeLink(nspk_url)) issues.push({ field: 'nspk_url', reason: 'unsafe' });
  else if (!sumMatches(nspk_url, amount)) issues.push({ field: 'nspk_url', reason: 'other_amount' });
  else if (!currencyMatches(nspk_url, currency)) issues.push({ field: 'nspk_url', reason: 'other_currency' });
  return issues;
}

/** The payment options for the payer: with an amount, only those whose limits allow it. */
export function optionsFor(options: readonly ServiceOption[], amount: string | undefined): readonly PaymentOption[] {
  const fitsAmount = ({ limits }: Pick<ServiceOption, 'limits'>): boolean =>
    amount === undefined || isWithin(amount, limits);
  return options.filter(fitsAmount).map(({ id, code, type, name, available, limits, banks }) => ({
    id,
    ...(code === undefined ? {} : { code }),
    type,
    ...(name === undefined ? {} : { name }),
    available,
    limits,
    banks: banks.filter(fitsAmount).map((bank) => ({
      code: bank.code,
      ...(bank.name === undefined ? {} : { name: bank.name }),
      available: bank.available,
      limits: bank.limits,
    })),
  }));
}

/** The pause before the payer's page reads the checkout again, in milliseconds. */
export function pollAdviceMs(status: CheckoutStatus, stale: boolean, fastMs: number): number {
  if (stale) return Math.max(5000, fastMs);
  if (status === 'pending') return fastMs;
  return status === 'open' ? 10_000 : 15_000;
}

/** Whether an invoice can be paid by something that may be shown: a link, or requisites. */
export function isPayable(invoice: CreatedInvoice, currency: string | null): boolean {
  const { payment_url, nspk_url, sbp, card, bank_transfer } = invoice;
  const links = [payment_url, nspk_url].filter((link) => link !== undefined).length;
  const requisites = [sbp?.phone, sbp?.account, card?.card_number, card?.account, bank_transfer?.account];
  return (
    links > checkLinks(invoice, currency).length || requisites.some((text) => text !== undefined && text.trim() !== '')
  );
}

import { compareDecimals, type CreatedInvoice } from '../../service-api.ts';
import { hasRequisites } from '../../checkout-api/requisites.ts';
import { isSafeLink, sumsOf } from '../../checkout-api/safe-link.ts';
import type { Attempt } from '../ports/invoice-attempt.ts';

// Which ways to pay of an invoice a payer may see.

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
  const own = request.mode === 'TEST' ? request.url_config?.hook_url : undefined;
  if (payment_url !== undefined && !isSafeLink(payment_url, own))
    issues.push({ field: 'payment_url', reason: 'unsafe' });
  if (nspk_url === undefined) return issues;
  if (!isSafeLink(nspk_url, own)) issues.push({ field: 'nspk_url', reason: 'unsafe' });
  else if (!sumsMatch(nspk_url, amount)) issues.push({ field: 'nspk_url', reason: 'other_amount' });
  else if (!currenciesMatch(nspk_url, currency)) issues.push({ field: 'nspk_url', reason: 'other_currency' });
  return issues;
}

/** Whether an invoice has a link that may be shown, or requisites to pay to. */
export function isPayable(
  invoice: CreatedInvoice,
  currency: string | null,
  attempt: Pick<Attempt, 'request'>,
): boolean {
  const linkCount = [invoice.payment_url, invoice.nspk_url].filter((link) => link !== undefined).length;
  return linkCount > checkLinks(invoice, currency, attempt).length || hasRequisites(invoice);
}

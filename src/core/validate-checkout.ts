import type { Checkout, CheckoutInvoice } from '../checkout-api.ts';
import { hasRequisites } from '../checkout-api/requisites.ts';
import { isSafeLink, sumsOf } from '../checkout-api/safe-link.ts';
import { tryCompareDecimals } from '../base/decimal.ts';
import { unpackModules } from '../base/qr-modules.ts';
import { CheckoutError, type CheckoutErrorCode } from './checkout-error.ts';

/** A checkout that may be shown, and what was wrong with the response. */
export interface ValidatedCheckout {
  readonly checkout: Checkout;
  /** Why the invoice was removed: it or its NSPK link has another amount, or there is nothing to pay by. */
  readonly hiddenBecause: CheckoutError | undefined;
  /** All errors to report to the merchant, including that one. */
  readonly issues: readonly CheckoutError[];
}

/** Whether every `sum` in an NSPK link equals the invoice's amount. A link may have no `sum`. */
function sumsMatchAmount(link: string | undefined, amount: string): boolean {
  return sumsOf(link ?? '').every((sum) => sum !== undefined && tryCompareDecimals(sum, amount) === 0);
}

/** An error about a field, without the field's value. */
const createIssue = (code: CheckoutErrorCode, field: string): CheckoutError =>
  new CheckoutError(code, field, { field });

const hasWayToPay = (invoice: CheckoutInvoice): boolean =>
  !!(invoice.nspk_url ?? invoice.payment_url) || hasRequisites(invoice);

/** Whether the shop is checking the amount that was paid. It then has nothing to pay by and no time left, but no deadline. */
export const isAmountChecked = (invoice: CheckoutInvoice): boolean =>
  invoice.expires_in_ms === 0 && invoice.expires_at === undefined && !hasWayToPay(invoice);

/** Why an invoice may not be shown: it or its NSPK link has another amount. */
function findMismatch(invoice: CheckoutInvoice, expectedAmount: string): CheckoutError | undefined {
  const field =
    tryCompareDecimals(invoice.amount, expectedAmount) !== 0
      ? 'amount'
      : sumsMatchAmount(invoice.nspk_url, invoice.amount)
        ? undefined
        : 'nspk_url';
  return field && createIssue('amount_mismatch', field);
}

/**
 * Validates a response before it is shown. Removes unsafe links, an invoice for another amount, and one without a way to pay.
 * A checkout that was paid with another amount becomes `pending`,
 * with an invoice that has no requisites and no time left: this is how a checkout looks while the shop checks the amount.
 *
 * @param expectedAmount - the amount to pay as a decimal string; undefined where it is not known
 * @param page - the page's URL. It is the base of the return URLs, and plain `http:` links to its host are allowed.
 */
export function validateCheckout(
  checkout: Checkout,
  expectedAmount: string | undefined,
  page: string | undefined,
): ValidatedCheckout {
  const issues: CheckoutError[] = [];
  const validateLink = (link: string | null | undefined, field: string, base?: string): string | undefined => {
    if (link == null || isSafeLink(link, page, base)) return link ?? undefined;
    issues.push(createIssue('unsafe_link', field));
    return undefined;
  };
  const validateQr = (qr: CheckoutInvoice['qr']): CheckoutInvoice['qr'] => {
    if (!qr || unpackModules(qr)) return qr;
    issues.push(createIssue('malformed', 'invoice.qr'));
    return undefined;
  };
  const { invoice, return_urls: urls } = checkout;
  const mismatch = invoice ? findMismatch(invoice, expectedAmount ?? invoice.amount) : undefined;
  const validInvoice =
    invoice && !mismatch
      ? {
          ...invoice,
          payment_url: validateLink(invoice.payment_url, 'payment_url'),
          nspk_url: validateLink(invoice.nspk_url, 'nspk_url'),
          qr: validateQr(invoice.qr),
        }
      : null;
  const cannotBePaid =
    validInvoice && checkout.status === 'pending' && !hasWayToPay(validInvoice) && !isAmountChecked(validInvoice);
  const hiddenBecause =
    mismatch ??
    (cannotBePaid ? new CheckoutError('method_unavailable', 'nothing to pay by', { field: 'invoice' }) : undefined);
  if (hiddenBecause) issues.push(hiddenBecause);
  const shownInvoice = hiddenBecause ? null : validInvoice;
  const return_urls = {
    success_url: validateLink(urls.success_url, 'success_url', page) ?? null,
    fail_url: validateLink(urls.fail_url, 'fail_url', page) ?? null,
  };
  const validCheckout = { ...checkout, invoice: shownInvoice, return_urls };
  if (!invoice || !expectedAmount || checkout.status !== 'paid' || mismatch?.field !== 'amount')
    return { checkout: validCheckout, hiddenBecause, issues };
  const emptyInvoice = { id: invoice.id, amount: expectedAmount, expires_in_ms: 0 };
  return { checkout: { ...validCheckout, status: 'pending', invoice: emptyInvoice }, hiddenBecause, issues };
}

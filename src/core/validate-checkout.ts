import type { Checkout, CheckoutInvoice } from '../protocol.ts';
import { isSafeLink, sumsOf } from '../protocol/safe-link.ts';
import { orderOf } from '../base/decimal.ts';
import { CheckoutError, type CheckoutErrorCode } from './error.ts';
import { suspectFields } from './requisites.ts';

/** A checkout as it may be shown, and what was wrong with it. */
export interface Vetted {
  readonly checkout: Checkout;
  /** Why the invoice is not shown to be paid: it or its link names another amount. */
  readonly mismatch: CheckoutError | undefined;
  /** Everything that the merchant should hear about, the mismatch too. */
  readonly findings: readonly CheckoutError[];
}

/** Whether each sum that an NSPK link names, if it names any, is the invoice's amount. */
function sumAgrees(link: string | undefined, amount: string): boolean {
  // Stryker disable next-line StringLiteral,ConditionalExpression: A text that is not a link contains no amount, and undefined equals no amount.
  return sumsOf(link ?? '').every((sum) => sum !== undefined && orderOf(sum, amount) === 0);
}

/** Something wrong with a field, whose value is not told. */
const flaw = (code: CheckoutErrorCode, field: string): CheckoutError => new CheckoutError(code, field, { field });

function mismatchOf(invoice: CheckoutInvoice, agreed: string): CheckoutError | undefined {
  const field =
    orderOf(invoice.amount, agreed) !== 0
      ? 'amount'
      : sumAgrees(invoice.nspk_url, invoice.amount)
        ? undefined
        : 'nspk_url';
  return field && flaw('amount_mismatch', field);
}

/**
 * Holds an answer against what was agreed before anyone sees it: an invoice over another amount is taken out, links
 * that may not be followed too; requisites that do not fit their check digits stay and are told.
 * `agreed` is the exact amount that the payer was to pay, where it is known.
 */
export function validateCheckout(checkout: Checkout, agreed: string | undefined, page: string | undefined): Vetted {
  const findings: CheckoutError[] = [];
  const safe = (link: string | null | undefined, field: string, base?: string): string | undefined => {
    if (link == null || isSafeLink(link, page, base)) return link ?? undefined;
    findings.push(flaw('unsafe_link', field));
    return undefined;
  };
  const { invoice, return_urls: urls } = checkout;
  const mismatch = invoice ? mismatchOf(invoice, agreed ?? invoice.amount) : undefined;
  if (mismatch) findings.push(mismatch);
  const shown =
    !invoice || mismatch
      ? null
      : {
          ...invoice,
          payment_url: safe(invoice.payment_url, 'payment_url'),
          nspk_url: safe(invoice.nspk_url, 'nspk_url'),
        };
  for (const field of shown ? suspectFields(shown) : []) findings.push(flaw('requisites_suspect', field));
  const return_urls = {
    success_url: safe(urls.success_url, 'success_url', page) ?? null,
    fail_url: safe(urls.fail_url, 'fail_url', page) ?? null,
  };
  return { checkout: { ...checkout, invoice: shown, return_urls }, mismatch, findings };
}

import { compareDecimals, type CreatedInvoice } from '../../contract.ts';
import { isSafeLink, sumsOf } from '../../protocol/safe-link.ts';

/** Whether every amount in an NSPK link, if it has any, equals the invoice's amount. */
export function sumMatches(link: string, amount: string): boolean {
  return sumsOf(link).every((sum) => sum !== undefined && compareDecimals(sum, amount) === 0);
}

/** A link of an invoice that must not be shown, with the reason. */
export interface LinkIssue {
  readonly field: 'payment_url' | 'nspk_url';
  readonly reason: 'unsafe' | 'other_amount';
}

/** What is wrong with the links of an invoice. */
export function checkLinks({ payment_url, nspk_url, amount }: CreatedInvoice): readonly LinkIssue[] {
  const issues: LinkIssue[] = [];
  if (payment_url !== undefined && !isSafeLink(payment_url)) issues.push({ field: 'payment_url', reason: 'unsafe' });
  if (nspk_url === undefined) return issues;
  if (!isSafeLink(nspk_url)) issues.push({ field: 'nspk_url', reason: 'unsafe' });
  else if (!sumMatches(nspk_url, amount)) issues.push({ field: 'nspk_url', reason: 'other_amount' });
  return issues;
}

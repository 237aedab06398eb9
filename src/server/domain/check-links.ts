import { compareDecimals, type CreatedInvoice } from '../../contract.ts';
import { isSafeLink, sumsOf } from '../../protocol/safe-link.ts';

/** Whether each sum that an NSPK link names, if it names any, is the amount. */
export function sumMatches(link: string, amount: string): boolean {
  return sumsOf(link).every((sum) => sum !== undefined && compareDecimals(sum, amount) === 0);
}

/** Links of an invoice that may not be shown, with the reason. */
export interface LinkIssue {
  readonly field: 'payment_url' | 'nspk_url';
  readonly reason: 'unsafe' | 'other_amount';
}

/** What is wrong with the links of an invoice. */
export function checkLinks({ payment_url, nspk_url, amount }: CreatedInvoice): readonly LinkIssue[] {
  const findings: LinkIssue[] = [];
  if (payment_url !== undefined && !isSafeLink(payment_url)) findings.push({ field: 'payment_url', reason: 'unsafe' });
  if (nspk_url === undefined) return findings;
  if (!isSafeLink(nspk_url)) findings.push({ field: 'nspk_url', reason: 'unsafe' });
  else if (!sumMatches(nspk_url, amount)) findings.push({ field: 'nspk_url', reason: 'other_amount' });
  return findings;
}

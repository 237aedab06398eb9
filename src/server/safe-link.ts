import { compareDecimals, type CreatedInvoice } from '../contract.ts';

const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Whether a link may be shown to a payer: `https:` without user info; `http:` on loopback, and on the merchant's own
 * host where that is given. Spaces, control characters and backslashes, which parsers read differently, are refused.
 */
export function isSafeLink(link: string, ownHost?: string): boolean {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\s\\\u0000-\u001f\u007f]/.test(link) || link.length > 4096 || !URL.canParse(link)) return false;
  const { protocol, username, password, hostname } = new URL(link);
  if (username !== '' || password !== '') return false;
  if (protocol === 'https:') return true;
  return protocol === 'http:' && (loopback.test(hostname) || hostname === ownHost);
}

/** Whether the kopecks that an NSPK link names, if it names any, are the amount. */
export function sumAgrees(link: string, amount: string): boolean {
  if (!URL.canParse(link)) return false;
  const sums = new URL(link).searchParams.getAll('sum');
  return sums.every((sum) => {
    if (!/^\d{1,30}$/.test(sum)) return false;
    const padded = sum.padStart(3, '0');
    return compareDecimals(`${padded.slice(0, -2)}.${padded.slice(-2)}`, amount) === 0;
  });
}

/** Links of an invoice that may not be shown, with the reason. */
export interface LinkFinding {
  readonly field: 'payment_url' | 'nspk_url';
  readonly reason: 'unsafe' | 'other_amount';
}

/** What is wrong with the links of an invoice. */
export function linkFindings({ payment_url, nspk_url, amount }: CreatedInvoice): readonly LinkFinding[] {
  const findings: LinkFinding[] = [];
  if (payment_url !== undefined && !isSafeLink(payment_url)) findings.push({ field: 'payment_url', reason: 'unsafe' });
  if (nspk_url === undefined) return findings;
  if (!isSafeLink(nspk_url)) findings.push({ field: 'nspk_url', reason: 'unsafe' });
  else if (!sumAgrees(nspk_url, amount)) findings.push({ field: 'nspk_url', reason: 'other_amount' });
  return findings;
}

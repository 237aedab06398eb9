// The check of a link before anyone sees it, for the backend and the widget.
import { loopbackHost } from '../base/loopback.ts';

const longest = 4096;

/** An address as parsed, or `undefined` when it is none. */
function parseLink(link: string, base?: string): URL | undefined {
  try {
    return new URL(link, base);
  } catch {
    return undefined; // Not an address is an answer here, not an error.
  }
}

/**
 * Whether a link may be shown and followed: `https:` without user info; `http:` on loopback and on
 * the host of the merchant's own address, `own`. Spaces, control characters and backslashes, which parsers read
 * differently, are refused.
 */
export function isSafeLink(link: string, own?: string, base?: string): boolean {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (link.length > longest || /[\s\\\u0000-\u001f\u007f]/.test(link)) return false;
  const url = parseLink(link, base);
  if (!url || url.username || url.password) return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol !== 'http:') return false;
  return loopbackHost.test(url.hostname) || url.hostname === parseLink(own ?? '')?.hostname;
}

/** The sums that an NSPK link names, as decimal strings of roubles; `undefined` for one that is no number of kopecks. */
export function sumsOf(link: string): readonly (string | undefined)[] {
  const sums = parseLink(link)?.searchParams.getAll('sum') ?? [];
  return sums.map((sum) => {
    const padded = sum.padStart(3, '0');
    return /^\d{1,30}$/.test(sum) ? `${padded.slice(0, -2)}.${padded.slice(-2)}` : undefined;
  });
}

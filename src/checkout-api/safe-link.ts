// The validation of links, for the backend and the widget.
import { loopbackHost } from '../base/loopback-host.ts';
import { maxLinkLength } from '../base/text-limits.ts';

/** The parsed URL; `undefined` when the text is not a URL. */
function parseLink(link: string, base?: string): URL | undefined {
  try {
    return new URL(link, base);
  } catch {
    return undefined; // The caller handles a text that is not a URL.
  }
}

/**
 * Whether a link may be shown and followed. `https:` is safe; `http:` is safe on loopback and on the host of the merchant's own
 * URL. Links with a user name or password are not safe. Links with spaces, control characters or backslashes are not safe
 * either, because parsers disagree about them.
 *
 * @param merchantUrl - the merchant's own URL
 * @param base - the base of a relative link
 */
export function isSafeLink(link: string, merchantUrl?: string, base?: string): boolean {
  // eslint-disable-next-line no-control-regex -- it searches for control characters
  if (link.length > maxLinkLength || /[\s\\\u0000-\u001f\u007f]/.test(link)) return false;
  const url = parseLink(link, base);
  if (!url || url.username || url.password) return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol !== 'http:') return false;
  return loopbackHost.test(url.hostname) || url.hostname === parseLink(merchantUrl ?? '')?.hostname;
}

/**
 * The `sum` parameters (kopecks) of an NSPK link as decimal strings in roubles. A parameter that is no integer is `undefined`.
 */
export function sumsOf(link: string): readonly (string | undefined)[] {
  const sums = parseLink(link)?.searchParams.getAll('sum') ?? [];
  return sums.map((sum) => {
    const padded = sum.padStart(3, '0');
    return /^\d{1,30}$/.test(sum) ? `${padded.slice(0, -2)}.${padded.slice(-2)}` : undefined;
  });
}

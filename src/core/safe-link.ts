const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** An address as parsed, or `undefined` when it is none. */
export function parseLink(link: string, base?: string): URL | undefined {
  try {
    return new URL(link, base);
  } catch {
    return undefined; // Not an address is an answer here, not an error.
  }
}

/**
 * Whether a link may be shown and followed (reliability.md 23): `https:` without user info; `http:` on loopback and on
 * the page's own host. Spaces, control characters and backslashes, which parsers read differently, are refused.
 */
export function isSafeLink(link: string, page?: string, base?: string): boolean {
  const url = parseLink(link, base);
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (!url || url.username || url.password || /[\s\\\u0000-\u001f\u007f]/.test(link)) return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol !== 'http:') return false;
  return loopback.test(url.hostname) || url.hostname === parseLink(page ?? '')?.hostname;
}

import { loopbackHost } from '../../base/loopback.ts';

/** Whether an origin such as `http://localhost:8080` is a page of this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return /^https?:$/.test(protocol) && loopbackHost.test(hostname);
}

/**
 * Whether a request may have been sent by a page of another site. Programs send neither `Origin` nor `Sec-Fetch-Site`.
 * Navigation (a followed link, a typed address) is allowed.
 */
export function isCrossSite({ headers, method }: Request, own: string): boolean {
  const origin = headers.get('origin');
  if (origin !== null) return origin !== own && !isLoopbackOrigin(origin);
  const site = headers.get('sec-fetch-site');
  if (site === null || site === 'same-origin' || site === 'none') return false;
  return !(method === 'GET' && headers.get('sec-fetch-mode') === 'navigate');
}

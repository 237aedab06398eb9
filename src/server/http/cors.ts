import type { RequestHead } from './responses.ts';

/** Decides which origins may use the checkout API from a browser (CORS). */
export interface OriginRules {
  /** The CORS headers for the request's origin. */
  corsHeaders(request: RequestHead): Readonly<Record<string, string>>;
  /**
   * Whether a write request comes from the endpoint's own origin, from a listed origin, or from a client that is no browser.
   */
  isWriteAllowed(request: Request): boolean;
}

/** Whether a request is a CORS preflight: a browser sends it before a request to another origin. */
export function isPreflight({ method, headers }: RequestHead): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method');
}

export function createOriginRules(endpoint: string, allowedOrigins: readonly string[]): OriginRules {
  const endpointOrigin = new URL(endpoint).origin;
  const headersForUnlisted = { vary: 'Origin' };
  const headersForListed = new Map(
    allowedOrigins.map((origin) => [
      origin,
      {
        vary: 'Origin',
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'ETag, Retry-After, Preference-Applied',
      },
    ]),
  );

  return {
    corsHeaders(request) {
      const origin = request.headers.get('origin');
      const headers = origin === null ? undefined : headersForListed.get(origin);
      if (headers === undefined) return headersForUnlisted;
      if (!isPreflight(request)) return headers;
      return {
        ...headers,
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers': 'Content-Type, Idempotency-Key, If-None-Match, Prefer',
        'access-control-max-age': '600',
      };
    },
    isWriteAllowed(request) {
      const origin = request.headers.get('origin');
      if (origin !== null && headersForListed.has(origin)) return true;
      const site = request.headers.get('sec-fetch-site');
      if (site === 'same-origin') return true;
      const isOwnOrigin = origin === endpointOrigin || origin === new URL(request.url).origin;
      if (site === null || site === 'none') return origin === null || isOwnOrigin;
      return site === 'same-site' && isOwnOrigin;
    },
  };
}

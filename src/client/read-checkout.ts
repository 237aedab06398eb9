import type { ReadAnswer, ReadRequest } from '../core.ts';
import type { Checkout } from '../protocol.ts';
import { checkoutUrl } from '../protocol/checkout-urls.ts';
import { decodeCheckout } from '../protocol/decoders/generated-decoders.ts';
import { exchange, parse, readTimeoutMs, responseError, type HttpTransportOptions } from './http-request.ts';

/**
 * Sends `GET {endpoint}/{checkout}` (docs/checkout-api.md). A `<link rel="preload" as="fetch" crossorigin>` for the same URL
 * serves the first read, because both requests have the same mode and credentials.
 */
export async function readCheckout(
  options: HttpTransportOptions,
  request: ReadRequest,
  signal: AbortSignal,
): Promise<ReadAnswer> {
  const { etag, waitSeconds, amount, options: withOptions } = request;
  const query = new URLSearchParams();
  if (amount !== undefined) query.set('amount', amount);
  if (withOptions === true) query.set('options', '1');
  const headers = new Headers({ Accept: 'application/json, application/problem+json' });
  if (etag !== undefined) headers.set('If-None-Match', etag);
  if (waitSeconds !== undefined) headers.set('Prefer', `wait=${waitSeconds}`);
  const search = query.toString();
  const url = checkoutUrl(options.endpoint, options.checkout) + (search && `?${search}`);
  const timeoutMs = readTimeoutMs + (waitSeconds ?? 0) * 1000;
  return exchange(options, url, { headers }, timeoutMs, signal, (response, text) => {
    if (response.status === 304) return { kind: 'unchanged' };
    if (response.status !== 200) throw responseError(response, text);
    return {
      kind: 'checkout',
      checkout: parse(text, decodeCheckout),
      etag: response.headers.get('ETag') ?? undefined,
    };
  });
}

/** Decodes a checkout that came with the page, as parsed JSON or as its text. Throws a `CheckoutError` (`malformed`). */
export function decodeInitialCheckout(value: unknown): Checkout {
  return parse(value, decodeCheckout);
}

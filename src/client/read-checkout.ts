import type { ReadAnswer, ReadRequest } from '../core.ts';
import type { Checkout } from '../protocol.ts';
import { checkoutUrl } from '../protocol/checkout-urls.ts';
import { decodeCheckout } from '../protocol/decoders/generated-decoders.ts';
import { sendRequest, decodeJson, readTimeoutMs, errorOfResponse, type HttpTransportOptions } from './http-request.ts';

/**
 * Sends `GET {endpoint}/{checkout}` (docs/checkout-api.md). The response to a `<link rel="preload" as="fetch" crossorigin>`
 * with the same URL is used for the first read, because both requests have the same mode and credentials.
 */
export async function readCheckout(
  transportOptions: HttpTransportOptions,
  request: ReadRequest,
  signal: AbortSignal,
): Promise<ReadAnswer> {
  const { etag, waitSeconds, amount, options } = request;
  const query = new URLSearchParams();
  if (amount !== undefined) query.set('amount', amount);
  if (options === true) query.set('options', '1');
  const headers = new Headers({ Accept: 'application/json, application/problem+json' });
  if (etag !== undefined) headers.set('If-None-Match', etag);
  if (waitSeconds !== undefined) headers.set('Prefer', `wait=${waitSeconds}`);
  const search = query.toString();
  const url = checkoutUrl(transportOptions.endpoint, transportOptions.checkout) + (search && `?${search}`);
  const timeoutMs = readTimeoutMs + (waitSeconds ?? 0) * 1000;
  return sendRequest(transportOptions, url, { headers }, timeoutMs, signal, (response, text) => {
    if (response.status === 304) return { kind: 'unchanged' };
    if (response.status !== 200) throw errorOfResponse(response, text);
    return {
      kind: 'checkout',
      checkout: decodeJson(text, decodeCheckout),
      etag: response.headers.get('ETag') ?? undefined,
    };
  });
}

/** Decodes a checkout that came with the page, as parsed JSON or as its text. Throws a `CheckoutError` (`malformed`). */
export function decodeInitialCheckout(value: unknown): Checkout {
  return decodeJson(value, decodeCheckout);
}

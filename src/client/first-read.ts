import type { Clock, FirstResponse, ReadAnswer } from '../core.ts';
import type { Checkout } from '../protocol.ts';
import { checkoutUrl } from '../protocol/checkout-urls.ts';
import { decodeCheckout } from '../protocol/decoders/generated-checkout-decoder.ts';
import { decodeJson, readTimeoutMs, sendRequest, type HttpTransportOptions } from './http-request.ts';

// The first read of a checkout begins before there is a session. It decodes checkouts only, so that the widget's first file
// stays small; the session's code reads every other response (read-checkout.ts).

/** A response that has no checkout. */
interface OtherResponse {
  readonly kind: 'other';
  readonly response: Response;
  /** The body. */
  readonly text: string;
}

export type FirstAnswer = ReadAnswer | OtherResponse;

export const acceptedTypes = { Accept: 'application/json, application/problem+json' } as const;

/** The checkout of a response with the status 200, or a response with another status. Throws `malformed`. */
export function checkoutOrResponse(response: Response, text: string): Exclude<FirstAnswer, { kind: 'unchanged' }> {
  if (response.status !== 200) return { kind: 'other', response, text };
  const etag = response.headers.get('ETag') ?? undefined;
  return { kind: 'checkout', checkout: decodeJson(text, decodeCheckout), etag };
}

/**
 * Sends `GET {endpoint}/{checkout}` (docs/checkout-api.md). The response to a `<link rel="preload" as="fetch" crossorigin>`
 * with the same URL is used, because both requests have the same mode and credentials.
 */
export function requestCheckout(options: HttpTransportOptions, signal: AbortSignal): Promise<FirstAnswer> {
  const url = checkoutUrl(options.endpoint, options.checkout);
  return sendRequest(options, url, { headers: acceptedTypes }, readTimeoutMs, signal, checkoutOrResponse);
}

/** A read of the checkout that begins before there is a session. */
export interface FirstRead {
  readonly answer: Promise<FirstAnswer>;
  /** The response with a checkout; undefined until it has come. */
  readonly response: () => FirstResponse | undefined;
  readonly abort: () => void;
}

/** Sends a read now. If it fails and nothing uses it, there is no unhandled rejection. */
export function beginFirstRead(read: (signal: AbortSignal) => Promise<FirstAnswer>, clock: Clock): FirstRead {
  const controller = new AbortController();
  let response: FirstResponse | undefined;
  const sendRead = async (): Promise<FirstAnswer> => {
    const result = await read(controller.signal);
    if (result.kind === 'checkout')
      response = { checkout: result.checkout, etag: result.etag, receivedAt: clock.now() };
    return result;
  };
  const answer = sendRead();
  answer.catch(() => undefined);
  return { answer, response: () => response, abort: () => controller.abort() };
}

/** Decodes a checkout that came with the page, as parsed JSON or as its text. Throws a `CheckoutError` (`malformed`). */
export function decodeInitialCheckout(value: unknown): Checkout {
  return decodeJson(value, decodeCheckout);
}

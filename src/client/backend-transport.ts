import type { CheckoutTransport, CreateRequest } from '../core.ts';
import type { Checkout } from '../protocol.ts';
import { invoiceUrl } from '../protocol/checkout-urls.ts';
import { decodeCheckout } from '../protocol/decoders/generated-checkout-decoder.ts';
import { acceptedTypes } from './first-read.ts';
import { errorOfResponse, readRetryAfterMs } from './http-problem.ts';
import { decodeJson, sendRequest, type HttpTransportOptions } from './http-request.ts';
import { readCheckout } from './read-checkout.ts';

export type { HttpTransportOptions };

/** The timeout of a create request, in ms. */
const createTimeoutMs = 30_000;

/** The checkout in the body of a 202 response; undefined where the body is not a valid checkout. */
function decodePendingCheckout(text: string): Checkout | undefined {
  try {
    return decodeJson(text, decodeCheckout);
  } catch {
    return undefined; // The create request is repeated anyway.
  }
}

/** A transport to a backend that serves the checkout API over HTTP (docs/checkout-api.md). */
export function httpTransport(options: HttpTransportOptions): CheckoutTransport {
  const { endpoint, checkout } = options;
  return {
    read: (request, signal) => readCheckout(options, request, signal),

    createInvoice({ key, ...body }: CreateRequest, signal) {
      const init = {
        method: 'POST',
        headers: { ...acceptedTypes, 'Content-Type': 'application/json', 'Idempotency-Key': key },
        body: JSON.stringify(body),
      };
      return sendRequest(options, invoiceUrl(endpoint, checkout), init, createTimeoutMs, signal, (response, text) => {
        if (response.status === 200 || response.status === 201)
          return { kind: 'created', checkout: decodeJson(text, decodeCheckout) };
        // A status of 400 to 407 or 410 to 419 without a problem document comes from a firewall or proxy: no invoice exists.
        if (response.status !== 202)
          throw errorOfResponse(
            response,
            text,
            /^4(0[0-7]|1)/.test(`${response.status}`) ? 'invalid_request' : undefined,
          );
        return {
          kind: 'unknown',
          checkout: decodePendingCheckout(text),
          retryAfterMs: readRetryAfterMs(response.headers),
        };
      });
    },
  };
}

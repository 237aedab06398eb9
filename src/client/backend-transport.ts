import type { CheckoutTransport, CreateRequest } from '../core.ts';
import type { Checkout } from '../protocol.ts';
import { invoiceUrl } from '../protocol/checkout-urls.ts';
import { decodeCheckout } from '../protocol/decoders/generated-decoders.ts';
import {
  createTimeoutMs,
  exchange,
  parse,
  responseError,
  retryAfterMs,
  type HttpTransportOptions,
} from './http-request.ts';
import { readCheckout } from './read-checkout.ts';

export type { HttpTransportOptions };

/** The checkout in the body of a 202 response, if there is a valid one. */
function checkoutIn(text: string): Checkout | undefined {
  try {
    return parse(text, decodeCheckout);
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
        headers: {
          Accept: 'application/json, application/problem+json',
          'Content-Type': 'application/json',
          'Idempotency-Key': key,
        },
        body: JSON.stringify(body),
      };
      return exchange(options, invoiceUrl(endpoint, checkout), init, createTimeoutMs, signal, (response, text) => {
        if (response.status === 200 || response.status === 201)
          return { kind: 'created', checkout: parse(text, decodeCheckout) };
        // Such a status without a problem document comes from a firewall or proxy: no invoice was created.
        if (response.status !== 202)
          throw responseError(
            response,
            text,
            /^4(0[0-7]|1)/.test(`${response.status}`) ? 'invalid_request' : undefined,
          );
        return { kind: 'unknown', checkout: checkoutIn(text), retryAfterMs: retryAfterMs(response.headers) };
      });
    },
  };
}

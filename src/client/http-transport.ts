import { CheckoutError, type CheckoutErrorCode, type CheckoutTransport, type DecodedCheckout } from '../core.ts';
import { checkoutUrl, invoiceUrl } from '../checkout-api/checkout-urls.ts';
import { decodeCheckout } from '../checkout-api/decoders/generated-checkout-decoder.ts';
import { decodeProblem } from '../checkout-api/decoders/generated-problem-decoder.ts';
import { decodeJson, sendRequest, type HttpTransportOptions } from './http-request.ts';

export type { HttpTransportOptions };

// Timeouts in ms. A long poll has that of a read in addition to its wait.
const readTimeoutMs = 10_000;
const createTimeoutMs = 30_000;
/** How long the backend may take to ask the service, in ms. */
const checkMs = 10_000;

const acceptedTypes = { Accept: 'application/json, application/problem+json' } as const;

/**
 * The checkout in a JSON text or in parsed JSON, without the members that are not valid and that the rest can do without:
 * their paths are in `dropped`. Throws a `CheckoutError` (`malformed`).
 */
export function decodeCheckoutJson(json: unknown): DecodedCheckout {
  const dropped: string[] = [];
  const checkout = decodeJson(json, (value, path) => decodeCheckout(value, path, (member) => dropped.push(member)));
  return dropped[0] === undefined ? { checkout } : { checkout, dropped };
}

/**
 * The delay in a `Retry-After` header in ms; the header has seconds or a date (RFC 9110, section 10.2.3). A date is compared
 * with the response's `Date`, never with the device's clock. Without a `Date` header, a date is ignored.
 */
function readRetryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('Retry-After');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.parse(headers.get('Date') ?? '');
  return ms >= 0 ? ms : undefined;
}

/** The error in a response's problem document. Where the body is no problem document, an error with the code `fallbackCode`. */
function errorOfResponse({ status, headers }: Response, text: string, fallbackCode: CheckoutErrorCode): CheckoutError {
  const retryAfterMs = readRetryAfterMs(headers);
  try {
    const { code, title, detail, min_amount, max_amount } = decodeJson(text, decodeProblem);
    return new CheckoutError(code, detail ?? title, {
      retryAfterMs,
      ...((min_amount ?? max_amount) === undefined ? {} : { limits: { min_amount, max_amount } }),
    });
  } catch (cause) {
    return new CheckoutError(fallbackCode, `HTTP ${status}`, { retryAfterMs, cause });
  }
}

/** A transport to a backend that serves the checkout API over HTTP (docs/checkout-api.md). */
export function httpTransport(options: HttpTransportOptions): CheckoutTransport {
  const { endpoint, checkout } = options;
  return {
    // The response to a `<link rel="preload" as="fetch" crossorigin>` with the same URL is used for the first read, because
    // both requests have the same mode and credentials.
    async read({ etag, waitSeconds = 0, amount, options: withOptions, check }, signal) {
      const query = new URLSearchParams();
      if (amount !== undefined) query.set('amount', amount);
      if (withOptions) query.set('options', '1');
      if (check) query.set('check', '1');
      const headers = {
        ...acceptedTypes,
        ...(etag !== undefined && { 'If-None-Match': etag }),
        ...(waitSeconds && { Prefer: `wait=${waitSeconds}` }),
      };
      const url = [checkoutUrl(endpoint, checkout), query.toString()].filter(Boolean).join('?');
      const timeoutMs = readTimeoutMs + (check ? checkMs : waitSeconds * 1000);
      return sendRequest(options, url, { headers }, timeoutMs, signal, (response, text) => {
        if (response.status === 304) return { kind: 'unchanged' };
        const { status } = response;
        if (status !== 200)
          throw errorOfResponse(
            response,
            text,
            status === 429 ? 'rate_limited' : status >= 500 ? 'internal' : 'malformed',
          );
        return { kind: 'checkout', ...decodeCheckoutJson(text), etag: response.headers.get('ETag') ?? undefined };
      });
    },

    createInvoice({ key, ...body }, signal) {
      const init = {
        method: 'POST',
        headers: { ...acceptedTypes, 'Content-Type': 'application/json', 'Idempotency-Key': key },
        body: JSON.stringify(body),
      };
      return sendRequest(options, invoiceUrl(endpoint, checkout), init, createTimeoutMs, signal, (response, text) => {
        const { status, headers } = response;
        if (status === 200 || status === 201) return { kind: 'created', ...decodeCheckoutJson(text) };
        // A status of 400 to 407 or 410 to 419 without a problem document comes from a firewall or proxy: no invoice exists.
        if (status !== 202)
          throw errorOfResponse(response, text, /^4(0[0-7]|1)/.test(`${status}`) ? 'invalid_request' : 'malformed');
        const unknown = { kind: 'unknown', retryAfterMs: readRetryAfterMs(headers) } as const;
        try {
          return { ...unknown, ...decodeCheckoutJson(text) };
        } catch {
          return { ...unknown, checkout: undefined }; // The create request is repeated anyway.
        }
      });
    },
  };
}

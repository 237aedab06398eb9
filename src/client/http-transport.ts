import { pageWaitMs } from '../base/create-time-limits.ts';
import {
  CheckoutError,
  type CheckoutErrorCode,
  type CheckoutTransport,
  type Clock,
  type DecodedCheckout,
  type SessionPorts,
} from '../core.ts';
import { maxCheckoutBytes } from '../base/text-limits.ts';
import { checkoutUrl, invoiceUrl } from '../checkout-api/checkout-urls.ts';
import { decodeCheckout, decodeProblem } from '../checkout-api/decoders/generated-decoders.ts';
import { browserClock, browserPageLifecycle, newKey, pageAddress } from './browser-ports.ts';

export interface BackendOptions {
  /** Where the merchant's backend serves the checkout API: a path, or an address of another origin. */
  readonly endpoint: string;
  /** The capability that the merchant's server created for the order. */
  readonly checkout: string;
  /** By default the browser's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** By default the browser's clock. */
  readonly clock?: Clock | undefined;
}

/** Reads the body as text. Rejects with `malformed` once it is longer than `maxCheckoutBytes`. */
async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > maxCheckoutBytes) {
      void reader.cancel();
      throw new CheckoutError('malformed', 'too long');
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Decodes JSON: a text, or the parsed value. Throws `malformed` where it is not JSON or does not match the schema. */
function decodeJson<T>(json: unknown, decoder: (value: unknown, path: string) => T): T {
  try {
    return decoder(typeof json === 'string' ? JSON.parse(json) : json, '');
  } catch (cause) {
    throw new CheckoutError('malformed', 'not valid', { cause });
  }
}

/**
 * Sends a request, reads the body, and resolves with the result of `handleResponse`. Rejects with a `CheckoutError`, whose
 * code is `timeout` after `timeoutMs`, or with the signal's reason.
 */
async function sendRequest<T>(
  { clock = browserClock, fetch = globalThis.fetch.bind(globalThis) }: BackendOptions,
  url: string,
  init: Pick<RequestInit, 'method' | 'body' | 'headers'>,
  timeoutMs: number,
  signal: AbortSignal,
  handleResponse: (response: Response, text: string) => T,
): Promise<T> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const abortRequest = (): void => controller.abort(signal.reason);
  signal.addEventListener('abort', abortRequest);
  const cancelTimeout = clock.schedule(timeoutMs, () => controller.abort(new CheckoutError('timeout', 'no answer')));
  try {
    const response = await fetch(url, {
      // Redirects could send the capability and the key to another address.
      redirect: 'error',
      credentials: 'same-origin',
      cache: 'no-store',
      signal: controller.signal,
      ...init,
    });
    return handleResponse(response, await readText(response));
  } catch (thrown) {
    signal.throwIfAborted();
    throw CheckoutError.from(controller.signal.aborted ? controller.signal.reason : thrown);
  } finally {
    cancelTimeout();
    signal.removeEventListener('abort', abortRequest);
  }
}

// Timeouts in ms. A long poll has that of a read in addition to its wait.
const readTimeoutMs = 10_000;
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
export function httpTransport(options: BackendOptions): CheckoutTransport {
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
      return sendRequest(options, invoiceUrl(endpoint, checkout), init, pageWaitMs, signal, (response, text) => {
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

/** The ports of a session in a browser. */
export function browserPorts(options: BackendOptions): SessionPorts {
  return {
    transport: httpTransport(options),
    clock: browserClock,
    pageLifecycle: browserPageLifecycle,
    newKey,
    random: Math.random,
    page: pageAddress(),
  };
}

import { CheckoutError, type CheckoutTransport, type Clock, type CreateRequest, type ReadRequest } from '../core.ts';
import { decodeCheckout } from '../protocol/decoders/generated-decoders.ts';
import { checkoutUrl, invoiceUrl } from '../protocol/checkout-urls.ts';
import { browserClock } from './browser.ts';
import { checkoutIn, errorOf, parse, responseText, retryAfterMs } from './http-response.ts';

export interface HttpTransportOptions {
  /** Where the merchant's backend serves the checkout API: a path, or an address of another origin. */
  readonly endpoint: string;
  /** The capability that the merchant's server created for the order. */
  readonly checkout: string;
  readonly fetch?: typeof fetch | undefined;
  readonly clock?: Clock | undefined;
}

const readTimeoutMs = 10_000;
const createTimeoutMs = 30_000;

/** A transport to a backend that serves the checkout API over HTTP (docs/checkout-api.md). */
export function httpTransport(options: HttpTransportOptions): CheckoutTransport {
  const { endpoint, checkout, clock = browserClock, fetch = globalThis.fetch.bind(globalThis) } = options;

  /** Sends a request and reads the body, within `timeoutMs`. Removes its timer and listener at the end. */
  async function exchange<T>(
    url: string,
    init: RequestInit,
    timeoutMs: number,
    signal: AbortSignal,
    use: (response: Response, text: string) => T,
  ): Promise<T> {
    signal.throwIfAborted();
    const controller = new AbortController();
    const abort = (): void => controller.abort(signal.reason);
    signal.addEventListener('abort', abort);
    const cancel = clock.schedule(timeoutMs, () => controller.abort(new CheckoutError('timeout', 'no answer in time')));
    try {
      const response = await fetch(url, {
        // Redirects could send the capability and the key to another address.
        redirect: 'error',
        credentials: 'same-origin',
        cache: 'no-store',
        signal: controller.signal,
        ...init,
      });
      return use(response, await responseText(response));
    } catch (thrown) {
      signal.throwIfAborted();
      throw CheckoutError.from(controller.signal.aborted ? controller.signal.reason : thrown);
    } finally {
      cancel();
      signal.removeEventListener('abort', abort);
    }
  }

  return {
    read({ etag, waitSeconds, amount, options: withOptions }: ReadRequest, signal) {
      const query = new URLSearchParams();
      if (amount !== undefined) query.set('amount', amount);
      if (withOptions === true) query.set('options', '1');
      const headers = new Headers({ Accept: 'application/json, application/problem+json' });
      if (etag !== undefined) headers.set('If-None-Match', etag);
      if (waitSeconds !== undefined) headers.set('Prefer', `wait=${waitSeconds}`);
      const search = query.toString();
      const url = checkoutUrl(endpoint, checkout) + (search && `?${search}`);
      const timeoutMs = readTimeoutMs + (waitSeconds ?? 0) * 1000;
      return exchange(url, { headers }, timeoutMs, signal, (response, text) => {
        if (response.status === 304) return { kind: 'unchanged' };
        if (response.status !== 200) throw errorOf(response, text);
        return {
          kind: 'checkout',
          checkout: parse(text, decodeCheckout),
          etag: response.headers.get('ETag') ?? undefined,
        };
      });
    },

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
      return exchange(invoiceUrl(endpoint, checkout), init, createTimeoutMs, signal, (response, text) => {
        if (response.status === 200 || response.status === 201)
          return { kind: 'created', checkout: parse(text, decodeCheckout) };
        if (response.status !== 202) throw errorOf(response, text);
        return { kind: 'unknown', checkout: checkoutIn(text), retryAfterMs: retryAfterMs(response.headers) };
      });
    },
  };
}

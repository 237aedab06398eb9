import { CheckoutError, type Clock } from '../core.ts';
import { browserClock } from './browser-clock.ts';

export interface HttpTransportOptions {
  /** Where the merchant's backend serves the checkout API: a path, or an address of another origin. */
  readonly endpoint: string;
  /** The capability that the merchant's server created for the order. */
  readonly checkout: string;
  /** By default the browser's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Headers of the page's own, sent with each request. Those of the checkout API replace them. */
  readonly headers?: HeadersInit | undefined;
  /** Which cookies are sent: by default those of an endpoint on the page's own origin. */
  readonly credentials?: RequestCredentials | undefined;
  /** By default the browser's clock. */
  readonly clock?: Clock | undefined;
}

/** The longest body that is read, in bytes. Checkouts are far shorter. */
const maxBodyBytes = 512 * 1024;

/** Reads the body as text. Rejects with `malformed` once it is longer than `maxBodyBytes`. */
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
    if (size > maxBodyBytes) {
      void reader.cancel();
      throw new CheckoutError('malformed', 'the answer is too long');
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Decodes JSON: a text, or the parsed value. Throws `malformed` where it is not JSON or does not match the schema. */
export function decodeJson<T>(json: unknown, decoder: (value: unknown, path: string) => T): T {
  try {
    return decoder(typeof json === 'string' ? JSON.parse(json) : json, '');
  } catch (cause) {
    throw new CheckoutError('malformed', 'the JSON is not valid', { cause });
  }
}

function mergeHeaders(pageHeaders: HeadersInit | undefined, ownHeaders: Readonly<Record<string, string>>): Headers {
  const headers = new Headers(pageHeaders);
  for (const [name, value] of Object.entries(ownHeaders)) headers.set(name, value);
  return headers;
}

/**
 * Sends a request, reads the body, and resolves with the result of `handleResponse`. Rejects with a `CheckoutError`, whose
 * code is `timeout` after `timeoutMs`, or with the signal's reason.
 */
export async function sendRequest<T>(
  {
    clock = browserClock,
    fetch = globalThis.fetch.bind(globalThis),
    headers,
    credentials = 'same-origin',
  }: HttpTransportOptions,
  url: string,
  init: Pick<RequestInit, 'method' | 'body'> & { readonly headers: Readonly<Record<string, string>> },
  timeoutMs: number,
  signal: AbortSignal,
  handleResponse: (response: Response, text: string) => T,
): Promise<T> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const abortRequest = (): void => controller.abort(signal.reason);
  signal.addEventListener('abort', abortRequest);
  const cancelTimeout = clock.schedule(timeoutMs, () =>
    controller.abort(new CheckoutError('timeout', 'no answer in time')),
  );
  try {
    const response = await fetch(url, {
      // Redirects could send the capability and the key to another address.
      redirect: 'error',
      credentials,
      cache: 'no-store',
      signal: controller.signal,
      ...init,
      headers: mergeHeaders(headers, init.headers),
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

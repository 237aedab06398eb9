import { CheckoutError, type Clock } from '../core.ts';
import { decodeProblem } from '../protocol/decoders/generated-decoders.ts';

export interface HttpTransportOptions {
  /** Where the merchant's backend serves the checkout API: a path, or an address of another origin. */
  readonly endpoint: string;
  /** The capability that the merchant's server created for the order. */
  readonly checkout: string;
  /** By default the browser's. */
  readonly fetch?: typeof fetch | undefined;
  readonly clock: Clock;
}

/** The timeout of a read in ms, in addition to the wait of a long poll. */
export const readTimeoutMs = 10_000;
/** The timeout of a create request, in ms. */
export const createTimeoutMs = 30_000;

/** The longest body that is read, in bytes. Checkouts are far shorter. */
const largestBody = 512 * 1024;

/** The text of a response. Rejects with `malformed` once it is longer than `largestBody`. */
async function responseText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > largestBody) {
      void reader.cancel();
      throw new CheckoutError('malformed', 'the answer is too long');
    }
    text += decoder.decode(value, { stream: true });
  }
}

/**
 * The delay of a `Retry-After` header in ms, in both of its forms (RFC 9110, section 10.2.3). A date is compared with the
 * response's `Date`, never with the device's clock; without a `Date` it is ignored.
 */
export function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('Retry-After');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.parse(headers.get('Date') ?? '');
  return ms >= 0 ? ms : undefined;
}

/** Decodes parsed JSON, or its text. Throws `malformed` where the text is not JSON or the value does not match the schema. */
export function parse<T>(json: unknown, decoder: (value: unknown, path: string) => T): T {
  try {
    return decoder(typeof json === 'string' ? JSON.parse(json) : json, '');
  } catch (cause) {
    throw new CheckoutError('malformed', 'the JSON is not valid', { cause });
  }
}

/** The error of a response: that of its problem document, or with the code `unreadable` where the body is not one. */
export function responseError(
  response: Response,
  text: string,
  unreadable: 'malformed' | 'invalid_request' = 'malformed',
): CheckoutError {
  const delayMs = retryAfterMs(response.headers);
  try {
    const { code, title, detail, min_amount, max_amount } = parse(text, decodeProblem);
    return new CheckoutError(code, detail ?? title, {
      retryAfterMs: delayMs,
      ...((min_amount ?? max_amount) === undefined ? {} : { limits: { min_amount, max_amount } }),
    });
  } catch (cause) {
    return new CheckoutError(unreadable, `HTTP ${response.status}`, { retryAfterMs: delayMs, cause });
  }
}

/**
 * Sends a request, reads the body, and resolves with what `use` returns for them. Rejects with a `CheckoutError`, whose code
 * is `timeout` after `timeoutMs`, or with the signal's reason.
 */
export async function exchange<T>(
  { clock, fetch = globalThis.fetch.bind(globalThis) }: Pick<HttpTransportOptions, 'clock' | 'fetch'>,
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

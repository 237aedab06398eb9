import { CheckoutError } from '../core.ts';
import type { Checkout } from '../protocol.ts';
import { decodeCheckout, decodeProblem } from '../protocol/decoders/generated-decoders.ts';

/** The longest body that is read, in bytes. Checkouts are far shorter. */
const largestBody = 512 * 1024;

/** The text of a response. Throws `malformed` once it is longer than `largestBody`. */
export async function responseText(response: Response): Promise<string> {
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

/** Decodes a JSON text. Throws `malformed` where the text is not JSON or does not match the schema. */
export function parse<T>(text: string, decoder: (value: unknown, path: string) => T): T {
  try {
    return decoder(JSON.parse(text), '');
  } catch (cause) {
    throw new CheckoutError('malformed', 'the answer does not read', { cause });
  }
}

/** The error of a response: that of its problem body, or `malformed` where the body is not a known problem. */
export function errorOf(response: Response, text: string): CheckoutError {
  const floor = retryAfterMs(response.headers);
  try {
    const { code, title, detail, min_amount, max_amount } = parse(text, decodeProblem);
    return new CheckoutError(code, detail ?? title, {
      retryAfterMs: floor,
      ...((min_amount ?? max_amount) === undefined ? {} : { limits: { min_amount, max_amount } }),
    });
  } catch (cause) {
    return new CheckoutError('malformed', `HTTP ${response.status}`, { retryAfterMs: floor, cause });
  }
}

/** The checkout in the body of a 202 response, if there is a valid one. */
export function checkoutIn(text: string): Checkout | undefined {
  try {
    return parse(text, decodeCheckout);
  } catch {
    return undefined; // The create request is repeated, and its next response counts.
  }
}

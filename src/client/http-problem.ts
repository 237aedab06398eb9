import { CheckoutError } from '../core.ts';
import { decodeProblem } from '../protocol/decoders/generated-problem-decoder.ts';
import { decodeJson } from './http-request.ts';

/**
 * The delay in a `Retry-After` header in ms; the header has seconds or a date (RFC 9110, section 10.2.3). A date is compared
 * with the response's `Date`, never with the device's clock. Without a `Date` header, a date is ignored.
 */
export function readRetryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('Retry-After');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.parse(headers.get('Date') ?? '');
  return ms >= 0 ? ms : undefined;
}

/** The error in a response's problem document. Where the body is no problem document, an error with the code `fallbackCode`. */
export function errorOfResponse(
  response: Response,
  text: string,
  fallbackCode: 'malformed' | 'invalid_request' = 'malformed',
): CheckoutError {
  const delayMs = readRetryAfterMs(response.headers);
  try {
    const { code, title, detail, min_amount, max_amount } = decodeJson(text, decodeProblem);
    return new CheckoutError(code, detail ?? title, {
      retryAfterMs: delayMs,
      ...((min_amount ?? max_amount) === undefined ? {} : { limits: { min_amount, max_amount } }),
    });
  } catch (cause) {
    return new CheckoutError(fallbackCode, `HTTP ${response.status}`, { retryAfterMs: delayMs, cause });
  }
}

import { CheckoutError } from '../core.ts';
import type { Checkout } from '../protocol.ts';
import { decodeCheckout } from '../protocol/decoders/checkout-decoder.ts';

/** A checkout that came with the page, as parsed JSON or as its text. Throws a `CheckoutError` (`malformed`). */
export function decodeInitialCheckout(value: unknown): Checkout {
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    return decodeCheckout(parsed, '');
  } catch (cause) {
    throw new CheckoutError('malformed', 'the initial checkout does not read', { cause });
  }
}

import type { AmountLimits, ProblemCode } from '../checkout-api.ts';

/**
 * The codes of errors: the problem codes of the checkout API, and the widget's own codes.
 * `network`: no response. `timeout`: no response in time. `malformed`: the response is not valid.
 * `amount_mismatch`: the invoice or its link has another amount, so the invoice is not shown.
 * `requisites_suspect`: a check digit (card number, account) or the form (phone, BIK) is wrong; the requisites are still shown. A
 * session does not check them: `findSuspectFields` does.
 * `unsafe_link`: a link is not safe to follow, so it is not shown. `qr_failed`: the QR code could not be drawn.
 * `second_copy`: the page loads the widget twice, perhaps in two versions; the tag is that of the first.
 */
export type CheckoutErrorCode =
  | ProblemCode
  | 'network'
  | 'timeout'
  | 'malformed'
  | 'amount_mismatch'
  | 'requisites_suspect'
  | 'unsafe_link'
  | 'qr_failed'
  | 'second_copy';

/** Details of an error besides its code. */
export interface CheckoutErrorFacts {
  /** The shortest delay before the next attempt, from the server's `Retry-After`, in ms. */
  readonly retryAfterMs?: number | undefined;
  /** The limits of the amount, where the error is about them. */
  readonly limits?: AmountLimits | undefined;
  /** The name of the field that the error is about, such as `card_number`; never its value. */
  readonly field?: string | undefined;
  readonly cause?: unknown;
}

const retryable: ReadonlySet<CheckoutErrorCode> = new Set([
  'rate_limited',
  'try_again',
  'internal',
  'network',
  'timeout',
  'malformed',
]);

/** The error of every failed operation. Its message is for developers; payers see the translated text of its code. */
export class CheckoutError extends Error {
  override readonly name = 'CheckoutError';
  readonly code: CheckoutErrorCode;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly limits: AmountLimits | undefined;
  readonly field: string | undefined;

  constructor(code: CheckoutErrorCode, message: string, facts: CheckoutErrorFacts = {}) {
    super(message, { cause: facts.cause });
    this.code = code;
    this.retryable = retryable.has(code);
    this.retryAfterMs = facts.retryAfterMs;
    this.limits = facts.limits;
    this.field = facts.field;
  }

  /** Converts a thrown value to a `CheckoutError`. A value of another type becomes an error with the code `network`. */
  static from(thrown: unknown): CheckoutError {
    return isCheckoutError(thrown) ? thrown : new CheckoutError('network', 'no answer', { cause: thrown });
  }
}

/** Compares the name, because a page's transport may use the class of another copy of the package. */
function isCheckoutError(thrown: unknown): thrown is CheckoutError {
  return thrown instanceof Error && thrown.name === 'CheckoutError';
}

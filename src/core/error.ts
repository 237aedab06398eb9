import type { AmountLimits, ProblemCode } from '../protocol.ts';

/**
 * What can go wrong for the widget: the checkout API's codes, and what the browser adds:
 * `network` no answer came; `timeout` none came in time; `malformed` an answer that does not read;
 * `amount_mismatch` an invoice or its link names another amount, so it is not shown to be paid;
 * `requisites_suspect` a check digit does not fit (card number, account key): shown, and told to the merchant;
 * `unsafe_link` a link that may not be followed and is not shown; `qr_failed` the QR could not be drawn.
 */
export type CheckoutErrorCode =
  | ProblemCode
  | 'network'
  | 'timeout'
  | 'malformed'
  | 'amount_mismatch'
  | 'requisites_suspect'
  | 'unsafe_link'
  | 'qr_failed';

/** Facts about an error besides its code. */
export interface CheckoutErrorFacts {
  /** The floor that the server set for the next try, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** The limits that an amount fell out of. */
  readonly limits?: AmountLimits | undefined;
  /** Which field or value it is about, such as `card_number`; never the value itself. */
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

/** The one error of the checkout. Its message is for developers; payers see the translated text of its code. */
export class CheckoutError extends Error {
  override readonly name = 'CheckoutError';
  readonly code: CheckoutErrorCode;
  /** Whether asking again, as it is, may help. */
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

  /** Whatever was thrown, as a `CheckoutError`; what is not one already counts as `network`. */
  static from(thrown: unknown): CheckoutError {
    return isOne(thrown) ? thrown : new CheckoutError('network', 'no answer', { cause: thrown });
  }
}

/** Known by its name: a page's transport may have the class from another copy of the package than the widget. */
function isOne(thrown: unknown): thrown is CheckoutError {
  return thrown instanceof Error && thrown.name === 'CheckoutError';
}

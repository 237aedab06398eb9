import type { AmountLimits } from '../../protocol.ts';

/**
 * Why a checkout operation is not done now. `code` is one of the checkout API's (docs/checkout-api.md, "Errors"); the
 * HTTP layer makes the response of it.
 */
export type CheckoutErrorDetails =
  | { readonly code: 'method_unavailable' }
  | { readonly code: 'amount_out_of_limits'; readonly limits: AmountLimits }
  /** `rate_limited`: too many creates. `try_again`: the invoice service does not answer. */
  | { readonly code: 'rate_limited' | 'try_again'; readonly retryAfterMs: number };

/** Thrown by `commands/` when an operation is not possible at the moment. */
export class CheckoutError extends Error {
  override readonly name = 'CheckoutError';
  readonly details: CheckoutErrorDetails;

  constructor(details: CheckoutErrorDetails) {
    super(details.code);
    this.details = details;
  }
}

/** Thrown by `create` when the order has a checkout with other parameters. `message` names the first that differs. */
export class CheckoutConflictError extends Error {
  override readonly name = 'CheckoutConflictError';
  /** The parameter, such as `amount`. */
  readonly parameter: string;

  constructor(parameter: string) {
    super(`${parameter}: the order has a checkout with another value`);
    this.parameter = parameter;
  }
}

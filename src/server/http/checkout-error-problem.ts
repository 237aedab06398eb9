import type { CheckoutError } from '../domain/errors.ts';
import { ProblemError } from './problem.ts';

/** The problem that a client reads for an error of the domain: the one mapping between the two. */
export function problemOfCheckoutError({ details }: CheckoutError): ProblemError {
  switch (details.code) {
    case 'method_unavailable':
      return new ProblemError(details.code);
    case 'amount_out_of_limits':
      return new ProblemError(details.code, details.limits);
    case 'rate_limited':
    case 'try_again':
      return new ProblemError(details.code, { retryAfterMs: details.retryAfterMs });
  }
}

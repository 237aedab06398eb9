import { isWithin } from '../../service-api.ts';
import type { AmountLimits } from '../../checkout-api.ts';
import type { PricedCreateRequest } from '../domain/decide-create-request.ts';
import type { ServerContext } from '../server-context.ts';
import type { PaymentOptionsCache } from '../in-memory/payment-options-cache.ts';
import { outageRetryMs } from './response-with-payment-options.ts';
import { ProblemError } from './responses.ts';
import { isMethodAllowed } from '../domain/allowed-methods.ts';
import type { RateLimit } from './payer-rate-limit.ts';
import type { InvoiceMethod } from '../ports/attempt.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';

/** Checks whether a new invoice may be created. */
export interface CreateRequestChecks {
  /**
   * Resolves with the payment method of the request.
   * @throws ProblemError when the method does not fit the amount, when no options are known, or after too many creates.
   */
  check(record: CheckoutRecord, request: PricedCreateRequest, address: string | undefined): Promise<InvoiceMethod>;
  /** The limits of a payment method; no limits when they are not known. */
  limitsOf(methodId: string): Promise<AmountLimits>;
  /** Counts a create for the rate limits. */
  count(checkoutId: string, address: string | undefined): void;
}

/** The `Retry-After` when a checkout has its maximum number of attempts, in milliseconds. */
const maxAttemptsRetryMs = 3_600_000;

/** The rate limits of creates by checkout and by client address. */
export interface CreateRateLimits {
  readonly byCheckout: RateLimit;
  readonly byAddress: RateLimit<string | undefined>;
}

export function createRequestChecks(
  { limits }: Pick<ServerContext, 'limits'>,
  optionsCache: PaymentOptionsCache,
  { byCheckout, byAddress }: CreateRateLimits,
): CreateRequestChecks {
  return {
    async check(record, request, address) {
      const waitMs =
        record.attempts.length >= limits.attempts
          ? maxAttemptsRetryMs
          : (byCheckout.wait(record.id) ?? byAddress.wait(address));
      if (waitMs !== undefined) throw new ProblemError('rate_limited', { retryAfterMs: waitMs });
      return checkMethod(optionsCache, request, record.params.methods);
    },
    async limitsOf(methodId) {
      return (await optionsCache.get(undefined))?.options.find(({ id }) => id === methodId)?.limits ?? {};
    },
    count(checkoutId, address) {
      byCheckout.take(checkoutId);
      byAddress.take(address);
    },
  };
}

/** Resolves with the payment method of the request, which must be available for the amount. @throws ProblemError */
async function checkMethod(
  optionsCache: PaymentOptionsCache,
  { paymentMethodId, amount }: PricedCreateRequest,
  methods: readonly string[] | null,
): Promise<InvoiceMethod> {
  const isRequested = ({ id }: { readonly id: string }): boolean => id === paymentMethodId;
  const knownOptions = await optionsCache.get(amount);
  if (knownOptions === undefined) throw new ProblemError('try_again', { retryAfterMs: outageRetryMs });
  // The service omits methods whose limits exclude the amount. The unfiltered list shows whether the limits are the reason.
  const option =
    knownOptions.options.find(isRequested) ?? (await optionsCache.get(undefined))?.options.find(isRequested);
  if (option !== undefined && !isMethodAllowed(option, methods)) throw new ProblemError('method_unavailable');
  if (option?.available === true && !isWithin(amount, option.limits))
    throw new ProblemError('amount_out_of_limits', option.limits);
  if (option?.available !== true || !knownOptions.options.some(isRequested))
    throw new ProblemError('method_unavailable');
  return { type: option.type, ...(option.name === undefined ? {} : { name: option.name }) };
}

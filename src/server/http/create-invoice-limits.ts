import { isWithin } from '../../contract.ts';
import type { AmountLimits } from '../../protocol.ts';
import type { PricedCreateRequest } from '../domain/decide-create-request.ts';
import type { ServerContext } from '../server-context.ts';
import type { PaymentOptionsCache } from '../in-memory/payment-options-cache.ts';
import { outageRetryMs } from './add-payment-options.ts';
import { ProblemError } from './responses.ts';
import type { RateLimit } from './payer-rate-limit.ts';
import type { CheckoutRecord, InvoiceMethod } from '../ports/checkout-store.ts';

/** Checks whether a new invoice may be created. */
export interface CreateRequestChecks {
  /**
   * Resolves with the payment method.
   * @throws ProblemError when the method does not fit the amount, no options are known, or there were too many creates.
   */
  check(record: CheckoutRecord, request: PricedCreateRequest, address: string | undefined): Promise<InvoiceMethod>;
  /** The limits of a payment method, where they are known. */
  limitsOf(methodId: string): Promise<AmountLimits>;
  /** Counts a create against the rate limits. */
  count(checkoutId: string, address: string | undefined): void;
}

const maxAttemptsRetryMs = 3_600_000;

/** The rate limits of creates by checkout and by client address. */
export interface CreateRateLimits {
  readonly byCheckout: RateLimit;
  readonly byAddress: RateLimit<string | undefined>;
}

export function createRequestChecks(
  { limits }: Pick<ServerContext, 'limits'>,
  options: PaymentOptionsCache,
  { byCheckout, byAddress }: CreateRateLimits,
): CreateRequestChecks {
  return {
    async check(record, request, address) {
      const waitMs =
        record.attempts.length >= limits.attempts
          ? maxAttemptsRetryMs
          : (byCheckout.wait(record.id) ?? byAddress.wait(address));
      if (waitMs !== undefined) throw new ProblemError('rate_limited', { retryAfterMs: waitMs });
      return checkMethod(options, request);
    },
    async limitsOf(methodId) {
      return (await options.get(undefined))?.options.find(({ id }) => id === methodId)?.limits ?? {};
    },
    count(checkoutId, address) {
      byCheckout.take(checkoutId);
      byAddress.take(address);
    },
  };
}

/** Resolves with the method that the request names. */
async function checkMethod(
  options: PaymentOptionsCache,
  { paymentMethodId, amount }: PricedCreateRequest,
): Promise<InvoiceMethod> {
  const isChosen = ({ id }: { readonly id: string }): boolean => id === paymentMethodId;
  const known = await options.get(amount);
  if (known === undefined) throw new ProblemError('try_again', { retryAfterMs: outageRetryMs });
  // The service omits methods that the amount does not fit: the unfiltered list shows whether that is the reason.
  const option = known.options.find(isChosen) ?? (await options.get(undefined))?.options.find(isChosen);
  if (option?.available === true && !isWithin(amount, option.limits))
    throw new ProblemError('amount_out_of_limits', option.limits);
  if (option?.available !== true || !known.options.some(isChosen)) throw new ProblemError('method_unavailable');
  return { type: option.type, ...(option.name === undefined ? {} : { name: option.name }) };
}

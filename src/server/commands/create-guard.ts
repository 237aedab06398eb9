import { isWithin } from '../../contract.ts';
import type { AmountLimits } from '../../protocol.ts';
import type { CreateRequest } from '../domain/decide-create.ts';
import type { ServerContext } from '../context.ts';
import type { PaymentOptionsCache } from './payment-options-cache.ts';
import { outageRetryMs } from './checkout-presenter.ts';
import { ProblemError } from '../http/problem.ts';
import { createAddressLimit, createRateLimit } from '../http/rate-limit.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';

/** Whether a new invoice may be asked for. */
export interface CreateGuard {
  /** @throws ProblemError when the method cannot be used for the amount, nobody knows, or there were too many. */
  check(record: CheckoutRecord, ask: CreateRequest, address: string | undefined): Promise<void>;
  /** The limits of a payment method, where they are known. */
  limitsOf(methodId: string): Promise<AmountLimits>;
  /** A new invoice is asked for: it counts. */
  count(checkoutId: string, address: string | undefined): void;
}

const tooManyMs = 3_600_000;

export function createCreateGuard({ clock, limits }: ServerContext, options: PaymentOptionsCache): CreateGuard {
  const ofCheckout = createRateLimit(clock, limits.createsOfCheckout);
  const ofAddress = createAddressLimit(limits.createsOfAddress, clock);
  return {
    async check(record, ask, address) {
      const waitMs =
        record.attempts.length >= limits.attempts ? tooManyMs : (ofCheckout.wait(record.id) ?? ofAddress.wait(address));
      if (waitMs !== undefined) throw new ProblemError('rate_limited', { retryAfterMs: waitMs });
      await checkMethod(options, ask);
    },
    async limitsOf(methodId) {
      return (await options.get(undefined))?.options.find(({ id }) => id === methodId)?.limits ?? {};
    },
    count(checkoutId, address) {
      ofCheckout.take(checkoutId);
      ofAddress.take(address);
    },
  };
}

async function checkMethod(options: PaymentOptionsCache, { payment_method_id, amount }: CreateRequest): Promise<void> {
  const isChosen = ({ id }: { readonly id: string }): boolean => id === payment_method_id;
  const known = await options.get(amount);
  if (known === undefined) throw new ProblemError('try_again', { retryAfterMs: outageRetryMs });
  // The service leaves out what the amount does not fit: whether it was that, the unfiltered list tells.
  const option = known.options.find(isChosen) ?? (await options.get(undefined))?.options.find(isChosen);
  if (option?.available === true && !isWithin(amount, option.limits))
    throw new ProblemError('amount_out_of_limits', option.limits);
  if (option?.available !== true || !known.options.some(isChosen)) throw new ProblemError('method_unavailable');
}

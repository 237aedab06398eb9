import type { Checkout } from '../../protocol.ts';
import { isDecimal, isWithin, compareDecimals } from '../../contract.ts';
import { deriveStatus } from '../domain/derive-status.ts';
import type { ServerContext } from '../context.ts';
import type { KnownOptions, PaymentOptionsCache } from './payment-options-cache.ts';
import { optionsFor, presentCheckout, pollAdviceMs } from '../domain/present-checkout.ts';
import { ProblemError } from '../http/problem.ts';
import type { CheckoutRecord, CheckoutParams } from '../ports/checkout-store.ts';

/** What a request asks of the picture. */
export interface CheckoutQuery {
  /** The amount that the payer has typed; it counts only where the order leaves the amount open. */
  readonly amount?: string | undefined;
  /** The payer goes back to the methods although an invoice waits. */
  readonly options?: boolean;
}

/** How long a page waits before it asks a service that is away again. */
export const outageRetryMs = 3000;

/** Reads the query of a GET. @throws ProblemError for an amount that is none. */
export function readQuery(url: URL): CheckoutQuery {
  const amount = url.searchParams.get('amount') ?? undefined;
  if (amount !== undefined && !isDecimal(amount))
    throw new ProblemError('invalid_request', { detail: 'amount: must be a decimal number such as 100.00' });
  return { amount, options: url.searchParams.get('options') === '1' };
}

/** Whether an amount that a payer types is one that the order allows. */
export function isAmountAllowed(amount: string, { amount_limits }: CheckoutParams): boolean {
  return compareDecimals(amount, '0') > 0 && isWithin(amount, amount_limits ?? {});
}

/** Takes pictures of checkouts, with payment options where they are needed. */
export interface CheckoutPresenter {
  /** @throws ProblemError `try_again` when there is nothing to show, because the service is away. */
  present(record: CheckoutRecord, query: CheckoutQuery): Promise<Checkout>;
}

const none: KnownOptions = { options: [], stale: false };

export function createCheckoutPresenter(context: ServerContext, cache: PaymentOptionsCache): CheckoutPresenter {
  const { clock, mode, endpoint, health, timing } = context;

  const optionsOf = async (
    { params: terms }: CheckoutRecord,
    query: CheckoutQuery,
  ): Promise<KnownOptions | undefined> => {
    const amount = terms.amount ?? query.amount;
    if (amount !== undefined && terms.amount === null && !isAmountAllowed(amount, terms)) return none;
    const known = await cache.get(amount);
    return known && { ...known, options: optionsFor(known.options, amount) };
  };

  return {
    async present(record, query) {
      const status = deriveStatus(record);
      const isWanted = status !== 'paid' && (status !== 'pending' || query.options === true);
      const known = isWanted ? await optionsOf(record, query) : none;
      if (known === undefined && status === 'open')
        throw new ProblemError('try_again', { retryAfterMs: outageRetryMs });
      const stale = known === undefined || known.stale || health.isStale();
      const pollAfterMs = pollAdviceMs(status, stale, timing.fastMs);
      return presentCheckout(record, {
        now: clock.now(),
        mode,
        endpoint,
        options: known?.options ?? [],
        stale,
        pollAfterMs,
      });
    },
  };
}

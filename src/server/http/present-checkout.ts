import type { Checkout } from '../../checkout-api.ts';
import { deriveStatus } from '../domain/checkout-status.ts';
import { ProblemError } from './responses.ts';
import type { ServerContext } from '../server-context.ts';
import { outageRetryMs, type KnownOptions, type PaymentOptionsCache } from '../in-memory/payment-options-cache.ts';
import {
  isAmountAllowed,
  optionsFor,
  optionsForTypedAmount,
  presentCheckout,
  pollAdviceMs,
  withMethods,
} from '../domain/present-to-payer.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';
import { hash } from 'node:crypto';

/** The query of a request for a checkout. */
export interface CheckoutQuery {
  /** The amount that the payer has typed. It is used only when the order has no amount. */
  readonly amount?: string | undefined;
  /** Whether the response has the payment options although an invoice is pending. */
  readonly options?: boolean;
  /** Whether the payer says that he has paid: the service is asked before the response. */
  readonly isCheck?: boolean;
}

/** Builds the checkout as the payer sees it, with payment options where they are needed. */
export interface CheckoutPresenter {
  /** @throws ProblemError `try_again` when no options are known, because the service does not answer. */
  present(record: CheckoutRecord, query: CheckoutQuery): Promise<Checkout>;
}

const noOptions: KnownOptions = { options: [], stale: false };

export function createCheckoutPresenter(context: ServerContext, cache: PaymentOptionsCache): CheckoutPresenter {
  const { time, mode, endpoint, health, timing } = context;

  const optionsOf = async ({ params }: CheckoutRecord, query: CheckoutQuery): Promise<KnownOptions | undefined> => {
    const amount = params.amount ?? query.amount;
    if (amount === undefined || params.amount !== null) {
      const cached = await cache.get(amount);
      return cached && { ...cached, options: withMethods(optionsFor(cached.options, amount), params.methods) };
    }
    const [filtered, all] = await Promise.all([
      isAmountAllowed(amount, params) ? cache.get(amount) : noOptions,
      cache.get(undefined),
    ]);
    const options = optionsForTypedAmount(all?.options ?? [], filtered?.options ?? [], amount);
    return filtered && { ...filtered, options: withMethods(options, params.methods) };
  };

  return {
    async present(record, query) {
      const status = deriveStatus(record, time.now());
      const isEnded = status === 'paid' || status === 'closed';
      const needsOptions = !isEnded && (status !== 'pending' || query.options === true);
      const knownOptions = needsOptions ? await optionsOf(record, query) : noOptions;
      if (knownOptions === undefined && status === 'open')
        throw new ProblemError('try_again', { retryAfterMs: outageRetryMs });
      const stale = knownOptions === undefined || knownOptions.stale || health.isStale();
      const pollAfterMs = pollAdviceMs(status, stale, timing.fastMs);
      return presentCheckout(record, {
        now: time.deadlineNow(),
        status,
        mode,
        endpoint,
        options: knownOptions?.options ?? [],
        stale,
        pollAfterMs,
      });
    },
  };
}

/**
 * The weak validator (ETag) of a checkout. It covers everything that the widget uses, including the poll interval. It does not
 * cover clock values and the service's own status, because their changes have no visible effect.
 */
export function etagOf(checkout: Checkout): string {
  const invoice = checkout.invoice && {
    ...checkout.invoice,
    expires_in_ms: undefined,
    service_status: undefined,
    checked_at: undefined,
  };
  const text = JSON.stringify({ ...checkout, server_time: undefined, invoice });
  return `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
}

import { z } from 'zod';
import { isDecimal } from '../../service-api.ts';
import type { Checkout, ProblemCode } from '../../checkout-api.ts';
import type { CheckPayment } from '../commands/check-payment.ts';
import { isStorable } from '../commands/create-and-list-checkouts.ts';
import { findCheckout } from '../commands/update-checkout.ts';
import { parse } from '../domain/checkout-params.ts';
import { strictObject } from '../domain/strict-object.ts';
import type { CheckoutRecord, LoadPurpose } from '../ports/checkout-store.ts';
import type { ServerContext } from '../server-context.ts';
import type { Viewers } from '../workers/record-viewed-checkouts.ts';
import {
  outageRetryMs,
  type KnownOptions,
  type PaymentOptionsCache,
} from '../between-requests/payment-options-cache.ts';
import { isAmountAllowed, withMethods } from '../domain/order-limits.ts';
import { optionsFor, optionsForTypedAmount } from '../domain/payment-options.ts';
import { presentCheckout, pollAdviceMs } from '../domain/present-to-payer.ts';
import { withQrCode } from '../domain/qr-codes.ts';
import { deriveStatus } from '../domain/checkout-status.ts';
import { ProblemError } from './responses.ts';

/** What a payer asks for when he reads a checkout. */
export interface CheckoutQuery {
  /** The amount that the payer has typed. It is used only when the order has no amount. */
  readonly amount?: string | undefined;
  /** Whether the response has the payment options although an invoice is pending. */
  readonly options?: boolean | undefined;
  /** Whether the payer says that he has paid: the service is asked before the response. */
  readonly check?: boolean | undefined;
}

/** A checkout as it is stored, and as the payer sees it. */
interface LoadedView {
  readonly record: CheckoutRecord;
  readonly checkout: Checkout;
}

/** Loads what the payer may see. `waitMs`: how long the payer's request may be held. @throws ProblemError */
export type LoadView = (
  capability: string,
  query: CheckoutQuery,
  waitMs?: number,
  purpose?: LoadPurpose,
) => Promise<LoadedView>;

export function createLoadView(
  context: ServerContext,
  {
    checkPayment,
    present,
    viewers,
  }: { readonly checkPayment: CheckPayment; readonly present: PresentCheckout; readonly viewers: Viewers },
): LoadView {
  return async (capability, query, waitMs = 0, purpose = 'look') => {
    const isCheck = query.check === true;
    const found = await findCheckout(context, capability, isCheck ? 'invoice' : purpose);
    if (found === undefined) throw new ProblemError('not_found'); // the same for every reason
    const record = isCheck ? (await checkPayment(found)).record : found;
    const checkout = await present(record, query);
    if (!isCheck && checkout.status === 'pending') viewers.note(record.id, waitMs);
    return { record, checkout };
  };
}

const noOptions: KnownOptions = { options: [], stale: false };

/** Builds the checkout as the payer sees it, with payment options where they are needed. */
export type PresentCheckout = (record: CheckoutRecord, query: CheckoutQuery) => Promise<Checkout>;

/** The function throws ProblemError `try_again` when no options are known, because the service does not answer. */
export function createPresentCheckout(context: ServerContext, cache: PaymentOptionsCache): PresentCheckout {
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

  return async (record, query) => {
    const status = deriveStatus(record, time.now());
    const isEnded = status === 'paid' || status === 'closed';
    const needsOptions = !isEnded && (status !== 'pending' || query.options === true);
    const knownOptions = needsOptions ? await optionsOf(record, query) : noOptions;
    if (knownOptions === undefined && status === 'open')
      throw new ProblemError('try_again', { retryAfterMs: outageRetryMs });
    const stale = knownOptions === undefined || knownOptions.stale || health.isStale();
    const pollAfterMs = pollAdviceMs(status, stale, timing.fastMs);
    return presentCheckout(record, {
      now: time.serviceNow(),
      status,
      mode,
      endpoint,
      options: knownOptions?.options ?? [],
      stale,
      pollAfterMs,
    });
  };
}

const viewQuery = strictObject({
  amount: z.string().refine(isDecimal, 'must be a decimal number such as 100.00').optional(),
  options: z.boolean('must be true or false').optional(),
  check: z.boolean('must be true or false').optional(),
} satisfies Record<keyof CheckoutQuery, z.ZodType>);

/** What the payer may see, or why he sees nothing, with the time after which it is worth another try. */
export type PayerView =
  { readonly checkout: Checkout } | { readonly refused: ProblemCode; readonly retryAfterMs?: number | undefined };

/** Reads a checkout without HTTP. The function throws CheckoutParamsError for a wrong query. */
export function createView(loadView: LoadView, problemOf: (thrown: unknown) => ProblemError) {
  return async (capability: string, query: CheckoutQuery = {}): Promise<PayerView> => {
    const known = parse(viewQuery, query, 'query');
    if (!isStorable('capability', capability)) return { refused: 'not_found' };
    try {
      const { checkout } = await loadView(capability, known);
      return { checkout: withQrCode(checkout) };
    } catch (error) {
      const { code, facts } = problemOf(error);
      return { refused: code, retryAfterMs: facts.retryAfterMs };
    }
  };
}

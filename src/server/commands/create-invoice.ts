import { callWaitMs, checkWaitMs, recordWaitMs, storeWaitMs } from '../../base/create-time-limits.ts';
import { isWithin, type CreateInvoiceRequest } from '../../service-api.ts';
import type { AmountLimits, CreateInvoiceBody, ProblemCode } from '../../checkout-api.ts';
import { resolveWithin } from '../../base/clock.ts';
import type { ServerContext } from '../server-context.ts';
import { amountRange, hasTooManyDigits, isAmountAllowed, isMethodAllowed } from '../domain/order-limits.ts';
import {
  decideCreateRequest,
  newAttempt,
  type CreateRequest,
  type PricedCreateRequest,
} from '../domain/create-decisions.ts';
import { createExternalId, fingerprintOf, webhookUrl } from '../domain/identifiers.ts';
import { attemptOf, withNewAttempt } from '../domain/checkout-status.ts';
import { loadUntil, type LongPolls } from '../between-requests/long-polls.ts';
import { createAddressLimit, createRateLimit } from '../between-requests/payer-rate-limit.ts';
import { outageRetryMs, type PaymentOptionsCache } from '../between-requests/payment-options-cache.ts';
import type { Attempt, CreateAttempt, InvoiceMethod } from '../ports/invoice-attempt.ts';
import type { CheckoutParams, CheckoutRecord } from '../ports/checkout-store.ts';
import { createLeaseMs, type CreateInvoiceCaller } from './call-service-and-save-invoice.ts';
import type { CheckPayment } from './check-payment.ts';
import { findCheckout, maxTries, saveCheckout, withStoreTimeout } from './update-checkout.ts';

/** A payer's request for an invoice. */
interface InvoiceRequest {
  readonly capability: string;
  /** The idempotency key. */
  readonly key: string;
  readonly body: CreateInvoiceBody;
  readonly address: string | undefined;
  /** When the request arrived. */
  readonly arrivedAt: number;
  /** Ends the wait for the call of another request. */
  readonly signal: AbortSignal;
}

/** Why a request gets no invoice: the code and the members of a problem of the checkout API. */
interface Refusal extends AmountLimits {
  readonly refused: ProblemCode;
  readonly detail?: string;
  readonly retryAfterMs?: number;
}

/** The checkout with the attempt of the request. */
interface InvoiceResult {
  readonly record: CheckoutRecord;
  /** Whether the attempt has an invoice for the payer. false: it is not known yet. */
  readonly hasInvoice: boolean;
  /** Whether this request has called the service. */
  readonly isNew: boolean;
  readonly retryAfterMs: number | undefined;
}

type Answer = InvoiceResult | Refusal;

/**
 * Gives a payer an invoice. A new attempt is committed before the service is called under a lease, and the service's answer is
 * committed before the payer gets it.
 * @throws StoreUnavailableError
 */
export type CreateInvoice = (request: InvoiceRequest) => Promise<Answer>;

interface Dependencies {
  readonly checkPayment: CheckPayment;
  readonly optionsCache: PaymentOptionsCache;
  readonly invoiceCaller: CreateInvoiceCaller;
  readonly longPolls: LongPolls;
}

/** Attempts of one checkout in total. */
const maxAttempts = 100;
/** A payer whose invoice would wait longer than this for the service's rate limit is asked to try again, in milliseconds. */
const maxServiceWaitMs = 2000;
/** The `Retry-After` when a checkout has its maximum number of attempts, in milliseconds. */
const maxAttemptsRetryMs = 3_600_000;
/** How often a request that waits for the call of another request or process loads the checkout. */
const joinReloadMs = 500;
/** The longest `Retry-After` that the service's answer may lead to, in milliseconds. */
const maxRetryMs = 60_000;
const notFound: Refusal = { refused: 'not_found' };

export function createCreateInvoice(context: ServerContext, dependencies: Dependencies): CreateInvoice {
  const { clock, time, limits, log } = context;
  const { checkPayment, optionsCache, invoiceCaller, longPolls } = dependencies;
  const byCheckout = createRateLimit(clock, limits.createsOfCheckout);
  const byAddress = createAddressLimit(limits.createsOfAddress, clock, () => log('warn', 'client_address_unknown', {}));

  /** The payment method of a new attempt, if the attempt is allowed. */
  const methodFor = async (
    { id, attempts, params }: CheckoutRecord,
    request: PricedCreateRequest,
    address: string | undefined,
  ): Promise<InvoiceMethod | Refusal> => {
    const waitMs =
      attempts.length >= maxAttempts ? maxAttemptsRetryMs : (byCheckout.wait(id) ?? byAddress.wait(address));
    if (waitMs !== undefined) return { refused: 'rate_limited', retryAfterMs: waitMs };
    const serviceWaitMs = context.service.waitMs?.('CreateInvoice') ?? 0;
    if (serviceWaitMs > maxServiceWaitMs) return { refused: 'try_again', retryAfterMs: serviceWaitMs };
    return availableMethod(optionsCache, request, params.methods);
  };

  /** The result of a request from the state of its attempt. */
  const resultFor = async (
    record: CheckoutRecord | undefined,
    externalId: string,
    isNew: boolean,
    serviceRetryMs?: number,
  ): Promise<Answer> => {
    const retryAfterMs = serviceRetryMs && Math.min(serviceRetryMs, maxRetryMs);
    if (record === undefined) return notFound;
    const attempt = attemptOf(record, externalId);
    if (attempt?.state === 'hidden') return { refused: 'method_unavailable' };
    if (attempt?.state !== 'rejected') return { record, hasInvoice: attempt?.state === 'live', isNew, retryAfterMs };
    const { reason, paymentMethodId } = attempt;
    if (reason === 'try_again') return { refused: reason, retryAfterMs: retryAfterMs ?? outageRetryMs };
    if (reason === 'method_unavailable') return { refused: reason };
    const method = (await optionsCache.get(undefined))?.options.find(({ id }) => id === paymentMethodId);
    return { refused: reason, ...method?.limits };
  };

  return async ({ capability, key, body, address, arrivedAt, signal }) => {
    const storeContext = { ...context, store: withStoreTimeout(context.store, clock, storeWaitMs) };
    const find = (): Promise<CheckoutRecord | undefined> => findCheckout(storeContext, capability);
    const waitUntil = clock.now() + callWaitMs;
    const leaseMs = time.leaseMs(createLeaseMs(context));

    let isChecked = false;
    /** Fetches the invoices that have ended: one of them may be paid. While they cannot be fetched, no other invoice is created. */
    const checkEnded = async (record: CheckoutRecord): Promise<Refusal | undefined> => {
      if (isChecked) return { refused: 'try_again', retryAfterMs: outageRetryMs };
      await checkPayment(record, checkWaitMs);
      isChecked = true;
      return undefined;
    };

    /** Saves the attempt with the lease, and calls the service. */
    const callService = async (
      loaded: CheckoutRecord,
      changed: CheckoutRecord,
      attempt: CreateAttempt,
    ): Promise<Answer | undefined> => {
      const claimed = await saveCheckout(storeContext, loaded, changed);
      if (claimed === undefined) return undefined;
      if (attempt.callCount === 1) {
        byCheckout.take(claimed.id);
        byAddress.take(address);
      }
      const work = invoiceCaller.call(claimed.id, attempt, { recordMs: recordWaitMs, claimed });
      const call = await resolveWithin(clock, waitUntil - clock.now(), work);
      if (call?.kind === 'rejected') optionsCache.expire();
      return resultFor(call?.record ?? (await find()), attempt.externalId, true, call?.retryAfterMs);
    };

    const createAttempt = async (record: CheckoutRecord, request: PricedCreateRequest): Promise<Answer | undefined> => {
      const method = await methodFor(record, request, address);
      if ('refused' in method) return method;
      const externalId = createExternalId(context.random);
      const serviceRequest = serviceRequestFor(context, record, request, externalId, method.type);
      const attempt = newAttempt(request, method, serviceRequest, externalId, time.now(), leaseMs);
      return callService(record, withNewAttempt(record, attempt), attempt);
    };

    /** Waits for the call that another request or process makes. When that process has died, this request repeats the call. */
    const joinCall = async (record: CheckoutRecord, { externalId }: Attempt): Promise<Answer | undefined> => {
      const callOf = (checkout: CheckoutRecord | undefined) => checkout && attemptOf(checkout, externalId);
      const isOver = (checkout: CheckoutRecord | undefined): boolean =>
        (callOf(checkout)?.leaseUntil ?? 0) <= time.now();
      const wait = longPolls.begin(record.id, waitUntil - clock.now(), signal);
      const joined = await loadUntil(clock, wait, joinReloadMs, find, isOver, Promise.resolve(record));
      const { leaseUntil = 0, runAt = 0 } = callOf(joined) ?? {};
      const hasDied = leaseUntil > 0 && Math.max(leaseUntil, runAt ?? 0) <= time.now();
      return hasDied ? undefined : resultFor(joined, externalId, false);
    };

    /** Answers the request by what is stored. undefined: it has changed meanwhile, and is loaded again. */
    const answer = async (record: CheckoutRecord): Promise<Answer | undefined> => {
      const request = readCreateRequest(record.params, body, key);
      const decision = decideCreateRequest(record, request, time.now(), leaseMs, arrivedAt, time.deadlineNow());
      // These refusals have priority over those of the amount, because another amount would not help.
      const { kind: refused } = decision;
      if (refused === 'already_paid' || refused === 'checkout_closed' || refused === 'idempotency_mismatch')
        return { refused };
      const amount = checkAmount(record.params, body.amount);
      if (typeof amount !== 'string') return amount;
      switch (decision.kind) {
        case 'check':
          return checkEnded(record);
        case 'new':
          return createAttempt(record, { ...request, amount });
        case 'call':
          return callService(record, decision.record, decision.attempt);
        case 'join':
        case 'reuse': {
          const { attempt, record: withKey } = decision;
          const saved = withKey === undefined ? record : await saveCheckout(storeContext, record, withKey);
          if (saved === undefined) return undefined;
          return decision.kind === 'join' ? joinCall(saved, attempt) : resultFor(saved, attempt.externalId, false);
        }
        default:
          return { refused: 'invoice_pending' };
      }
    };

    for (let tries = 0; tries < maxTries; tries += 1) {
      const record = await find();
      const result = record === undefined ? notFound : await answer(record);
      if (result !== undefined) return result;
    }
    throw new Error(`a checkout could not be saved in ${maxTries} tries: others saved it each time`);
  };
}

/** Reads the create request. The body's amount is used only when the order has no amount. The amount is not checked. */
export function readCreateRequest(params: CheckoutParams, body: CreateInvoiceBody, key: string): CreateRequest {
  const { payment_method_id: paymentMethodId, replace = false } = body;
  const fingerprint = fingerprintOf([paymentMethodId, body.amount ?? null, replace]);
  return { key: { key, fingerprint }, paymentMethodId, amount: params.amount ?? body.amount, replace };
}

/**
 * Returns the amount to pay: the order's amount, or the body's amount when the order has none. A refusal when the body's amount
 * is needed, and is missing or outside of the order's limits.
 */
function checkAmount(params: CheckoutParams, amount: string | undefined): string | Refusal {
  if (params.amount !== null) return params.amount;
  if (amount === undefined) return { refused: 'amount_required', ...amountRange(params) };
  if (hasTooManyDigits(amount, params.currency))
    return {
      refused: 'invalid_request',
      detail: `amount: has more digits than an amount in ${params.currency ?? ''}`,
    };
  return isAmountAllowed(amount, params) ? amount : { refused: 'amount_out_of_limits', ...amountRange(params) };
}

/** Resolves with the payment method of the request, which must be available for the amount. */
async function availableMethod(
  optionsCache: PaymentOptionsCache,
  { paymentMethodId, amount }: PricedCreateRequest,
  methods: readonly string[] | null,
): Promise<InvoiceMethod | Refusal> {
  const isRequested = ({ id }: { readonly id: string }): boolean => id === paymentMethodId;
  const knownOptions = await optionsCache.get(amount);
  if (knownOptions === undefined) return { refused: 'try_again', retryAfterMs: outageRetryMs };
  // The service omits methods whose limits exclude the amount. The unfiltered list shows whether the limits are the reason.
  const option =
    knownOptions.options.find(isRequested) ?? (await optionsCache.get(undefined))?.options.find(isRequested);
  if (option?.available !== true || !isMethodAllowed(option, methods)) return { refused: 'method_unavailable' };
  if (!isWithin(amount, option.limits)) return { refused: 'amount_out_of_limits', ...option.limits };
  if (!knownOptions.options.some(isRequested)) return { refused: 'method_unavailable' };
  return { type: option.type, ...(option.name === undefined ? {} : { name: option.name }) };
}

/** The CreateInvoice request (invoice-service.md §4.1). It is stored, and repeats send the same request, or omit the QR. */
function serviceRequestFor(
  context: ServerContext,
  record: CheckoutRecord,
  { amount, paymentMethodId }: PricedCreateRequest,
  externalId: string,
  methodType: string,
): CreateInvoiceRequest {
  const { successUrl, failUrl, orderId, metadata } = record.params;
  return {
    amount,
    external_id: externalId,
    payment_method_id: paymentMethodId,
    mode: context.mode,
    url_config: {
      hook_url: webhookUrl(context.endpoint, orderId, record.hookSecret),
      ...(successUrl === null ? {} : { success_url: successUrl }),
      ...(failUrl === null ? {} : { fail_url: failUrl }),
    },
    metadata: { ...metadata, order_id: orderId },
    ...(context.qr === undefined || !context.qrMethods.includes(methodType.toLowerCase()) ? {} : { qr: context.qr }),
  };
}

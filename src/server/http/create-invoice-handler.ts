import type { CreateInvoiceRequest } from '../../service-api.ts';
import { createInvoiceBody, type CreateInvoiceBody } from '../../checkout-api.ts';
import { resolveWithin } from '../../base/clock.ts';
import type { ServerContext } from '../server-context.ts';
import {
  amountRange,
  isAmountAllowed,
  outageRetryMs,
  type CheckoutPresenter,
} from './response-with-payment-options.ts';
import type { CheckPayment } from '../commands/check-payment.ts';
import type { CreateRequestChecks } from './create-invoice-limits.ts';
import type { CreateInvoiceCaller } from '../commands/call-create-invoice.ts';
import type { CreateCallResult } from '../commands/save-create-result.ts';
import type { PaymentOptionsCache } from '../in-memory/payment-options-cache.ts';
import { updateCheckout, withStoreTimeout, type Decision, type LoadSaveStore } from '../commands/update-checkout.ts';
import { hasTooManyDigits } from '../domain/checkout-params.ts';
import { attemptOf, withNewAttempt } from '../domain/select-invoice-attempt.ts';
import {
  decideCreateRequest,
  newAttempt,
  type CreateDecision,
  type CreateRequest,
  type PricedCreateRequest,
} from '../domain/decide-create-request.ts';
import { checkoutIdOf, createExternalId, fingerprintOf } from '../domain/identifiers.ts';
import type { LongPolls, WakeReason } from '../in-memory/long-polls.ts';
import type { Attempt } from '../ports/attempt.ts';
import type { CheckoutParams, CheckoutRecord } from '../ports/checkout-store.ts';
import { etagOf } from './conditional-request.ts';
import { checkFound, findCheckout } from './get-checkout-handler.ts';
import { readJson } from './read-json-request.ts';
import { webhookUrl } from './receive-webhook-handler.ts';
import { ProblemError, retryAfter, jsonResponse, onAbort, type CheckoutResponse } from './responses.ts';

/** Handles `POST {endpoint}/{checkout}/invoice`. */
export type CreateInvoiceHandler = (
  capability: string,
  request: Request,
  address: string | undefined,
) => Promise<CheckoutResponse>;

interface Dependencies {
  readonly checkPayment: CheckPayment;
  readonly presenter: CheckoutPresenter;
  readonly optionsCache: PaymentOptionsCache;
  readonly requestChecks: CreateRequestChecks;
  readonly invoiceCaller: CreateInvoiceCaller;
  readonly longPolls: LongPolls;
}

/** `Retry-After` of a 202: the widget repeats its request after this time. */
const inDoubtRetryMs = 2000;
const maxRetryMs = 60_000;
/** How long all store calls of a request may take together. The commit of the service's response is not included. */
const storeTimeoutMs = 3000;
/** How long a request waits for the commit of the service's response. After that, the request ends and the commit continues. */
const recordTimeoutMs = 1500;
/** How long a request waits for the fetch of the invoices that have ended, before a new invoice is refused. */
const checkTimeoutMs = 5000;
/** How often a request that waits for the call of another request loads the checkout. */
const joinReloadMs = 500;

export function createCreateInvoiceHandler(context: ServerContext, dependencies: Dependencies): CreateInvoiceHandler {
  const { clock, time, timing } = context;
  const { checkPayment, invoiceCaller, optionsCache, requestChecks, longPolls } = dependencies;

  /** Decides how the request is answered. A new attempt is committed before its call is made. */
  const decide = async (
    record: CheckoutRecord,
    body: CreateInvoiceBody,
    key: string,
    address: string | undefined,
    requestedAt: number,
  ): Promise<Decision<CreateDecision>> => {
    const createRequest = readCreateRequest(record.params, body, key);
    const leaseMs = time.leaseMs(timing.createLeaseMs);
    const decision = decideCreateRequest(record, createRequest, time.now(), leaseMs, requestedAt, time.deadlineNow());
    // These errors are returned before errors of the amount, because another amount would not help.
    const isCreate = decision.kind === 'new' || decision.kind === 'check';
    if (!('attempt' in decision) && !isCreate && decision.kind !== 'invoice_pending')
      return { result: decision, record: undefined };
    const amount = checkAmount(record.params, body.amount);
    if (decision.kind !== 'new') {
      return { result: decision, record: 'record' in decision ? decision.record : undefined };
    }
    const pricedRequest = { ...createRequest, amount };
    const method = await requestChecks.check(record, pricedRequest, address);
    const externalId = createExternalId(context.random);
    const serviceRequest = serviceRequestFor(context, record, pricedRequest, externalId, method.type);
    const attempt = newAttempt(pricedRequest, method, serviceRequest, externalId, time.now(), leaseMs);
    const nextRecord = withNewAttempt(record, attempt);
    return { result: { kind: 'call', attempt, record: nextRecord }, record: nextRecord };
  };

  /**
   * Waits at most `createWaitMs` for the result of a call that another request or process is making. Loads the checkout after
   * each notification, and also at intervals, because no notification arrives while the database does not answer.
   * @throws StoreUnavailableError
   */
  const waitForOtherCall = async (
    store: LoadSaveStore,
    capability: string,
    externalId: string,
    signal: AbortSignal,
  ): Promise<void> => {
    const longPoll = longPolls.begin(checkoutIdOf(capability), timing.createWaitMs, onAbort(signal));
    if (longPoll === undefined) return;
    try {
      let nextWake: Promise<WakeReason> | undefined;
      let reason: WakeReason | undefined;
      do {
        const attempt = attemptOf(await findCheckout({ ...context, store }, capability), externalId);
        if (attempt === undefined || attempt.leaseUntil <= time.now()) return;
        nextWake ??= longPoll.next();
        reason = await resolveWithin(clock, joinReloadMs, nextWake);
        if (reason !== undefined) nextWake = undefined;
      } while (reason === undefined || reason === 'changed');
    } finally {
      longPoll.end();
    }
  };

  return async (capability, request, address) => {
    const checkoutId = checkoutIdOf(capability);
    const requestedAt = time.now();
    const body = readJson(context, request, createInvoiceBody);
    // The body may arrive slowly: the checkout is loaded after the body, just before the decision. A 404 has priority over an
    // error of the body.
    await body.catch(() => undefined);
    const decideOn = async (record: CheckoutRecord): Promise<Decision<CreateDecision>> => {
      checkFound(context, capability, record);
      const key = readIdempotencyKey(request);
      return decide(record, await body, key, address, requestedAt);
    };
    const store = withStoreTimeout(context.store, clock, storeTimeoutMs);
    const decideOnce = async (): Promise<CreateDecision> => {
      const decision = await updateCheckout({ ...context, store }, checkoutId, decideOn);
      if (decision === undefined) throw new ProblemError('not_found');
      return decision;
    };
    let decision = await decideOnce();
    if (decision.kind === 'check') {
      await checkPayment(await findCheckout(context, capability), checkTimeoutMs);
      decision = await decideOnce();
    }
    if (!('attempt' in decision)) throw errorForDecision(decision.kind);
    const { kind, attempt } = decision;
    const respond = createResponder(context, dependencies, store, capability);
    if (kind === 'join') await waitForOtherCall(store, capability, attempt.externalId, request.signal);
    if (kind !== 'call') return respond(attempt.externalId, 200);
    if (attempt.callCount === 1) requestChecks.count(checkoutId, address);
    const call = await resolveWithin(
      clock,
      timing.createWaitMs,
      invoiceCaller.call(checkoutId, attempt, recordTimeoutMs),
    );
    if (call?.kind === 'rejected') optionsCache.expire();
    return respond(attempt.externalId, 201, call);
  };
}

function errorForDecision(kind: Exclude<CreateDecision['kind'], 'reuse' | 'join' | 'call'>): Error {
  // The invoices that have ended could not be fetched: one of them may be paid, so no other invoice is created.
  if (kind === 'check') return new ProblemError('try_again', { retryAfterMs: outageRetryMs });
  return kind === 'new' ? new Error('a decision for a new attempt has no attempt') : new ProblemError(kind);
}

/**
 * Returns a function that creates the response from the state of an attempt: from the record that `call` has just committed,
 * or, without such a record, from the stored checkout. `status` is the HTTP status of a response with an invoice.
 */
function createResponder(
  context: ServerContext,
  { presenter, requestChecks }: Dependencies,
  store: LoadSaveStore,
  capability: string,
) {
  const problemFor = async (attempt: Attempt, call?: CreateCallResult): Promise<ProblemError | undefined> => {
    if (attempt.state === 'hidden') return new ProblemError('method_unavailable');
    if (attempt.state !== 'rejected') return undefined;
    switch (attempt.reason) {
      case 'try_again':
        return new ProblemError('try_again', {
          retryAfterMs: Math.min(call?.retryAfterMs ?? outageRetryMs, maxRetryMs),
        });
      case 'amount_out_of_limits':
        return new ProblemError('amount_out_of_limits', await requestChecks.limitsOf(attempt.paymentMethodId));
      case 'method_unavailable':
        return new ProblemError('method_unavailable');
    }
  };
  return async (externalId: string, status: 200 | 201, call?: CreateCallResult): Promise<CheckoutResponse> => {
    const record = call?.record ?? (await findCheckout({ ...context, store }, capability));
    const attempt = attemptOf(record, externalId);
    const problem = attempt && (await problemFor(attempt, call));
    if (problem !== undefined) throw problem;
    const checkout = await presenter.present(record, {});
    const headers = { etag: etagOf(checkout) };
    if (attempt?.state === 'live') return jsonResponse(checkout, status, headers);
    const retryHeader = retryAfter(Math.min(call?.retryAfterMs ?? inDoubtRetryMs, maxRetryMs));
    return jsonResponse(checkout, 202, { ...headers, ...retryHeader });
  };
}

/** The idempotency key of a request. @throws ProblemError `invalid_request` when it is missing or malformed. */
export function readIdempotencyKey(request: Request): string {
  // Stryker disable next-line StringLiteral: Every text that is not a key is rejected with the same problem.
  const key = request.headers.get('idempotency-key') ?? '';
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  const detail = 'idempotency-key: must be 1 to 200 visible ASCII characters, such as a UUID';
  throw new ProblemError('invalid_request', { detail });
}

/** Reads the create request. The body's amount is used only when the order has no amount. The amount is not checked. */
export function readCreateRequest(params: CheckoutParams, body: CreateInvoiceBody, key: string): CreateRequest {
  const { payment_method_id: paymentMethodId, replace = false } = body;
  const fingerprint = fingerprintOf([paymentMethodId, body.amount ?? null, replace]);
  return { key: { key, fingerprint }, paymentMethodId, amount: params.amount ?? body.amount, replace };
}

/**
 * Returns the amount to pay: the order's amount, or the body's amount when the order has none.
 * @throws ProblemError when the body's amount is needed, and is missing or outside of the order's limits.
 */
export function checkAmount(params: CheckoutParams, amount: string | undefined): string {
  if (params.amount !== null) return params.amount;
  if (amount === undefined) throw new ProblemError('amount_required', amountRange(params));
  if (hasTooManyDigits(amount, params.currency))
    throw new ProblemError('invalid_request', {
      detail: `amount: has more digits than an amount in ${params.currency ?? ''}`,
    });
  if (!isAmountAllowed(amount, params)) throw new ProblemError('amount_out_of_limits', amountRange(params));
  return amount;
}

/** The CreateInvoice request (invoice-service.md §4.1). It is stored, and repeats send the same request without the QR. */
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
    ...(context.qr === undefined || !context.hasQr(methodType) ? {} : { qr: context.qr }),
  };
}

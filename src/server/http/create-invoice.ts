import { createInvoiceBody, hookUrl, type CreateInvoiceBody } from '../../protocol.ts';
import { jsonResponse, onAbort, type CheckoutResponse } from './response.ts';
import { attemptOf, withNewAttempt } from '../domain/attempts.ts';
import { decideCreate, newAttempt, type CreateRequest, type CreateDecision } from '../domain/decide-create.ts';
import { valueWithin } from '../../base/timeout.ts';
import { updateCheckout, type Decision } from '../commands/update-checkout.ts';
import type { CreateInvoiceCaller, CreateCallResult } from '../commands/call-create-invoice.ts';
import { etagOf } from './conditional-request.ts';
import type { ServerContext } from '../context.ts';
import { createExternalId, fingerprintOf } from '../domain/ids.ts';
import type { CreateLimits } from '../commands/create-limits.ts';
import type { PaymentOptionsCache } from '../commands/payment-options-cache.ts';
import { outageRetryMs, type CheckoutPresenter, isAmountAllowed } from '../commands/checkout-presenter.ts';
import { ProblemError, retryAfter } from './problem.ts';
import { readJson } from './json-body.ts';
import { findCheckout } from './get-checkout.ts';
import type { Attempt, CheckoutRecord, CheckoutParams } from '../ports/checkout-store.ts';
import type { LongPolls } from '../live/long-polls.ts';
import type { CreateInvoiceRequest } from '../../contract.ts';

/** Answers `POST {endpoint}/{checkout}/invoice`. */
export type CreateInvoiceHandler = (
  checkoutId: string,
  request: Request,
  address: string | undefined,
) => Promise<CheckoutResponse>;

/** What the answer is made of. */
interface Dependencies {
  readonly pictures: CheckoutPresenter;
  readonly options: PaymentOptionsCache;
  readonly newInvoice: CreateLimits;
  readonly caller: CreateInvoiceCaller;
  readonly waiters: LongPolls;
}

type Refusal = NonNullable<Attempt['refusal']>;

/** The widget asks again after this long when an answer is not known yet. */
const inDoubtRetryMs = 2000;
const maxRetryMs = 60_000;

export function createCreateInvoiceHandler(context: ServerContext, parts: Dependencies): CreateInvoiceHandler {
  const { store, clock, timing } = context;
  const { caller, options, newInvoice, waiters } = parts;

  /** Decides, and where a new invoice is to be made puts its intent into the record. */
  const begin = async (
    record: CheckoutRecord,
    ask: CreateRequest,
    address: string | undefined,
  ): Promise<Decision<CreateDecision>> => {
    const { createLeaseMs } = timing;
    const beginning = decideCreate(record, ask, clock.now(), createLeaseMs);
    if (beginning.kind !== 'new') {
      return { result: beginning, record: 'record' in beginning ? beginning.record : undefined };
    }
    await newInvoice.check(record, ask, address);
    const externalId = createExternalId();
    const request = serviceRequestFor(context, record, ask, externalId);
    const attempt = newAttempt(ask, request, externalId, clock.now(), createLeaseMs);
    const next = withNewAttempt(record, attempt);
    return { result: { kind: 'drive', attempt, record: next }, record: next };
  };

  /** Waits until somebody else's call has come to something, or for as long as a payer waits. */
  const join = async (checkoutId: string, externalId: string, signal: AbortSignal): Promise<void> => {
    const waiter = waiters.begin(checkoutId, timing.createWaitMs, onAbort(signal));
    if (waiter === undefined) return;
    try {
      do {
        const attempt = attemptOf(await findCheckout(context, checkoutId), externalId);
        if (attempt === undefined || attempt.lease_until <= clock.now()) return;
      } while ((await waiter.next()) === 'changed');
    } finally {
      waiter.end();
    }
  };

  return async (checkoutId, request, address) => {
    const { params: terms } = await findCheckout(context, checkoutId);
    const key = readIdempotencyKey(request);
    const ask = readCreateRequest(terms, await readJson(context, request, createInvoiceBody), key);
    const answer = createResponder(context, parts, checkoutId);
    for (let isSecond = false; ; isSecond = true) {
      const beginning = await updateCheckout(store, checkoutId, (record) => begin(record, ask, address));
      if (beginning === undefined) throw new ProblemError('not_found');
      if (!('attempt' in beginning)) throw errorForDecision(beginning.kind);
      const { kind, attempt } = beginning;
      if (kind === 'join') await join(checkoutId, attempt.external_id, request.signal);
      if (kind !== 'drive') return answer(attempt.external_id, 200);
      if (attempt.call_count === 1) newInvoice.count(checkoutId, address);
      const call = await valueWithin(clock, timing.createWaitMs, caller.call(checkoutId, attempt));
      if (call?.kind === 'rejected') options.forget();
      // The service keeps an invoice that nobody can learn of: the payer gets another, under a new name.
      if (call?.kind !== 'conflict' || isSecond) return answer(attempt.external_id, 201, call);
    }
  };
}

function errorForDecision(kind: Exclude<CreateDecision['kind'], 'same' | 'join' | 'drive'>): Error {
  return kind === 'new' ? new Error('a new attempt is begun where it is decided') : new ProblemError(kind);
}

/** Answers by what has become of an attempt; `status` is that of an invoice. */
function createResponder(context: ServerContext, { pictures, newInvoice }: Dependencies, checkoutId: string) {
  const problemOf = async (refusal: Refusal, attempt: Attempt, call?: CreateCallResult): Promise<ProblemError> => {
    switch (refusal) {
      case 'try_again':
        return new ProblemError(refusal, {
          retryAfterMs: Math.min(call?.retryAfterMs ?? outageRetryMs, maxRetryMs),
        });
      case 'amount_out_of_limits':
        return new ProblemError(refusal, await newInvoice.limitsOf(attempt.payment_method_id));
      case 'method_unavailable':
        return new ProblemError(refusal);
    }
  };
  return async (externalId: string, status: 200 | 201, call?: CreateCallResult): Promise<CheckoutResponse> => {
    const record = await findCheckout(context, checkoutId);
    const attempt = attemptOf(record, externalId);
    if (attempt?.refusal != null) throw await problemOf(attempt.refusal, attempt, call);
    const checkout = await pictures.present(record, {});
    const headers = { etag: etagOf(checkout) };
    if (attempt?.stage === 'created') return jsonResponse(checkout, status, headers);
    const later = retryAfter(Math.min(call?.retryAfterMs ?? inDoubtRetryMs, maxRetryMs));
    return jsonResponse(checkout, 202, { ...headers, ...later });
  };
}

/** The idempotency key of a request. @throws ProblemError when there is none, or none that may be stored. */
export function readIdempotencyKey(request: Request): string {
  // Stryker disable next-line StringLiteral: Every text that is not a key is rejected the same way.
  const key = request.headers.get('idempotency-key') ?? '';
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  const detail = 'idempotency-key: must be 1 to 200 visible ASCII characters, such as a UUID';
  throw new ProblemError('invalid_request', { detail });
}

/**
 * What a payer asks for, with its amount, which the browser can only set where the order leaves it open.
 * @throws ProblemError when that amount is missing, or outside of the order's limits.
 */
export function readCreateRequest(terms: CheckoutParams, body: CreateInvoiceBody, key: string): CreateRequest {
  const { payment_method_id, replace = false } = body;
  const amount = terms.amount ?? body.amount;
  const { min_amount, max_amount } = terms.amount_limits ?? {};
  if (amount === undefined) throw new ProblemError('amount_required', { min_amount, max_amount });
  if (terms.amount === null && !isAmountAllowed(amount, terms))
    throw new ProblemError('amount_out_of_limits', { min_amount, max_amount });
  const fingerprint = fingerprintOf([payment_method_id, body.amount ?? null, replace]);
  return { key: { key, fingerprint }, payment_method_id, amount, replace };
}

/** What is asked of the service (invoice-service.md §4.1); a repeat sends exactly the same. */
function serviceRequestFor(
  context: ServerContext,
  record: CheckoutRecord,
  ask: CreateRequest,
  externalId: string,
): CreateInvoiceRequest {
  const { success_url, fail_url, order_id } = record.params;
  return {
    amount: ask.amount,
    external_id: externalId,
    payment_method_id: ask.payment_method_id,
    mode: context.mode,
    url_config: {
      hook_url: hookUrl(context.endpoint, record.id, record.hook_secret),
      ...(success_url === null ? {} : { success_url }),
      ...(fail_url === null ? {} : { fail_url }),
    },
    metadata: { order_id },
    ...(context.qr === undefined ? {} : { qr: context.qr }),
  };
}

import { createInvoiceBody } from '../../protocol.ts';
import { jsonAnswer, whenAborted, type CheckoutResponse } from './response.ts';
import { attemptOf, withNewAttempt } from '../domain/attempts.ts';
import { decideCreate, newAttempt, type CreateRequest, type CreateDecision } from '../domain/decide-create.ts';
import { within } from '../../base/timeout.ts';
import { updateCheckout, type Decision } from '../commands/update-checkout.ts';
import type { CreateInvoiceCaller, CreateCallResult } from '../commands/create-invoice-call.ts';
import { etagOf } from './etag.ts';
import type { ServerContext } from '../context.ts';
import { createExternalId } from '../domain/ids.ts';
import type { CreateGuard } from '../commands/create-guard.ts';
import type { PaymentOptionsCache } from '../commands/payment-options-cache.ts';
import { outageRetryMs, type CheckoutPresenter } from '../commands/checkout-presenter.ts';
import { ProblemError, retryAfter } from './problem.ts';
import { readAsk, readKey, requestFor } from './read-create-request.ts';
import { readJson } from './json-body.ts';
import { findCheckout } from './get-checkout.ts';
import type { Attempt, CheckoutRecord } from '../ports/checkout-store.ts';
import type { LongPolls } from '../live/long-polls.ts';

/** Answers `POST {endpoint}/{checkout}/invoice`. */
export type AskInvoice = (
  checkoutId: string,
  request: Request,
  address: string | undefined,
) => Promise<CheckoutResponse>;

/** What the answer is made of. */
interface Parts {
  readonly pictures: CheckoutPresenter;
  readonly options: PaymentOptionsCache;
  readonly newInvoice: CreateGuard;
  readonly caller: CreateInvoiceCaller;
  readonly waiters: LongPolls;
}

type Refusal = NonNullable<Attempt['refusal']>;

/** The widget asks again after this long when an answer is not known yet. */
const askAgainMs = 2000;
const longestRetryMs = 60_000;

export function createCreateInvoice(context: ServerContext, parts: Parts): AskInvoice {
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
    const request = requestFor(context, record, ask, externalId);
    const attempt = newAttempt(ask, request, externalId, clock.now(), createLeaseMs);
    const next = withNewAttempt(record, attempt);
    return { result: { kind: 'drive', attempt, record: next }, record: next };
  };

  /** Waits until somebody else's call has come to something, or for as long as a payer waits. */
  const join = async (checkoutId: string, externalId: string, signal: AbortSignal): Promise<void> => {
    const waiter = waiters.begin(checkoutId, timing.createWaitMs, whenAborted(signal));
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
    const key = readKey(request);
    const ask = readAsk(terms, await readJson(context, request, createInvoiceBody), key);
    const answer = createAnswer(context, parts, checkoutId);
    for (let isSecond = false; ; isSecond = true) {
      const beginning = await updateCheckout(store, checkoutId, (record) => begin(record, ask, address));
      if (beginning === undefined) throw new ProblemError('not_found');
      if (!('attempt' in beginning)) throw errorOf(beginning.kind);
      const { kind, attempt } = beginning;
      if (kind === 'join') await join(checkoutId, attempt.external_id, request.signal);
      if (kind !== 'drive') return answer(attempt.external_id, 200);
      if (attempt.call_count === 1) newInvoice.count(checkoutId, address);
      const call = await within(clock, timing.createWaitMs, caller.call(checkoutId, attempt));
      if (call?.kind === 'rejected') options.forget();
      // The service keeps an invoice that nobody can learn of: the payer gets another, under a new name.
      if (call?.kind !== 'conflict' || isSecond) return answer(attempt.external_id, 201, call);
    }
  };
}

function errorOf(kind: Exclude<CreateDecision['kind'], 'same' | 'join' | 'drive'>): Error {
  return kind === 'new' ? new Error('a new attempt is begun where it is decided') : new ProblemError(kind);
}

/** Answers by what has become of an attempt; `status` is that of an invoice. */
function createAnswer(context: ServerContext, { pictures, newInvoice }: Parts, checkoutId: string) {
  const problemOf = async (refusal: Refusal, attempt: Attempt, call?: CreateCallResult): Promise<ProblemError> => {
    switch (refusal) {
      case 'try_again':
        return new ProblemError(refusal, {
          retryAfterMs: Math.min(call?.retryAfterMs ?? outageRetryMs, longestRetryMs),
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
    if (attempt?.stage === 'created') return jsonAnswer(checkout, status, headers);
    const later = retryAfter(Math.min(call?.retryAfterMs ?? askAgainMs, longestRetryMs));
    return jsonAnswer(checkout, 202, { ...headers, ...later });
  };
}

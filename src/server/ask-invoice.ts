import { isWithin } from '../contract.ts';
import { createInvoiceBody, hookUrl, type Checkout, type CreateInvoiceBody } from '../protocol.ts';
import { attemptOf, withNewAttempt } from './attempts.ts';
import { beginAttempt, newAttempt, type Ask, type Beginning } from './begin-attempt.ts';
import { within } from './clock.ts';
import { commit, type Decision } from './commit.ts';
import type { CallResult, Caller } from './create-call.ts';
import { etagOf } from './etag.ts';
import type { Kit } from './kit.ts';
import { fingerprintOf, mintExternalId } from './mint.ts';
import type { OptionsCache } from './options-cache.ts';
import { awayMs, isAllowed, type Pictures } from './pictures.ts';
import { ProblemError, retryAfter } from './problem-answer.ts';
import type { RateLimit } from './rate-limit.ts';
import { readJson } from './read-json.ts';
import { findCheckout } from './show-checkout.ts';
import type { Attempt, CheckoutRecord, CheckoutTerms } from './store.ts';
import type { Waiters } from './waiters.ts';

/** Answers `POST {endpoint}/{checkout}/invoice`. */
export type AskInvoice = (checkoutId: string, request: Request, address: string | undefined) => Promise<Response>;

/** What the answer is made of. */
interface Parts {
  readonly pictures: Pictures;
  readonly options: OptionsCache;
  readonly caller: Caller;
  readonly waiters: Waiters;
  readonly limitOfAddress: RateLimit;
  readonly limitOfCheckout: RateLimit;
}

/** The widget asks again after this long when an answer is not known yet. */
const askAgainMs = 2000;
const longestRetryMs = 60_000;
const tooManyMs = 3_600_000;

export function createAskInvoice(kit: Kit, parts: Parts): AskInvoice {
  const { store, clock, timing } = kit;
  const { pictures, options, caller, waiters } = parts;

  const begin = async (record: CheckoutRecord, ask: Ask, charge: () => void): Promise<Decision<Beginning>> => {
    const beginning = beginAttempt(record, ask, clock.now(), timing.createLeaseMs);
    if (beginning.kind !== 'new')
      return { result: beginning, record: 'record' in beginning ? beginning.record : undefined };
    await checkMethod(options, ask);
    if (record.attempts.length >= kit.limits.attempts)
      throw new ProblemError('rate_limited', { retryAfterMs: tooManyMs });
    charge();
    const externalId = mintExternalId();
    const attempt = newAttempt(
      ask,
      requestFor(kit, record, ask, externalId),
      externalId,
      clock.now(),
      timing.createLeaseMs,
    );
    const next = withNewAttempt(record, attempt);
    return { result: { kind: 'drive', attempt, record: next }, record: next };
  };

  /** Waits until somebody else's call has come to something. */
  const joined = async (checkoutId: string, externalId: string, signal: AbortSignal): Promise<void> => {
    const waiter = waiters.begin(checkoutId, timing.createWaitMs, signal);
    if (waiter === undefined) return;
    try {
      do {
        const attempt = attemptOf(await findCheckout(kit, checkoutId), externalId);
        if (attempt === undefined || attempt.lease_until <= clock.now()) return;
      } while (await waiter.changed());
    } finally {
      waiter.end();
    }
  };

  const answer = async (
    checkoutId: string,
    externalId: string,
    isOwn: boolean,
    call?: CallResult,
  ): Promise<Response> => {
    const record = await findCheckout(kit, checkoutId);
    const attempt = attemptOf(record, externalId);
    const retryAfterMs = Math.min(call?.retryAfterMs ?? awayMs, longestRetryMs);
    if (attempt?.refusal != null) throw refusalOf(attempt.refusal, retryAfterMs);
    const checkout = await pictures.take(record, {});
    if (attempt?.stage === 'made') return answerWith(checkout, isOwn ? 201 : 200, {});
    return answerWith(checkout, 202, retryAfter(Math.min(call?.retryAfterMs ?? askAgainMs, longestRetryMs)));
  };

  return async (checkoutId, request, address) => {
    const found = await findCheckout(kit, checkoutId);
    const key = readKey(request);
    const body = await readJson(kit, request, createInvoiceBody);
    const ask = askOf(found.terms, body, key);
    const charge = once(() => {
      takeFrom(parts.limitOfCheckout, checkoutId);
      if (address !== undefined) takeFrom(parts.limitOfAddress, address);
    });
    for (let isSecond = false; ; isSecond = true) {
      const beginning = await commit(store, checkoutId, (record) => begin(record, ask, charge));
      if (beginning === undefined) throw new ProblemError('not_found');
      switch (beginning.kind) {
        case 'already_paid':
        case 'idempotency_mismatch':
        case 'invoice_pending':
          throw new ProblemError(beginning.kind);
        case 'same':
          return answer(checkoutId, beginning.attempt.external_id, false);
        case 'join':
          await joined(checkoutId, beginning.attempt.external_id, request.signal);
          return answer(checkoutId, beginning.attempt.external_id, false);
        case 'drive': {
          const call = await within(clock, timing.createWaitMs, caller.call(checkoutId, beginning.attempt));
          if (call?.kind === 'refused') options.forget();
          // The service keeps an invoice that nobody can learn of: the payer gets another, under a new name.
          if (call?.kind === 'conflict' && !isSecond) continue;
          return answer(checkoutId, beginning.attempt.external_id, true, call);
        }
        case 'new':
          throw new Error('a new attempt is begun where it is decided');
      }
    }
  };
}

function answerWith(checkout: Checkout, status: number, headers: Readonly<Record<string, string>>): Response {
  return Response.json(checkout, { status, headers: { etag: etagOf(checkout), ...headers } });
}

function refusalOf(refusal: NonNullable<Attempt['refusal']>, retryAfterMs: number): ProblemError {
  return new ProblemError(refusal, refusal === 'try_again' ? { retryAfterMs } : {});
}

function takeFrom(limit: RateLimit, name: string): void {
  const retryAfterMs = limit.take(name);
  if (retryAfterMs !== undefined) throw new ProblemError('rate_limited', { retryAfterMs });
}

/** However often a decision is made anew, it is charged for once. */
function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

function readKey(request: Request): string {
  const key = request.headers.get('idempotency-key') ?? '';
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  const detail = 'idempotency-key: must be 1 to 200 visible ASCII characters, such as a UUID';
  throw new ProblemError('invalid_request', { detail });
}

/** The request with its amount, which the browser can only set where the order leaves it open. */
function askOf(terms: CheckoutTerms, body: CreateInvoiceBody, key: string): Ask {
  const { payment_method_id, replace = false } = body;
  const amount = terms.amount ?? body.amount;
  const { min_amount, max_amount } = terms.amount_limits ?? {};
  if (amount === undefined) throw new ProblemError('amount_required', { min_amount, max_amount });
  if (terms.amount === null && !isAllowed(amount, terms))
    throw new ProblemError('amount_out_of_limits', { min_amount, max_amount });
  const fingerprint = fingerprintOf([payment_method_id, body.amount ?? null, replace]);
  return { key: { key, fingerprint }, payment_method_id, amount, replace };
}

/** @throws ProblemError when the method cannot be used for the amount, or nobody knows. */
async function checkMethod(options: OptionsCache, { payment_method_id, amount }: Ask): Promise<void> {
  const isChosen = ({ id }: { readonly id: string }): boolean => id === payment_method_id;
  const known = await options.get(amount);
  if (known === undefined) throw new ProblemError('try_again', { retryAfterMs: awayMs });
  // The service leaves out what the amount does not fit: whether it was that, the unfiltered list tells.
  const option = known.options.find(isChosen) ?? (await options.get(undefined))?.options.find(isChosen);
  if (option?.available === true && !isWithin(amount, option.limits))
    throw new ProblemError('amount_out_of_limits', option.limits);
  if (option?.available !== true || !known.options.some(isChosen)) throw new ProblemError('method_unavailable');
}

/** What is asked of the service; a repeat sends exactly the same. */
function requestFor(
  kit: Kit,
  { id, hook_secret, terms }: CheckoutRecord,
  ask: Ask,
  externalId: string,
): Attempt['request'] {
  const { success_url, fail_url, order_id } = terms;
  return {
    amount: ask.amount,
    external_id: externalId,
    payment_method_id: ask.payment_method_id,
    mode: kit.mode,
    url_config: {
      hook_url: hookUrl(kit.endpoint, id, hook_secret),
      ...(success_url === null ? {} : { success_url }),
      ...(fail_url === null ? {} : { fail_url }),
    },
    metadata: { order_id },
    ...(kit.qr === undefined ? {} : { qr: kit.qr }),
  };
}

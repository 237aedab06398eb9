import { compareDecimals } from '../../service-api.ts';
import type { Attempt, AttemptKey, CreateAttempt } from '../ports/invoice-attempt.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';
import {
  attemptOf,
  canStillBePaid,
  currentAttempt,
  isClosed,
  isOpenOutcome,
  mismatchedAttempt,
  unpaidAttempts,
  withAttempt,
} from './checkout-status.ts';
import { wasFetchedSince } from './fetch-decisions.ts';

/** A payer's request for an invoice. */
export interface CreateRequest {
  readonly key: AttemptKey;
  readonly paymentMethodId: string;
  /** The amount of the order, or the amount that the payer typed; undefined when there is neither. */
  readonly amount: string | undefined;
  readonly replace: boolean;
}

/** A create request whose amount is known and was checked. */
export type PricedCreateRequest = CreateRequest & { readonly amount: string };

/**
 * How a request for an invoice is answered:
 * - `reuse`: with the invoice of an existing attempt;
 * - `join`: with the result of the call that another request or process is making;
 * - `call`: by repeating the call of an attempt. The request gets the lease of the attempt when it saves the record;
 * - `check`: invoices that have ended are fetched first, because one of them may be paid at the service;
 * - `new`: by a new attempt;
 * - the other kinds: with a problem of the same name.
 * `record` is set when it has to be saved.
 */
export type CreateDecision =
  | { readonly kind: 'already_paid' | 'checkout_closed' | 'idempotency_mismatch' | 'invoice_pending' | 'check' | 'new' }
  | {
      readonly kind: 'reuse' | 'join';
      readonly attempt: Attempt;
      readonly record: CheckoutRecord | undefined;
    }
  | { readonly kind: 'call'; readonly attempt: CreateAttempt; readonly record: CheckoutRecord };

/** Maximum idempotency keys stored per attempt. Later keys match by method and amount. */
const maxKeys = 20;

/**
 * Decides how a request is answered. Repeated and concurrent requests for the same invoice share one attempt.
 * `requestedAt` is when the request arrived: invoices that have ended must have been fetched since then. `deadlineNow` is the
 * current time of the clock that an invoice's deadline is compared with.
 */
export function decideCreateRequest(
  record: CheckoutRecord,
  request: CreateRequest,
  now: number,
  leaseMs: number,
  requestedAt = now,
  deadlineNow = now,
): CreateDecision {
  const decision = decide(record, request, now, leaseMs, deadlineNow);
  return decision.kind === 'new' && mayHavePaidInvoice(record, requestedAt, now, deadlineNow)
    ? { kind: 'check' }
    : decision;
}

/**
 * Whether an invoice that failed, expired, was voided or is past its deadline was not fetched since `requestedAt`: it may be paid.
 */
function mayHavePaidInvoice(record: CheckoutRecord, requestedAt: number, now: number, deadlineNow: number): boolean {
  return unpaidAttempts(record).some(
    (attempt) =>
      (!isOpenOutcome(attempt.outcome) ||
        attempt.resolution !== null ||
        (attempt.expiresAt !== null && attempt.expiresAt <= deadlineNow)) &&
      !wasFetchedSince(attempt, requestedAt, now),
  );
}

function decide(
  record: CheckoutRecord,
  request: CreateRequest,
  now: number,
  leaseMs: number,
  deadlineNow: number,
): CreateDecision {
  if (record.paidExternalId !== null) return { kind: 'already_paid' };
  const attemptsWithKey = record.attempts.filter(({ keys }) => keys.some(({ key }) => key === request.key.key));
  const sameKeys = attemptsWithKey.flatMap((attempt) => attempt.keys).filter(({ key }) => key === request.key.key);
  if (sameKeys.some(({ fingerprint }) => fingerprint !== request.key.fingerprint))
    return { kind: 'idempotency_mismatch' };
  // The shop first checks the payment of another amount: with a new invoice the payer could pay twice.
  const mismatched = mismatchedAttempt(record);
  if (mismatched !== undefined) return { kind: 'reuse', attempt: mismatched, record: undefined };
  const repeatedAttempt = attemptsWithKey.findLast((attempt) => !mayBeRepeated(attempt));
  if (repeatedAttempt !== undefined) return decideForAttempt(record, repeatedAttempt, now, leaseMs);
  // The repeat of an earlier request still gets its response (above), but no other request gets an invoice.
  if (isClosed(record, now)) return { kind: 'checkout_closed' };

  const current = currentAttempt(record);
  if (current === undefined || (current.state === 'live' && !isOpenOutcome(current.outcome))) {
    // The current attempt has ended, but the payer may still be able to pay an invoice that it replaced.
    const isPending = !request.replace && record.attempts.some(canStillBePaid);
    return { kind: isPending ? 'invoice_pending' : 'new' };
  }
  const isForCurrentInvoice =
    current.paymentMethodId === request.paymentMethodId &&
    request.amount !== undefined &&
    compareDecimals(current.amount, request.amount) === 0;
  if (!isForCurrentInvoice) return { kind: request.replace ? 'new' : 'invoice_pending' };
  const isPastDeadline = current.state === 'live' && current.expiresAt !== null && current.expiresAt <= deadlineNow;
  if (isPastDeadline && request.replace) return { kind: 'new' };
  if (current.keys.length >= maxKeys) return decideForAttempt(record, current, now, leaseMs);
  const joinedAttempt = { ...current, keys: [...current.keys, request.key] };
  return decideForAttempt(withAttempt(record, joinedAttempt), joinedAttempt, now, leaseMs, true);
}

/**
 * Whether the same key may lead to another attempt: only when the service certainly created no invoice, and may create one
 * later. Any other refusal stays the answer, because a repeat could create one invoice after another.
 */
function mayBeRepeated(attempt: Attempt): boolean {
  return attempt.state === 'rejected' && attempt.reason === 'try_again';
}

/** The decision for a request that matches an attempt. */
function decideForAttempt(
  record: CheckoutRecord,
  attempt: Attempt,
  now: number,
  leaseMs: number,
  isRecordChanged = false,
): CreateDecision {
  const changedRecord = isRecordChanged ? record : undefined;
  switch (attempt.state) {
    case 'live':
    case 'hidden':
    case 'rejected':
      return { kind: 'reuse', attempt, record: changedRecord };
    case 'unresolved':
      return { kind: 'join', attempt, record: changedRecord };
    case 'creating':
    case 'in_doubt': {
      // It is repeated on its schedule, however often payers ask.
      const isDue = (attempt.runAt ?? 0) <= now;
      const claim = isDue ? claimCreate(record, attempt.externalId, now, leaseMs) : undefined;
      return claim === undefined ? { kind: 'join', attempt, record: changedRecord } : { kind: 'call', ...claim };
    }
  }
}

/**
 * Claims an attempt whose call has to be repeated. Returns undefined when there is no call to repeat, or when another process
 * holds the lease. When a lease has ended, the process of its call has died: the attempt becomes `in_doubt`, because it is not
 * known what the service did, and the repeat requests no QR code, which may have been the reason.
 */
export function claimCreate(
  record: CheckoutRecord,
  externalId: string,
  now: number,
  leaseMs: number,
): { readonly attempt: CreateAttempt; readonly record: CheckoutRecord } | undefined {
  const storedAttempt = attemptOf(record, externalId);
  if (storedAttempt?.state !== 'creating' && storedAttempt?.state !== 'in_doubt') return undefined;
  if (storedAttempt.leaseUntil > now) return undefined;
  const leaseUntil = now + leaseMs;
  const attempt: CreateAttempt = {
    ...(storedAttempt.leaseUntil === 0 ? storedAttempt : inDoubt(storedAttempt)),
    callCount: storedAttempt.callCount + 1,
    leaseUntil,
    runAt: leaseUntil,
  };
  return { attempt, record: withAttempt(record, attempt) };
}

/** The attempt after a call that may have created an invoice. Its repeats request no QR code, unless `keepsQr`. */
export function inDoubt(attempt: CreateAttempt, keepsQr = false): CreateAttempt {
  const { qr, ...request } = attempt.request;
  return { ...attempt, state: 'in_doubt', request: keepsQr ? { ...request, qr } : request };
}

/** A new attempt, with the lease for its first call. */
export function newAttempt(
  { key, paymentMethodId, amount }: PricedCreateRequest,
  method: Attempt['method'],
  request: Attempt['request'],
  externalId: string,
  now: number,
  leaseMs: number,
): CreateAttempt {
  return {
    externalId,
    keys: [key],
    paymentMethodId,
    method,
    amount,
    request,
    state: 'creating',
    createdAt: now,
    callCount: 1,
    leaseUntil: now + leaseMs,
    runAt: now + leaseMs,
    resolution: null,
  };
}

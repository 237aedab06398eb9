import { compareDecimals } from '../../contract.ts';
import { canStillBePaid, isClosed } from './close-checkout.ts';
import { attemptOf, currentAttempt, mismatchedAttempt, withAttempt } from './select-attempt.ts';
import type { Attempt, AttemptKey, CheckoutRecord } from '../ports/checkout-store.ts';

/** A payer's request for an invoice. */
export interface CreateRequest {
  readonly key: AttemptKey;
  readonly paymentMethodId: string;
  /** The amount of the order, else the amount that the payer typed; undefined when there is neither. */
  readonly amount: string | undefined;
  readonly replace: boolean;
}

/** A create request whose amount is known and was checked. */
export type PricedCreateRequest = CreateRequest & { readonly amount: string };

/**
 * How a request for an invoice is answered:
 * `reuse` with the invoice of an existing attempt; `join` by waiting for the call that another request or process makes;
 * `call` by repeating the call of an attempt, whose lease the request gets when it saves the record; `new` by a new attempt.
 * `record` is set when it has to be saved.
 */
export type CreateDecision =
  | { readonly kind: 'already_paid' | 'checkout_closed' | 'idempotency_mismatch' | 'invoice_pending' | 'new' }
  | {
      readonly kind: 'reuse' | 'join' | 'call';
      readonly attempt: Attempt;
      readonly record: CheckoutRecord | undefined;
    };

/** Maximum idempotency keys stored per attempt. Later keys match by method and amount. */
const maxKeys = 20;

/**
 * Decides how a request is answered. Repeated and concurrent requests for the same invoice share one attempt.
 * `deadlineNow` is the time that an invoice's deadline is compared with.
 */
export function decideCreateRequest(
  record: CheckoutRecord,
  request: CreateRequest,
  now: number,
  leaseMs: number,
  deadlineNow = now,
): CreateDecision {
  if (record.paidExternalId !== null) return { kind: 'already_paid' };
  const known = record.attempts.filter(({ keys }) => keys.some(({ key }) => key === request.key.key));
  const keys = known.flatMap((attempt) => attempt.keys).filter(({ key }) => key === request.key.key);
  if (keys.some(({ fingerprint }) => fingerprint !== request.key.fingerprint)) return { kind: 'idempotency_mismatch' };
  // The shop checks that payment first: with another invoice the payer would pay twice.
  const mismatched = mismatchedAttempt(record);
  if (mismatched !== undefined) return { kind: 'reuse', attempt: mismatched, record: undefined };
  const own = known.findLast(({ refusal }) => refusal === null);
  if (own !== undefined) return decideForAttempt(record, own, now, leaseMs);
  // The repeat of an earlier request still gets its answer; no other request gets an invoice.
  if (isClosed(record, now)) return { kind: 'checkout_closed' };

  const current = currentAttempt(record);
  if (current?.outcome !== 'pending') {
    // The payer can still pay an invoice that the current one, which has ended, replaced.
    const isPending = !request.replace && record.attempts.some(canStillBePaid);
    return { kind: isPending ? 'invoice_pending' : 'new' };
  }
  const isSame =
    current.paymentMethodId === request.paymentMethodId &&
    request.amount !== undefined &&
    compareDecimals(current.amount, request.amount) === 0;
  if (!isSame) return { kind: request.replace ? 'new' : 'invoice_pending' };
  const isOver = current.expiresAt !== null && current.expiresAt <= deadlineNow;
  if (isOver && request.replace) return { kind: 'new' };
  if (current.keys.length >= maxKeys) return decideForAttempt(record, current, now, leaseMs);
  const joined = { ...current, keys: [...current.keys, request.key] };
  return decideForAttempt(withAttempt(record, joined), joined, now, leaseMs, true);
}

/** The decision for a request that matches an attempt. */
function decideForAttempt(
  record: CheckoutRecord,
  attempt: Attempt,
  now: number,
  leaseMs: number,
  isChanged = false,
): CreateDecision {
  const changed = isChanged ? record : undefined;
  if (attempt.stage === 'created') return { kind: 'reuse', attempt, record: changed };
  const claimed = claimCreate(record, attempt.externalId, now, leaseMs);
  return claimed === undefined ? { kind: 'join', attempt, record: changed } : { kind: 'call', ...claimed };
}

/**
 * Claims an attempt whose call has to be repeated; undefined when there is nothing to repeat, or another process holds the
 * lease. When an attempt without a lease is still `creating`, the process of its call has died, and it is not known what the
 * service did. A repeat does not request a QR code, because that may be why the call before it failed.
 */
export function claimCreate(
  record: CheckoutRecord,
  externalId: string,
  now: number,
  leaseMs: number,
): { readonly attempt: Attempt; readonly record: CheckoutRecord } | undefined {
  const found = attemptOf(record, externalId);
  if (found === undefined || found.leaseUntil > now) return undefined;
  if (found.stage !== 'creating' && found.stage !== 'in_doubt') return undefined;
  const leaseUntil = now + leaseMs;
  const attempt: Attempt = {
    ...found,
    request: { ...found.request, qr: undefined },
    stage: 'in_doubt',
    callCount: found.callCount + 1,
    leaseUntil,
    runAt: leaseUntil,
  };
  return { attempt, record: withAttempt(record, attempt) };
}

/** A new attempt, with the lease for its first call. */
export function newAttempt(
  { key, paymentMethodId, amount }: PricedCreateRequest,
  method: Attempt['method'],
  request: Attempt['request'],
  externalId: string,
  now: number,
  leaseMs: number,
): Attempt {
  return {
    externalId,
    keys: [key],
    paymentMethodId,
    method,
    amount,
    request,
    stage: 'creating',
    callCount: 1,
    leaseUntil: now + leaseMs,
    replaced: false,
    createdAt: now,
    invoice: null,
    expiresAt: null,
    serviceStatus: null,
    outcome: 'pending',
    runAt: now + leaseMs,
    checkedAt: null,
    refusal: null,
  };
}

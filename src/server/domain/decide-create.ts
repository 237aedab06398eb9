import { compareDecimals } from '../../contract.ts';
import { attemptOf, currentAttempt, mismatchedAttempt, withAttempt } from './attempts.ts';
import type { Attempt, AttemptKey, CheckoutRecord } from '../ports/checkout-store.ts';

/** A payer's request for requisites, read and with its amount fixed. */
export interface CreateRequest {
  readonly key: AttemptKey;
  readonly payment_method_id: string;
  readonly amount: string;
  readonly replace: boolean;
}

/**
 * What a request for requisites comes to:
 * `same` an attempt that has its invoice; `join` one whose call another request or process is making; `drive` one whose
 * call has to be repeated, and which now belongs to whoever saves the record; `new` a new one has to be made.
 * A record is there when it has to be saved.
 */
export type CreateDecision =
  | { readonly kind: 'already_paid' | 'idempotency_mismatch' | 'invoice_pending' | 'new' }
  | {
      readonly kind: 'same' | 'join' | 'drive';
      readonly attempt: Attempt;
      readonly record: CheckoutRecord | undefined;
    };

/** Keys that are kept for one attempt; those after them are not known again, which still finds the same invoice. */
const maxKeys = 20;

/** Decides what a request comes to; the same request twice, or two at once, come to one attempt. */
export function decideCreate(record: CheckoutRecord, ask: CreateRequest, now: number, leaseMs: number): CreateDecision {
  if (record.paid_external_id !== null) return { kind: 'already_paid' };
  const known = record.attempts.filter(({ keys }) => keys.some(({ key }) => key === ask.key.key));
  const keys = known.flatMap((attempt) => attempt.keys).filter(({ key }) => key === ask.key.key);
  if (keys.some(({ fingerprint }) => fingerprint !== ask.key.fingerprint)) return { kind: 'idempotency_mismatch' };
  // A person checks that payment first; another invoice would ask the payer to pay twice.
  const mismatched = mismatchedAttempt(record);
  if (mismatched !== undefined) return { kind: 'same', attempt: mismatched, record: undefined };
  const own = known.findLast(({ refusal }) => refusal === null);
  if (own !== undefined) return decideForAttempt(record, own, now, leaseMs);

  const current = currentAttempt(record);
  if (current?.outcome !== 'pending') return { kind: 'new' };
  const isSame =
    current.payment_method_id === ask.payment_method_id && compareDecimals(current.amount, ask.amount) === 0;
  if (!isSame) return { kind: ask.replace ? 'new' : 'invoice_pending' };
  const isOver = current.expires_at !== null && current.expires_at <= now;
  if (isOver && ask.replace) return { kind: 'new' };
  if (current.keys.length >= maxKeys) return decideForAttempt(record, current, now, leaseMs);
  const joined = { ...current, keys: [...current.keys, ask.key] };
  return decideForAttempt(withAttempt(record, joined), joined, now, leaseMs, true);
}

/** What is to be done with an attempt that a request has found. */
function decideForAttempt(
  record: CheckoutRecord,
  attempt: Attempt,
  now: number,
  leaseMs: number,
  isChanged = false,
): CreateDecision {
  const changed = isChanged ? record : undefined;
  if (attempt.stage === 'created') return { kind: 'same', attempt, record: changed };
  const driven = claimCreate(record, attempt.external_id, now, leaseMs);
  return driven === undefined ? { kind: 'join', attempt, record: changed } : { kind: 'drive', ...driven };
}

/**
 * Takes an attempt whose call has to be repeated; undefined when there is nothing to repeat, or somebody holds it. One
 * that was still `creating` has lost its process: nobody knows what the service did.
 */
export function claimCreate(
  record: CheckoutRecord,
  externalId: string,
  now: number,
  leaseMs: number,
): { readonly attempt: Attempt; readonly record: CheckoutRecord } | undefined {
  const found = attemptOf(record, externalId);
  if (found === undefined || found.lease_until > now) return undefined;
  if (found.stage !== 'creating' && found.stage !== 'in_doubt') return undefined;
  const lease_until = now + leaseMs;
  const attempt: Attempt = {
    ...found,
    stage: 'in_doubt',
    call_count: found.call_count + 1,
    lease_until,
    run_at: lease_until,
  };
  return { attempt, record: withAttempt(record, attempt) };
}

/** A new attempt, held for its first call. */
export function newAttempt(
  ask: CreateRequest,
  request: Attempt['request'],
  externalId: string,
  now: number,
  leaseMs: number,
): Attempt {
  return {
    external_id: externalId,
    keys: [ask.key],
    payment_method_id: ask.payment_method_id,
    amount: ask.amount,
    request,
    stage: 'creating',
    call_count: 1,
    lease_until: now + leaseMs,
    replaced: false,
    created_at: now,
    invoice: null,
    expires_at: null,
    service_status: null,
    outcome: 'pending',
    run_at: now + leaseMs,
    checked_at: null,
    refusal: null,
  };
}

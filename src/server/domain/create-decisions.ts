import { compareDecimals, parseServiceTimestamp, type CreatedInvoice, type StatusCode } from '../../service-api.ts';
import {
  attemptOf,
  canStillBePaid,
  currentAttempt,
  isOpenOutcome,
  mismatchedAttempt,
  unpaidAttempts,
  withAttempt,
  isClosed,
  hasInvoice,
  invoicesOf,
  withNewAttempt,
  withFailedCreate,
} from './checkout-status.ts';
import type {
  Attempt,
  AttemptKey,
  CreateAttempt,
  HiddenReason,
  InvoiceAttempt,
  RejectedAttempt,
  RejectReason,
} from '../ports/invoice-attempt.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';
import { wasFetchedSince } from './fetch-decisions.ts';
import { secondExternalId } from './identifiers.ts';
import { isPayable } from './present-to-payer.ts';
import type { InvoiceServiceError } from '../ports/invoice-service.ts';

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
function inDoubt(attempt: CreateAttempt, keepsQr = false): CreateAttempt {
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

/** The times from which the next run of an attempt is chosen, in milliseconds since 1970. */
export interface NextRuns {
  /** The first fetch of a new invoice, and of an ended invoice that is shown again. */
  readonly fetchAt: number;
  /** The next repeat of a create that has failed (create-repeats.ts); null: it is not repeated any more. */
  readonly retryAt: number | null;
}

/**
 * The result of a CreateInvoice call, and the checkout with that result. `unchanged`: another process recorded a result first.
 * `postponed`: the service certainly did nothing, and the call is repeated. `unresolved`: the create is in doubt and is not
 * repeated any more.
 */
export interface CreateResult {
  readonly kind:
    | 'created'
    | 'second_invoice'
    | 'not_shown'
    | 'not_payable'
    | 'foreign_invoice'
    | 'postponed'
    | 'in_doubt'
    | 'unresolved'
    | 'rejected'
    | 'conflict'
    | 'unchanged';
  readonly record: CheckoutRecord;
}

/**
 * Records the invoice that a call returned. An invoice with another amount or another `external_id` than requested, or without
 * any way to pay, is stored and polled, but never shown. `isForeign`: the invoice belongs to another checkout, which polls it.
 */
export function applyCreatedInvoice(
  record: CheckoutRecord,
  externalId: string,
  invoice: CreatedInvoice,
  { fetchAt }: Pick<NextRuns, 'fetchAt'>,
  isForeign = false,
): CreateResult {
  const attempt = attemptOf(record, externalId);
  if (attempt === undefined) return { kind: 'unchanged', record };
  if (hasInvoice(attempt)) return addSecondInvoice(record, attempt, invoice, fetchAt, isForeign);
  const known = knownInvoice(invoice, fetchAt);
  const hide = (reason: HiddenReason, runAt: number | null): CheckoutRecord =>
    withFailedCreate(record, { ...baseOf(attempt), ...known, runAt, state: 'hidden', reason }, fetchAt);
  if (isForeign) return { kind: 'foreign_invoice', record: hide('foreign_invoice', null) };
  const matchesRequest =
    compareDecimals(invoice.amount, attempt.amount) === 0 &&
    (invoice.external_id === undefined || invoice.external_id === externalId);
  if (!matchesRequest) return { kind: 'not_shown', record: hide('mismatch', fetchAt) };
  if (!isPayable(invoice, record.params.currency, attempt))
    return { kind: 'not_payable', record: hide('not_payable', fetchAt) };
  return { kind: 'created', record: withAttempt(record, { ...baseOf(attempt), ...known, state: 'live' }) };
}

/** An invoice as its create has returned it. It is fetched first at `fetchAt`. */
function knownInvoice(invoice: CreatedInvoice, fetchAt: number | null) {
  return {
    invoice,
    expiresAt: invoice.expires_at === undefined ? null : (parseServiceTimestamp(invoice.expires_at) ?? null),
    serviceStatus: null,
    statusHistory: [],
    outcome: 'pending',
    paidAmount: null,
    checkedAt: null,
    leaseUntil: 0,
    runAt: fetchAt,
  } as const;
}

/** The members of an attempt that every attempt has. */
function baseOf(attempt: Attempt) {
  const { externalId, keys, paymentMethodId, method, amount, request, createdAt, callCount, resolution } = attempt;
  return { externalId, keys, paymentMethodId, method, amount, request, createdAt, callCount, resolution };
}

/**
 * Adds an attempt for a second invoice, which the service created when the create was repeated. The second invoice is polled,
 * because somebody could pay it, but it is never shown.
 */
function addSecondInvoice(
  record: CheckoutRecord,
  attempt: InvoiceAttempt,
  invoice: CreatedInvoice,
  fetchAt: number,
  isForeign: boolean,
): CreateResult {
  if (invoicesOf(record).some((known) => known.invoice.id === invoice.id)) return { kind: 'unchanged', record };
  const secondAttempt: Attempt = {
    ...baseOf(attempt),
    ...knownInvoice(invoice, isForeign ? null : fetchAt),
    externalId: secondExternalId(attempt.externalId, record.attempts.length),
    keys: [],
    resolution: null,
    state: 'hidden',
    reason: isForeign ? 'foreign_invoice' : 'second_invoice',
  };
  return { kind: 'second_invoice', record: withNewAttempt(record, secondAttempt) };
}

type Failure = Pick<InvoiceServiceError, 'failure' | 'code' | 'isOwnCode' | 'httpStatus'>;

/** Errors that are about the invoice itself. They prove that an earlier call, which was in doubt, created no invoice. */
const codesAboutInvoice: readonly StatusCode[] = [
  'invalid_argument',
  'failed_precondition',
  'out_of_range',
  'not_found',
];
/** Before this number of calls, a 409 may mean that the invoice is still being created. From then on, the invoice exists. */
const conflictCallCount = 4;

/**
 * Records a call that returned no invoice. A create in doubt stays in doubt until the service returns an error about the
 * invoice itself, because an unreachable service or an error of a gateway proves nothing about the earlier call.
 */
export function applyCreateFailure(
  record: CheckoutRecord,
  externalId: string,
  error: Failure,
  { fetchAt, retryAt }: NextRuns,
): CreateResult {
  const attempt = attemptOf(record, externalId);
  if (attempt?.state !== 'creating' && attempt?.state !== 'in_doubt') return { kind: 'unchanged', record };
  const withResult = (changes: Pick<CreateAttempt, 'state'> | Pick<RejectedAttempt, 'state' | 'reason'>) =>
    withFailedCreate(record, { ...baseOf(attempt), leaseUntil: 0, runAt: null, ...changes }, fetchAt);
  if (isConflict(error, attempt.callCount)) {
    // The service has an invoice with this external_id and does not return it. Only another key leads to another invoice.
    return { kind: 'conflict', record: withResult({ state: 'rejected', reason: 'method_unavailable' }) };
  }
  if (attempt.state === 'creating' && error.failure === 'unavailable' && retryAt !== null)
    return { kind: 'postponed', record: withAttempt(record, { ...attempt, leaseUntil: 0, runAt: retryAt }) };
  const provesNoInvoice = attempt.state === 'creating' || (error.isOwnCode && codesAboutInvoice.includes(error.code));
  if (error.failure === 'ambiguous' || !provesNoInvoice) {
    if (retryAt === null) return { kind: 'unresolved', record: withResult({ state: 'unresolved' }) };
    const repeated = inDoubt(attempt, attempt.callCount === 1 && isConnectionLost(error));
    return { kind: 'in_doubt', record: withAttempt(record, { ...repeated, leaseUntil: 0, runAt: retryAt }) };
  }
  const reason = rejectReasonFor(error);
  // After a create in doubt, an error of the repeat may be about the repeated external_id: the key leads to no other invoice.
  const isFinal = attempt.state === 'in_doubt' && reason === 'try_again';
  return {
    kind: 'rejected',
    record: withResult({ state: 'rejected', reason: isFinal ? 'method_unavailable' : reason }),
  };
}

/** Such as an idle connection that was closed as the request was sent. The QR is hardly the reason the first time. */
function isConnectionLost({ code, httpStatus }: Failure): boolean {
  return code === 'unavailable' && httpStatus === 0;
}

function isConflict({ failure, code, httpStatus }: Failure, callCount: number): boolean {
  if (failure === 'unavailable') return false;
  return code === 'already_exists' || (httpStatus === 409 && callCount >= conflictCallCount);
}

function rejectReasonFor({ failure, code }: Failure): RejectReason {
  if (failure !== 'refused') return 'try_again';
  if (code === 'out_of_range') return 'amount_out_of_limits';
  return code === 'failed_precondition' || code === 'not_found' ? 'method_unavailable' : 'try_again';
}

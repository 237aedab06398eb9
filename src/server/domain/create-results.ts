import { compareDecimals, parseServiceTimestamp, type CreatedInvoice, type StatusCode } from '../../service-api.ts';
import type {
  Attempt,
  CreateAttempt,
  HiddenReason,
  InvoiceAttempt,
  RejectedAttempt,
  RejectReason,
} from '../ports/invoice-attempt.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';
import type { InvoiceServiceError } from '../ports/invoice-service.ts';
import { attemptOf, hasInvoice, invoicesOf, withAttempt, withFailedCreate, withNewAttempt } from './checkout-status.ts';
import { inDoubt } from './create-decisions.ts';
import { secondExternalId } from './identifiers.ts';
import { isPayable } from './invoice-links.ts';

// What the result of a CreateInvoice call changes in its checkout.

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
    answeredAt: null,
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

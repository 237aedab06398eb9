import { compareDecimals, parseServiceTimestamp, type CreatedInvoice, type StatusCode } from '../../service-api.ts';
import { attemptOf, withAttempt, withNewAttempt } from './select-invoice-attempt.ts';
import { isPayable } from './present-to-payer.ts';
import type { InvoiceServiceError } from '../ports/invoice-service.ts';
import type { Attempt, CheckoutRecord } from '../ports/checkout-store.ts';

/** The times from which the next run of an attempt is chosen, in milliseconds since 1970. */
export interface NextRuns {
  /** The first fetch of a new invoice. */
  readonly fetchAt: number;
  /** The next repeat of a create in doubt; null: it is not repeated any more, and a person has to check it at the service. */
  readonly retryAt: number | null;
}

/**
 * The result of a CreateInvoice call, and the checkout with that result. `unchanged`: another process recorded a result first.
 * `unresolved`: the create is in doubt and is not repeated any more.
 */
export interface CreateResult {
  readonly kind:
    | 'created'
    | 'second_invoice'
    | 'not_shown'
    | 'not_payable'
    | 'foreign_invoice'
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
  { fetchAt }: NextRuns,
  isForeign = false,
): CreateResult {
  const attempt = attemptOf(record, externalId);
  if (attempt === undefined) return { kind: 'unchanged', record };
  if (attempt.invoice !== null) return addSecondInvoice(record, attempt, invoice, fetchAt, isForeign);
  if (isForeign) {
    const foreignAttempt = { ...withInvoice(attempt, invoice, null), refusal: 'foreign_invoice' as const };
    return { kind: 'foreign_invoice', record: withAttempt(record, foreignAttempt) };
  }
  const matchesRequest =
    compareDecimals(invoice.amount, attempt.amount) === 0 &&
    (invoice.external_id === undefined || invoice.external_id === externalId);
  const kind = !matchesRequest ? 'not_shown' : isPayable(invoice, record.params.currency) ? 'created' : 'not_payable';
  const refusal = kind === 'created' ? null : 'method_unavailable';
  return { kind, record: withAttempt(record, { ...withInvoice(attempt, invoice, fetchAt), refusal }) };
}

/** The attempt with the invoice that its create has returned. The invoice is fetched first at `fetchAt`. */
function withInvoice(attempt: Attempt, invoice: CreatedInvoice, fetchAt: number | null): Attempt {
  return {
    ...attempt,
    stage: 'created',
    invoice,
    // Stryker disable next-line ConditionalExpression: Parsing undefined as a time fails as well.
    expiresAt: invoice.expires_at === undefined ? null : (parseServiceTimestamp(invoice.expires_at) ?? null),
    leaseUntil: 0,
    runAt: fetchAt,
  };
}

/**
 * Adds an attempt for a second invoice, which the service created when the create was repeated. The second invoice is polled,
 * because somebody could pay it, but it is never shown.
 */
function addSecondInvoice(
  record: CheckoutRecord,
  attempt: Attempt,
  invoice: CreatedInvoice,
  fetchAt: number,
  isForeign: boolean,
): CreateResult {
  if (record.attempts.some((known) => known.invoice?.id === invoice.id)) return { kind: 'unchanged', record };
  const secondAttempt: Attempt = {
    ...withInvoice(attempt, invoice, isForeign ? null : fetchAt),
    // The service returns both invoices with the same external_id, but each stored attempt needs a different one.
    externalId: `${attempt.externalId}~${record.attempts.length}`,
    keys: [],
    serviceStatus: null,
    outcome: 'pending',
    paidAmount: null,
    checkedAt: null,
    refusal: isForeign ? 'foreign_invoice' : 'try_again',
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
  // Stryker disable next-line StringLiteral: isConflict has already handled this code; the list is complete for readers.
  'already_exists',
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
  { retryAt }: NextRuns,
): CreateResult {
  const attempt = attemptOf(record, externalId);
  if (attempt === undefined || (attempt.stage !== 'creating' && attempt.stage !== 'in_doubt'))
    return { kind: 'unchanged', record };
  if (isConflict(error, attempt.callCount)) {
    // The service has an invoice with this external_id and does not return it. Only another key leads to another invoice.
    return { kind: 'conflict', record: withAttempt(record, rejectAttempt(attempt, 'method_unavailable')) };
  }
  const provesNoInvoice = attempt.stage === 'creating' || (error.isOwnCode && codesAboutInvoice.includes(error.code));
  if (error.failure === 'ambiguous' || !provesNoInvoice) {
    const attemptInDoubt: Attempt = { ...attempt, stage: 'in_doubt', leaseUntil: 0, runAt: retryAt };
    const nextRecord = withAttempt(record, attemptInDoubt);
    return { kind: retryAt === null ? 'unresolved' : 'in_doubt', record: nextRecord };
  }
  const refusal = refusalFor(error);
  // After a create in doubt, an error of the repeat may be about the repeated external_id: the key leads to no other invoice.
  const isFinal = attempt.stage === 'in_doubt' && refusal === 'try_again';
  return {
    kind: 'rejected',
    record: withAttempt(record, rejectAttempt(attempt, isFinal ? 'method_unavailable' : refusal)),
  };
}

function isConflict({ failure, code, httpStatus }: Failure, callCount: number): boolean {
  if (failure === 'unavailable') return false;
  return code === 'already_exists' || (httpStatus === 409 && callCount >= conflictCallCount);
}

function rejectAttempt(attempt: Attempt, refusal: Attempt['refusal']): Attempt {
  return { ...attempt, stage: 'rejected', refusal, leaseUntil: 0, runAt: null };
}

function refusalFor({ failure, code }: Failure): Attempt['refusal'] {
  if (failure !== 'refused') return 'try_again';
  if (code === 'out_of_range') return 'amount_out_of_limits';
  return code === 'failed_precondition' || code === 'not_found' ? 'method_unavailable' : 'try_again';
}

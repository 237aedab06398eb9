import type { Operation, StatusCode, WireError } from '../../contract.ts';
import type { ServiceFailure } from '../ports/invoice-service.ts';

// Decides whether a failed try is repeated and what its failure means, by operation, HTTP status and body code together.
// The first matching row applies. Principle: a create has failed only when nothing was sent, or when the HTTP status and
// the code in the body agree that nothing was done. Otherwise it is in doubt.

/** The request of a try. */
export interface TryContext {
  readonly operation: Operation;
  /** With an `external_id` the service can recognize a repeated create. */
  readonly hasExternalId: boolean;
  /** Whether the try carried `qr.generate`. */
  readonly withQr: boolean;
}

/**
 * How a try ended without a usable response:
 * `no_token` there was no token to send; `rate_limited` the client's own limit, or the service's `Retry-After`, did not
 * allow it; `not_sent` no connection was made; `circuit_open` the guard rejected it; `connection_lost` the service may have
 * received it; `timeout` it timed out; `canceled` the caller aborted; `unreadable` the status was 2xx, with a body that
 * was cut short, too long, or invalid by the contract.
 */
export type NoResponseKind =
  'no_token' | 'rate_limited' | 'not_sent' | 'circuit_open' | 'connection_lost' | 'timeout' | 'canceled' | 'unreadable';

/** How a try failed: without a usable response, or with an error response (redirects included). */
export type TryFailure =
  | {
      readonly kind: NoResponseKind;
      readonly httpStatus?: number;
      readonly detail?: string;
      readonly retryAfterMs?: number;
    }
  | { readonly kind: 'answer'; readonly error: WireError; readonly retryAfterMs: number | undefined };

/**
 * The next step: `repeat`; `repeat_or_drop_qr` repeat, only the QR failed; `repeat_same_external_id` repeat,
 * although the service may have created the invoice already; `give_up`. `decideQr` decides about the QR.
 */
type NextStep = 'repeat' | 'repeat_or_drop_qr' | 'repeat_same_external_id' | 'give_up';

export interface RetryDecision {
  readonly failure: ServiceFailure;
  readonly next: NextStep;
}

const rejected: RetryDecision = { failure: 'refused', next: 'give_up' };
const repeatable: RetryDecision = { failure: 'unavailable', next: 'repeat' };
const unavailable: RetryDecision = { failure: 'unavailable', next: 'give_up' };
const inDoubt: RetryDecision = { failure: 'ambiguous', next: 'repeat_same_external_id' };
const inDoubtFinal: RetryDecision = { failure: 'ambiguous', next: 'give_up' };

/** Decisions for tries without a response. A read has no effect, so its failures are never ambiguous. */
const noResponseDecisions: Readonly<
  Record<NoResponseKind, { readonly create: RetryDecision; readonly read: RetryDecision }>
> = {
  no_token: { create: unavailable, read: unavailable },
  rate_limited: { create: unavailable, read: unavailable },
  not_sent: { create: repeatable, read: repeatable },
  circuit_open: { create: unavailable, read: unavailable },
  connection_lost: { create: inDoubt, read: repeatable },
  timeout: { create: inDoubt, read: repeatable },
  unreadable: { create: inDoubt, read: repeatable },
  canceled: { create: inDoubtFinal, read: unavailable },
};

/** A code, or `none` when the body has none. */
type BodyCode = StatusCode | 'none';

interface ResponseRow {
  readonly http: readonly [from: number, to: number];
  /** All codes when omitted. */
  readonly codes?: readonly BodyCode[];
  readonly only?: (tried: TryContext) => boolean;
  readonly create: RetryDecision;
  readonly read: RetryDecision;
}

/** Codes of errors in the request itself. */
const requestErrorCodes: readonly BodyCode[] = [
  'none',
  'invalid_argument',
  'not_found',
  'already_exists',
  'permission_denied',
  'failed_precondition',
  'out_of_range',
  'unimplemented',
  'unauthenticated',
];

const withExternalId = ({ hasExternalId }: TryContext) => hasExternalId;

const responseRows: readonly ResponseRow[] = [
  // The documented failure of QR generation (invoice-service.md §7): no invoice was created (§4.1, rule 4).
  {
    http: [503, 503],
    codes: ['internal'],
    only: ({ withQr }) => withQr,
    create: { failure: 'unavailable', next: 'repeat_or_drop_qr' },
    read: repeatable,
  },
  // Redirects are not followed, because of the token. 307 and 308 mean that the request was not executed.
  { http: [307, 308], create: rejected, read: unavailable },
  { http: [300, 399], create: inDoubtFinal, read: unavailable },
  // The external_id exists already: an earlier try, of this call or of one before a crash, created the invoice.
  { http: [400, 599], codes: ['already_exists'], only: withExternalId, create: inDoubtFinal, read: rejected },
  { http: [409, 409], codes: ['none'], only: withExternalId, create: inDoubtFinal, read: rejected },
  // The service is processing another request with the same external_id.
  // Stryker disable next-line all: The last row gives the same decision; this row documents the specification.
  { http: [409, 409], codes: ['aborted'], create: inDoubt, read: repeatable },
  { http: [429, 429], codes: ['none', 'resource_exhausted', 'unavailable'], create: repeatable, read: repeatable },
  // Stryker disable next-line StringLiteral: A later row rejects it as well.
  { http: [413, 413], codes: ['none', 'resource_exhausted'], create: rejected, read: rejected },
  // Statuses whose effect is unknown, whatever the code: timeouts, too early, closed by the client.
  { http: [408, 408], create: inDoubt, read: repeatable },
  { http: [425, 425], create: inDoubt, read: repeatable },
  // Stryker disable next-line ArrayDeclaration: The last row gives the same decision; this row documents the specification.
  { http: [499, 499], create: inDoubt, read: repeatable },
  { http: [400, 498], codes: requestErrorCodes, create: rejected, read: rejected },
  { http: [501, 501], codes: ['none', 'unimplemented'], create: rejected, read: rejected },
  // Everything else: 5xx, including a 503 of a gateway, and responses whose status and code disagree.
  // Stryker disable next-line ArrayDeclaration: The default of the search equals this row.
  { http: [0, 999], create: inDoubt, read: repeatable },
];

/** Decides about a failed try. A create in doubt is not repeated without an `external_id`. */
export function decideRetry(tried: TryContext, failure: TryFailure): RetryDecision {
  const row = failure.kind === 'answer' ? rowOfAnswer(tried, failure.error) : noResponseDecisions[failure.kind];
  if (tried.operation !== 'CreateInvoice') return row.read;
  const mayRepeat = tried.hasExternalId || row.create.next !== 'repeat_same_external_id';
  return mayRepeat ? row.create : { ...row.create, next: 'give_up' };
}

function rowOfAnswer(
  tried: TryContext,
  error: WireError,
): { readonly create: RetryDecision; readonly read: RetryDecision } {
  const code = error.source === 'body' ? error.code : 'none';
  const fits = ({ http: [from, to], codes, only }: ResponseRow) =>
    error.httpStatus >= from &&
    error.httpStatus <= to &&
    (codes?.includes(code) ?? true) &&
    (only === undefined || only(tried));
  // Stryker disable next-line ObjectLiteral: The last row matches every answer. The default narrows the type.
  return responseRows.find(fits) ?? { create: inDoubt, read: repeatable };
}

/**
 * What a failed try with a QR means for the next tries: `keep` the QR is not the cause; `drop_at_last` the QR may be the
 * cause, and the last try is made without it; `drop_now` the request was refused, and one try without the QR follows.
 */
export type QrStep = 'keep' | 'drop_at_last' | 'drop_now';

/** Statuses of refusals that have other causes than the QR: access, a conflict, a rate limit. */
const statusesWithoutQr: readonly number[] = [401, 403, 409, 429];

/** Decides about the QR of the tries after a failed one. */
export function decideQr({ withQr }: TryContext, failure: TryFailure): QrStep {
  if (!withQr) return 'keep';
  switch (failure.kind) {
    case 'answer': {
      const { httpStatus } = failure.error;
      if (httpStatus >= 500) return 'drop_at_last';
      return httpStatus >= 400 && !statusesWithoutQr.includes(httpStatus) ? 'drop_now' : 'keep';
    }
    case 'timeout':
    case 'connection_lost':
    case 'unreadable':
      return 'drop_at_last';
    case 'no_token':
    case 'rate_limited':
    case 'not_sent':
    case 'circuit_open':
    case 'canceled':
      return 'keep';
  }
}

/** Failures before a request is sent, and by the caller. */
const notOutages: readonly NoResponseKind[] = ['no_token', 'rate_limited', 'circuit_open', 'canceled'];

/** Whether a failure is an outage of the service, which a circuit breaker counts. */
export function isOutage(tried: TryContext, failure: TryFailure): boolean {
  if (failure.kind !== 'answer') return !notOutages.includes(failure.kind);
  return failure.error.httpStatus >= 500 && decideRetry(tried, failure).next !== 'repeat_or_drop_qr';
}

/** The code of a failure: the service's own, or the closest one. */
export function codeOfFailure(failure: TryFailure): StatusCode {
  switch (failure.kind) {
    case 'answer':
      return failure.error.code;
    case 'no_token':
      return 'unauthenticated';
    case 'rate_limited':
      return 'resource_exhausted';
    case 'timeout':
      return 'deadline_exceeded';
    case 'canceled':
      return 'canceled';
    case 'unreadable':
      return 'data_loss';
    case 'not_sent':
    case 'circuit_open':
    case 'connection_lost':
      return 'unavailable';
  }
}

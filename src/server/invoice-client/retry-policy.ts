import type { Operation, StatusCode, WireError } from '../../contract.ts';
import type { ServiceFailure } from '../ports/invoice-service.ts';

// Whether a try that failed is repeated, and what its failure means, decided by operation, HTTP status and body code
// together. The first row that fits decides. One principle orders the rows: a create counts as not done only where
// nothing was sent, or where the HTTP status and the code in the body agree that nothing was done.

/** What a try asked for. */
export interface TryContext {
  readonly operation: Operation;
  /** With an `external_id` a repeated create can be told from a second one. */
  readonly hasExternalId: boolean;
  /** Whether the try carried `qr.generate`. */
  readonly withQr: boolean;
}

/**
 * How a try ended without an answer that can be used:
 * `not_sent` no connection was made; `circuit_open` the guard did not let it out; `connection_lost` it may have been
 * received; `timeout` its time was over; `canceled` the caller gave up; `unreadable` the service said 2xx, with a body
 * cut short, too long, or not of the contract.
 */
export type NoResponseKind = 'not_sent' | 'circuit_open' | 'connection_lost' | 'timeout' | 'canceled' | 'unreadable';

/** How a try failed: without a usable answer, or with an error answer (the status of a redirect is one too). */
export type TryFailure =
  | { readonly kind: NoResponseKind; readonly httpStatus?: number; readonly detail?: string }
  | { readonly kind: 'answer'; readonly error: WireError; readonly retryAfterMs: number | undefined };

/**
 * What to do next: `repeat`; `repeat_or_drop_qr` repeat, and leave the QR away in the last try;
 * `repeat_same_external_id` repeat a bounded number of times, the service may know the invoice already; `give_up`.
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

/** A row for each way to end without an answer. A read has no effect: its failures are never ambiguous. */
const noResponseDecisions: Readonly<
  Record<NoResponseKind, { readonly create: RetryDecision; readonly read: RetryDecision }>
> = {
  not_sent: { create: repeatable, read: repeatable },
  circuit_open: { create: unavailable, read: unavailable },
  connection_lost: { create: inDoubt, read: repeatable },
  timeout: { create: inDoubt, read: repeatable },
  unreadable: { create: inDoubt, read: repeatable },
  canceled: { create: inDoubtFinal, read: unavailable },
};

/** A code, or `none` when the body did not say one. */
type BodyCode = StatusCode | 'none';

interface ResponseRow {
  readonly http: readonly [from: number, to: number];
  /** Every code when left out. */
  readonly codes?: readonly BodyCode[];
  readonly only?: (asked: TryContext) => boolean;
  readonly create: RetryDecision;
  readonly read: RetryDecision;
}

/** Codes by which the service says that the request itself is at fault. */
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
  // The documented failure of QR generation (invoice-service.md §7): no invoice was made (§4.1, rule 4).
  {
    http: [503, 503],
    codes: ['internal'],
    only: ({ withQr }) => withQr,
    create: { failure: 'unavailable', next: 'repeat_or_drop_qr' },
    read: repeatable,
  },
  // Redirects are never followed with the token. 307 and 308 say that the method was not carried out.
  { http: [307, 308], create: rejected, read: unavailable },
  { http: [300, 399], create: inDoubtFinal, read: unavailable },
  // An external_id that the service knows: an earlier try, of this call or of one before a crash, made the invoice.
  { http: [400, 599], codes: ['already_exists'], only: withExternalId, create: inDoubtFinal, read: rejected },
  { http: [409, 409], codes: ['none'], only: withExternalId, create: inDoubtFinal, read: rejected },
  // The same external_id is being worked on: soon the service knows it.
  // Stryker disable next-line all: The last row gives the same verdict; this row documents the specification.
  { http: [409, 409], codes: ['aborted'], create: inDoubt, read: repeatable },
  { http: [429, 429], codes: ['none', 'resource_exhausted', 'unavailable'], create: repeatable, read: repeatable },
  // Stryker disable next-line StringLiteral: A later row rejects it as well.
  { http: [413, 413], codes: ['none', 'resource_exhausted'], create: rejected, read: rejected },
  // Statuses that leave open what happened, whatever the code: time-outs, too early, closed by the client.
  { http: [408, 408], create: inDoubt, read: repeatable },
  { http: [425, 425], create: inDoubt, read: repeatable },
  // Stryker disable next-line ArrayDeclaration: The last row gives the same verdict; this row documents the specification.
  { http: [499, 499], create: inDoubt, read: repeatable },
  { http: [400, 498], codes: requestErrorCodes, create: rejected, read: rejected },
  { http: [501, 501], codes: ['none', 'unimplemented'], create: rejected, read: rejected },
  // Everything else: 5xx, a 503 of a gateway among them, and answers whose status and code disagree.
  // Stryker disable next-line ArrayDeclaration: The default of the search equals this row.
  { http: [0, 999], create: inDoubt, read: repeatable },
];

/** What a failed try means and what comes next. Without an `external_id` a create in doubt is never repeated. */
export function decideRetry(asked: TryContext, failure: TryFailure): RetryDecision {
  const row = failure.kind === 'answer' ? rowOfAnswer(asked, failure.error) : noResponseDecisions[failure.kind];
  if (asked.operation !== 'CreateInvoice') return row.read;
  const repeatable = asked.hasExternalId || row.create.next !== 'repeat_same_external_id';
  return repeatable ? row.create : { ...row.create, next: 'give_up' };
}

function rowOfAnswer(
  asked: TryContext,
  error: WireError,
): { readonly create: RetryDecision; readonly read: RetryDecision } {
  const code = error.source === 'body' ? error.code : 'none';
  const fits = ({ http: [from, to], codes, only }: ResponseRow) =>
    error.httpStatus >= from &&
    error.httpStatus <= to &&
    (codes?.includes(code) ?? true) &&
    (only === undefined || only(asked));
  // Stryker disable next-line ObjectLiteral: The last row matches every answer. The default narrows the type.
  return responseRows.find(fits) ?? { create: inDoubt, read: repeatable };
}

/** Tells whether a failure says that the service is unwell, which is what a circuit breaker counts. */
export function isOutage(asked: TryContext, failure: TryFailure): boolean {
  if (failure.kind !== 'answer') return failure.kind !== 'canceled' && failure.kind !== 'circuit_open';
  return failure.error.httpStatus >= 500 && decideRetry(asked, failure).next !== 'repeat_or_drop_qr';
}

/** The code of a failure: the service's own, or the one that comes nearest. */
export function codeOfFailure(failure: TryFailure): StatusCode {
  switch (failure.kind) {
    case 'answer':
      return failure.error.code;
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

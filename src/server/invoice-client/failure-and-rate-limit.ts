import type { Operation, StatusCode, WireError } from '../../service-api.ts';
import type { ServiceFailure } from '../ports/invoice-service.ts';
import type { Clock } from '../../base/clock.ts';

// Decides what the failure of a request means. The decision depends on the operation, the HTTP status and the code in the body.
// The first matching row of the table applies. Principle: a create has certainly failed only when nothing was sent, or when the
// HTTP status and the code agree that the service did nothing. Otherwise the create is in doubt. Nothing is repeated here: an
// attempt repeats its create on its schedule (domain/create-repeats.ts), and reads are made again by who needs them.

/** What failed. */
export interface RequestContext {
  readonly operation: Operation;
  /** With an `external_id` the service can recognize a repeated create. */
  readonly hasExternalId: boolean;
  /** Whether the request asks for a QR code (`qr.generate`). */
  readonly withQr: boolean;
}

/**
 * Why a request had no usable response:
 * - `no_token`: there was no token to send;
 * - `rate_limited`: the client's own limit, or the service's `Retry-After`, did not allow the request;
 * - `not_sent`: the connection failed before the request was written;
 * - `connection_lost`: the service may have received the request;
 * - `timeout`: the response took too long;
 * - `canceled`: the caller aborted the call;
 * - `unreadable`: the status was 2xx, and the body was cut short, too long, or invalid by the contract.
 */
export type NoResponseKind =
  'no_token' | 'rate_limited' | 'not_sent' | 'connection_lost' | 'timeout' | 'canceled' | 'unreadable';

/** How a request failed: without a usable response, or with an error response (redirects included). */
export type RequestFailure =
  | {
      readonly kind: NoResponseKind;
      readonly httpStatus?: number;
      readonly detail?: string;
      readonly retryAfterMs?: number;
    }
  | { readonly kind: 'answer'; readonly error: WireError; readonly retryAfterMs: number | undefined };

/** What a failure means. */
export interface Verdict {
  readonly failure: ServiceFailure;
  /**
   * What the failure means for the QR of the request:
   * - `not_the_cause`: or it is not known whether the invoice was created;
   * - `failed`: no invoice was created, because the QR could not be generated in time. It may succeed now;
   * - `refused`: no invoice was created, perhaps because of the QR. One may be created without it.
   */
  readonly qr: 'not_the_cause' | 'failed' | 'refused';
}

/** The failures of a create and of a read with the same response. A read changes nothing at the service, so it is never in doubt. */
interface Meaning {
  readonly create: ServiceFailure;
  readonly read: ServiceFailure;
}

const noResponseMeanings: Readonly<Record<NoResponseKind, Meaning>> = {
  no_token: { create: 'unavailable', read: 'unavailable' },
  rate_limited: { create: 'unavailable', read: 'unavailable' },
  not_sent: { create: 'unavailable', read: 'unavailable' },
  connection_lost: { create: 'ambiguous', read: 'unavailable' },
  timeout: { create: 'ambiguous', read: 'unavailable' },
  unreadable: { create: 'ambiguous', read: 'unavailable' },
  canceled: { create: 'ambiguous', read: 'unavailable' },
};

/** A code, or `none` when the body has none. */
type BodyCode = StatusCode | 'none';

/** The meaning of error responses with one of these HTTP statuses and codes. */
interface ResponseRow extends Meaning {
  /** The first and the last HTTP status. */
  readonly http: readonly [from: number, to: number];
  /** All codes when omitted. */
  readonly codes?: readonly BodyCode[];
  /** The row applies only to these requests; to all when omitted. */
  readonly appliesTo?: (context: RequestContext) => boolean;
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

const hasExternalIdOf = ({ hasExternalId }: RequestContext) => hasExternalId;

/** The documented failure of QR generation (invoice-service.md §7): no invoice was created (§4.1, rule 4). */
const qrFailureRow: ResponseRow = {
  http: [503, 503],
  codes: ['internal'],
  appliesTo: ({ withQr }) => withQr,
  create: 'unavailable',
  read: 'unavailable',
};

const responseRows: readonly ResponseRow[] = [
  qrFailureRow,
  // Redirects are not followed, because of the token. 307 and 308 mean that the request was not executed.
  { http: [307, 308], create: 'refused', read: 'unavailable' },
  { http: [300, 399], create: 'ambiguous', read: 'unavailable' },
  // The external_id exists already: an earlier call created the invoice, perhaps before a crash of this program.
  { http: [400, 599], codes: ['already_exists'], appliesTo: hasExternalIdOf, create: 'ambiguous', read: 'refused' },
  { http: [409, 409], codes: ['none'], appliesTo: hasExternalIdOf, create: 'ambiguous', read: 'refused' },
  // The service is processing another request with the same external_id.
  { http: [409, 409], codes: ['aborted'], create: 'ambiguous', read: 'unavailable' },
  {
    http: [429, 429],
    codes: ['none', 'resource_exhausted', 'unavailable'],
    create: 'unavailable',
    read: 'unavailable',
  },
  { http: [413, 413], codes: ['none', 'resource_exhausted'], create: 'refused', read: 'refused' },
  // With these statuses the effect is unknown, whatever the code is: timeout, too early, closed by the client.
  { http: [408, 408], create: 'ambiguous', read: 'unavailable' },
  { http: [425, 425], create: 'ambiguous', read: 'unavailable' },
  { http: [499, 499], create: 'ambiguous', read: 'unavailable' },
  { http: [400, 498], codes: requestErrorCodes, create: 'refused', read: 'refused' },
  { http: [501, 501], codes: ['none', 'unimplemented'], create: 'refused', read: 'refused' },
];

/** All other responses: 5xx, including a 503 of a gateway, and responses whose status and code disagree. */
const otherResponses: Meaning = { create: 'ambiguous', read: 'unavailable' };

/** HTTP statuses of refusals that have other causes than the QR: access, a conflict, a rate limit. */
const statusesNotAboutQr: readonly number[] = [401, 403, 409, 429];

/** Decides what the failure of a request means. */
export function judgeFailure(context: RequestContext, failure: RequestFailure): Verdict {
  const isCreate = context.operation === 'CreateInvoice';
  if (failure.kind !== 'answer') {
    const { create, read } = noResponseMeanings[failure.kind];
    return { failure: isCreate ? create : read, qr: 'not_the_cause' };
  }
  const { httpStatus } = failure.error;
  const row = rowOfResponse(context, failure.error);
  const meaning = isCreate ? row.create : row.read;
  // A QR that may be asked for only later is not waited for: the payer gets requisites now.
  if (row === qrFailureRow) return { failure: meaning, qr: failure.retryAfterMs === undefined ? 'failed' : 'refused' };
  const isQrSuspect =
    context.withQr && meaning === 'refused' && httpStatus >= 400 && !statusesNotAboutQr.includes(httpStatus);
  return { failure: meaning, qr: isQrSuspect ? 'refused' : 'not_the_cause' };
}

function rowOfResponse(context: RequestContext, error: WireError): Meaning {
  const { httpStatus } = error;
  const code = error.source === 'body' ? error.code : 'none';
  const matchesResponse = ({ http: [from, to], codes, appliesTo }: ResponseRow) =>
    httpStatus >= from && httpStatus <= to && (codes?.includes(code) ?? true) && (appliesTo?.(context) ?? true);
  return responseRows.find(matchesResponse) ?? otherResponses;
}

/** The code of a failure: the code that the service sent, or the code that is closest to the failure. */
export function codeOfFailure(failure: RequestFailure): StatusCode {
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
    case 'connection_lost':
      return 'unavailable';
  }
}

/** A request that waits. */
interface Waiter {
  /** When the request is sent. A pause may postpone it. */
  readonly at: number;
  /** The latest time for which the caller waits. */
  readonly latest: number;
  readonly settle: (isAllowed: boolean) => void;
}

/** A little more than a second, because requests that are sent at even intervals may arrive at uneven intervals. */
const windowMs = 1_100;

/**
 * Limits the requests of one operation: each client of the invoice service has a limiter for each operation. It allows at most `perSecond` requests in any `windowMs` milliseconds. Each decision reads the clock once.
 * A waiting request is sent when the timer of its time fires, whatever the clock says then: timers may fire a little early.
 */
export function createRateLimiter(clock: Clock, perSecond: number) {
  /** The times of the last `perSecond` requests that were sent, oldest first. */
  const sent: number[] = [];
  let waiting: readonly Waiter[] = [];
  let pausedUntil = -Infinity;
  let cancelTimer = (): void => undefined;

  const nextTime = (now: number): number => {
    const timeOf = (index: number): number => sent[index] ?? waiting[index - sent.length]?.at ?? -Infinity;
    const count = sent.length + waiting.length;
    return Math.max(now, pausedUntil, timeOf(count - 1), timeOf(count - perSecond) + windowMs);
  };

  const noteSent = (at: number): void => {
    sent.push(at);
    if (sent.length > perSecond) sent.shift();
  };

  const startTimer = (now: number): void => {
    cancelTimer();
    const due = waiting[0]?.at;
    if (due === undefined) return;
    cancelTimer = clock.schedule(due - now, () => {
      const allowed = waiting.filter(({ at }) => at <= due);
      waiting = waiting.slice(allowed.length);
      for (const { at, settle } of allowed) {
        noteSent(at);
        settle(true);
      }
      startTimer(clock.now());
    });
  };

  /** Gives each waiting request its time again, after a pause has begun or a request has gone. */
  const reschedule = (waiters: readonly Waiter[]): void => {
    const now = clock.now();
    waiting = [];
    for (const waiter of waiters) {
      const at = nextTime(now);
      if (at > waiter.latest) waiter.settle(false);
      else waiting = [...waiting, { ...waiter, at }];
    }
    startTimer(now);
  };

  return {
    /**
     * Counts a request, and resolves with true when the request may be sent. Requests are sent in the order of the calls.
     * Resolves with false when the request would have to wait longer than `maxWaitMs`, or when the signal aborts.
     */
    async acquire(maxWaitMs: number, signal?: AbortSignal): Promise<boolean> {
      if (signal?.aborted === true) return false;
      const now = clock.now();
      const at = nextTime(now);
      const latest = now + Math.max(0, maxWaitMs);
      if (at > latest) return false;
      if (at === now && waiting.length === 0) {
        noteSent(at);
        return true;
      }
      return new Promise<boolean>((resolve) => {
        const abort = (): void => {
          reschedule(waiting.filter(({ settle: settleOther }) => settleOther !== settle));
          settle(false);
        };
        const settle = (isAllowed: boolean): void => {
          signal?.removeEventListener('abort', abort);
          resolve(isAllowed);
        };
        signal?.addEventListener('abort', abort, { once: true });
        waiting = [...waiting, { at, latest, settle }];
        if (waiting.length === 1) startTimer(now);
      });
    },
    /** Holds all requests back for `ms` milliseconds, because the service sent `Retry-After`. */
    pause(ms: number): void {
      pausedUntil = Math.max(pausedUntil, clock.now() + ms);
      reschedule(waiting);
    },
    /** Milliseconds until the next request may be sent. */
    waitMs(): number {
      const now = clock.now();
      return nextTime(now) - now;
    },
  };
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

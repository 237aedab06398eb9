import type { Operation, StatusCode, WireError } from '../../service-api.ts';
import type { ServiceFailure } from '../ports/invoice-service.ts';
import type { Clock } from '../../base/clock.ts';

// Decides whether a failed try is repeated, and what its failure means. A decision depends on the operation, the HTTP status
// and the code in the body. The first matching row of the table applies. Principle: a create has certainly failed only when
// nothing was sent, or when the HTTP status and the code agree that the service did nothing. Otherwise the create is in doubt.

/** What a try requests. */
export interface TryContext {
  readonly operation: Operation;
  /** With an `external_id` the service can recognize a repeated create. */
  readonly hasExternalId: boolean;
  /** Whether the try requests a QR code (`qr.generate`). */
  readonly withQr: boolean;
}

/**
 * Why a try had no usable response:
 * - `no_token`: there was no token to send;
 * - `rate_limited`: the client's own limit, or the service's `Retry-After`, did not allow the request;
 * - `not_sent`: the connection failed before the request was written;
 * - `connection_lost`: the service may have received the request;
 * - `timeout`: the try took too long;
 * - `canceled`: the caller aborted the call;
 * - `unreadable`: the status was 2xx, and the body was cut short, too long, or invalid by the contract.
 */
export type NoResponseKind =
  'no_token' | 'rate_limited' | 'not_sent' | 'connection_lost' | 'timeout' | 'canceled' | 'unreadable';

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
 * What follows a failed try:
 * - `repeat`: another try;
 * - `repeat_or_drop_qr`: another try; only the QR generation has failed;
 * - `repeat_same_external_id`: another try, although the service may have created the invoice already;
 * - `give_up`: no other try.
 */
type NextStep = 'repeat' | 'repeat_or_drop_qr' | 'repeat_same_external_id' | 'give_up';

/**
 * What a failed try with a QR means for the QR of the next tries:
 * - `keep`: the QR is not the cause;
 * - `drop_at_last`: the QR may be the cause, and the last try is made without it;
 * - `drop_now`: the request was refused, and one try without the QR follows.
 */
type QrStep = 'keep' | 'drop_at_last' | 'drop_now';

interface Verdict {
  readonly failure: ServiceFailure;
  readonly next: NextStep;
}

export interface RetryDecision extends Verdict {
  readonly qr: QrStep;
}

const refused: Verdict = { failure: 'refused', next: 'give_up' };
const repeatable: Verdict = { failure: 'unavailable', next: 'repeat' };
const unavailable: Verdict = { failure: 'unavailable', next: 'give_up' };
const inDoubt: Verdict = { failure: 'ambiguous', next: 'repeat_same_external_id' };
const inDoubtFinal: Verdict = { failure: 'ambiguous', next: 'give_up' };

/** The decisions about creates and reads, and what the failure means for the QR; by default `keep`. */
interface ResponseDecision {
  readonly create: Verdict;
  readonly read: Verdict;
  readonly qr?: QrStep;
}

/** Decisions for tries without a response. A read changes nothing at the service, so its failures are never ambiguous. */
const noResponseDecisions: Readonly<Record<NoResponseKind, ResponseDecision>> = {
  no_token: { create: unavailable, read: unavailable },
  rate_limited: { create: unavailable, read: unavailable },
  not_sent: { create: repeatable, read: repeatable },
  connection_lost: { create: inDoubt, read: repeatable, qr: 'drop_at_last' },
  timeout: { create: inDoubt, read: repeatable, qr: 'drop_at_last' },
  unreadable: { create: inDoubt, read: repeatable, qr: 'drop_at_last' },
  canceled: { create: inDoubtFinal, read: unavailable },
};

/** A code, or `none` when the body has none. */
type BodyCode = StatusCode | 'none';

/** The decisions for error responses with one of these HTTP statuses and codes. */
interface ResponseRow {
  /** The first and the last HTTP status. */
  readonly http: readonly [from: number, to: number];
  /** All codes when omitted. */
  readonly codes?: readonly BodyCode[];
  /** The row applies only to these tries; to all tries when omitted. */
  readonly appliesTo?: (context: TryContext) => boolean;
  readonly create: Verdict;
  readonly read: Verdict;
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

const hasExternalIdOf = ({ hasExternalId }: TryContext) => hasExternalId;

const responseRows: readonly ResponseRow[] = [
  // The documented failure of QR generation (invoice-service.md §7): no invoice was created (§4.1, rule 4).
  {
    http: [503, 503],
    codes: ['internal'],
    appliesTo: ({ withQr }) => withQr,
    create: { failure: 'unavailable', next: 'repeat_or_drop_qr' },
    read: repeatable,
  },
  // Redirects are not followed, because of the token. 307 and 308 mean that the request was not executed.
  { http: [307, 308], create: refused, read: unavailable },
  { http: [300, 399], create: inDoubtFinal, read: unavailable },
  // The external_id exists already: an earlier try created the invoice, perhaps before a crash of this program.
  { http: [400, 599], codes: ['already_exists'], appliesTo: hasExternalIdOf, create: inDoubtFinal, read: refused },
  { http: [409, 409], codes: ['none'], appliesTo: hasExternalIdOf, create: inDoubtFinal, read: refused },
  // The service is processing another request with the same external_id.
  { http: [409, 409], codes: ['aborted'], create: inDoubt, read: repeatable },
  { http: [429, 429], codes: ['none', 'resource_exhausted', 'unavailable'], create: repeatable, read: repeatable },
  { http: [413, 413], codes: ['none', 'resource_exhausted'], create: refused, read: refused },
  // With these statuses the effect is unknown, whatever the code is: timeout, too early, closed by the client.
  { http: [408, 408], create: inDoubt, read: repeatable },
  { http: [425, 425], create: inDoubt, read: repeatable },
  { http: [499, 499], create: inDoubt, read: repeatable },
  { http: [400, 498], codes: requestErrorCodes, create: refused, read: refused },
  { http: [501, 501], codes: ['none', 'unimplemented'], create: refused, read: refused },
];

/** All other responses: 5xx, including a 503 of a gateway, and responses whose status and code disagree. */
const otherResponses = { create: inDoubt, read: repeatable };

/** HTTP statuses of refusals that have other causes than the QR: access, a conflict, a rate limit. */
const statusesNotAboutQr: readonly number[] = [401, 403, 409, 429];

/** Decides about a failed try. A create in doubt is not repeated without an `external_id`. */
export function decideRetry(context: TryContext, failure: TryFailure): RetryDecision {
  const {
    create,
    read,
    qr = 'keep',
  } = failure.kind === 'answer' ? rowOfResponse(context, failure.error) : noResponseDecisions[failure.kind];
  if (context.operation !== 'CreateInvoice') return { ...read, qr: 'keep' };
  const mayRepeat = context.hasExternalId || create.next !== 'repeat_same_external_id';
  return { failure: create.failure, next: mayRepeat ? create.next : 'give_up', qr: context.withQr ? qr : 'keep' };
}

function rowOfResponse(context: TryContext, error: WireError): ResponseDecision {
  const { httpStatus } = error;
  const code = error.source === 'body' ? error.code : 'none';
  const matchesResponse = ({ http: [from, to], codes, appliesTo }: ResponseRow) =>
    httpStatus >= from && httpStatus <= to && (codes?.includes(code) ?? true) && (appliesTo?.(context) ?? true);
  const row = responseRows.find(matchesResponse) ?? otherResponses;
  const isQrSuspect = httpStatus >= 400 && !statusesNotAboutQr.includes(httpStatus);
  return { ...row, qr: httpStatus >= 500 ? 'drop_at_last' : isQrSuspect ? 'drop_now' : 'keep' };
}

/** The code of a failure: the code that the service sent, or the code that is closest to the failure. */
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
    case 'connection_lost':
      return 'unavailable';
  }
}

/** The maximum wait before the second try, in milliseconds. It doubles with each further try. */
const baseMs = 200;
/** The limit of the doubled maximum, in milliseconds. A `Retry-After` may be longer. */
const capMs = 3_000;

/**
 * The wait before the next try in milliseconds: capped exponential backoff with full jitter, evenly distributed from
 * 0 up to `min(capMs, baseMs × 2^(tries-1))`.
 * @param tries The number of failed tries, at least 1.
 * @param random A number from 0 (inclusive) to 1 (exclusive).
 */
export function backoffMs(tries: number, random: number): number {
  return Math.min(capMs, baseMs * 2 ** Math.min(tries - 1, 100)) * random;
}

/** The initial and the maximum balance: the retries that are allowed in a burst. */
const reserve = 5;
/** The fraction of a retry that each call adds to the balance. */
const perCall = 0.1;
/** How far tries without the QR may overdraw the balance. */
const overdraft = 20;

/**
 * A token bucket for the retries of all calls of a client. During an outage there are at most `reserve + perCall × calls`
 * retries, and of creates with a QR at most `overdraft` more.
 */
export function createRetryBudget() {
  let balance = reserve;
  const add = (retries: number): void => {
    balance = Math.min(reserve, balance + retries);
  };
  return {
    /** Adds to the balance. Call it once for every call. */
    earn: (): void => add(perCall),
    /** Takes one retry from the balance; returns false when none is left. A try without the QR may overdraw the balance. */
    spend(isWithoutQr = false): boolean {
      if (balance + (isWithoutQr ? overdraft : 0) < 1 - 1e-9) return false; // ten times 0.1 is a little less than 1
      balance -= 1;
      return true;
    },
    /** Gives a retry back, because the QR was its cause and not an outage. */
    refund: (): void => add(1),
  };
}

export type RetryBudget = ReturnType<typeof createRetryBudget>;

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

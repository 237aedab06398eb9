import { sleep, type Clock } from '../../base/clock.ts';
import type { TryResult } from './send-http-request.ts';
import type { RateLimiter } from './operation-rate-limit.ts';
import { InvoiceServiceError } from '../ports/invoice-service.ts';
import {
  codeOfFailure,
  decideQr,
  decideRetry,
  type QrStep,
  type RetryDecision,
  type TryContext,
  type TryFailure,
} from './retry-policy.ts';

/** A call that is retried, with its limits. Times are in milliseconds. */
export interface RetriedCall<T> {
  /** What the first try requests. */
  readonly firstTry: TryContext;
  readonly maxTries: number;
  readonly deadlineMs: number;
  readonly tryTimeoutMs: number;
  /** The timeout of a try that requests a QR code. */
  readonly qrTryTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly limiter: RateLimiter;
  /** How long the first try waits for the limiter. Later tries wait until the deadline. */
  readonly limiterWaitMs: number;
  /** Makes one try, which takes at most `timeoutMs`. */
  readonly runTry: (withQr: boolean, timeoutMs: number) => Promise<TryResult<T>>;
  /** Called after each failed try. `waitMs` is the wait before the next try; undefined when there is no next try. */
  readonly onFailure: (failure: TryFailure, decision: RetryDecision, tries: number, waitMs: number | undefined) => void;
}

export interface RetryPorts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly budget: RetryBudget;
  /** For tries without the QR. A successful try is refunded, because the QR was the cause and not an outage. */
  readonly withoutQrBudget: RetryBudget;
  readonly backoff: BackoffSettings;
}

/** The state of the call after a try. */
interface Progress {
  readonly tries: number;
  readonly remainingMs: number;
  readonly withQr: boolean;
  readonly qrStep: QrStep;
}

interface PlannedTry {
  readonly waitMs: number;
  readonly withQr: boolean;
}

/** A try with less remaining time is not made. */
const minTryMs = 250;

/**
 * Tries a call until it succeeds, until a failure is final, or until the tries, the time or the retry budget are used up. One
 * ambiguous try makes the whole call ambiguous: a later failure does not undo what the ambiguous try may have done.
 * @throws InvoiceServiceError
 */
export async function withRetries<T>(call: RetriedCall<T>, ports: RetryPorts): Promise<T> {
  const endsAt = ports.clock.now() + call.deadlineMs;
  let withQr = call.firstTry.withQr;
  let qrStep: QrStep = 'keep';
  let isInDoubt = false;
  ports.budget.earn();
  if (withQr) ports.withoutQrBudget.earn();
  for (let tries = 1; ; tries += 1) {
    const result = await tryWithinRateLimit(call, ports, withQr, endsAt, tries);
    if (result.ok) {
      if (withQr !== call.firstTry.withQr) ports.withoutQrBudget.refund();
      return result.value;
    }
    const tryContext = { ...call.firstTry, withQr };
    const decision = decideRetry(tryContext, result.failure);
    pauseLimiter(call.limiter, result.failure, decision);
    const step = decideQr(tryContext, result.failure);
    if (step !== 'keep') qrStep = step;
    isInDoubt ||= decision.failure === 'ambiguous';
    const progress = { tries, remainingMs: endsAt - ports.clock.now(), withQr, qrStep };
    const nextTry = planNextTry(call, ports, decision, result.failure, progress);
    call.onFailure(result.failure, decision, tries, nextTry?.waitMs);
    const isFinal = nextTry === undefined || !(await waitUnlessAborted(ports.clock, nextTry.waitMs, call.signal));
    if (isFinal) throw createError(call, result.failure, isInDoubt ? 'ambiguous' : decision.failure, tries);
    withQr = nextTry.withQr;
  }
}

/** Makes one try as soon as the rate limit allows it. */
async function tryWithinRateLimit<T>(
  call: RetriedCall<T>,
  { clock }: RetryPorts,
  withQr: boolean,
  endsAt: number,
  tries: number,
): Promise<TryResult<T>> {
  const remainingWaitMs = endsAt - minTryMs - clock.now();
  const longestLimiterWaitMs = tries === 1 ? Math.min(call.limiterWaitMs, remainingWaitMs) : remainingWaitMs;
  if (!(await call.limiter.acquire(longestLimiterWaitMs, call.signal))) {
    if (call.signal?.aborted === true) return { ok: false, failure: { kind: 'canceled' } };
    return { ok: false, failure: { kind: 'rate_limited', retryAfterMs: Math.ceil(call.limiter.waitMs()) } };
  }
  return call.runTry(withQr, Math.min(endsAt - clock.now(), withQr ? call.qrTryTimeoutMs : call.tryTimeoutMs));
}

/**
 * Pauses the limiter for the `Retry-After` of a 429 or 503. A failed QR generation does not pause it: it concerns only the QR.
 */
function pauseLimiter(limiter: RateLimiter, failure: TryFailure, decision: RetryDecision): void {
  if (failure.kind !== 'answer' || failure.retryAfterMs === undefined || decision.next === 'repeat_or_drop_qr') return;
  if (failure.error.httpStatus === 429 || failure.error.httpStatus === 503) limiter.pause(failure.retryAfterMs);
}

/** The next try, or undefined when the call has failed. */
function planNextTry<T>(
  call: RetriedCall<T>,
  { budget, withoutQrBudget, backoff, random }: RetryPorts,
  decision: RetryDecision,
  failure: TryFailure,
  { tries, remainingMs, withQr, qrStep }: Progress,
): PlannedTry | undefined {
  if (withQr !== call.firstTry.withQr) return undefined; // one try without the QR at most
  // A create that may have succeeded is repeated only when the service can recognize the repeat.
  const mayDropQr = qrStep === 'drop_now' && (decision.failure !== 'ambiguous' || call.firstTry.hasExternalId);
  if (!mayDropQr && (decision.next === 'give_up' || tries >= call.maxTries)) return undefined;
  // Stryker disable next-line ConditionalExpression: No other failure has a Retry-After. The check narrows the type.
  const retryAfterMs = failure.kind === 'answer' ? (failure.retryAfterMs ?? 0) : 0;
  const minWaitMs = backoffMs(tries, backoff, random());
  const waitMs = Math.max(retryAfterMs, minWaitMs);
  const remainingAfterWait = remainingMs - waitMs;
  const hasTime = remainingAfterWait >= minTryMs;
  if (qrStep === 'keep') return hasTime && budget.spend() ? { waitMs, withQr } : undefined;
  const isLastTry =
    mayDropQr || tries + 1 >= call.maxTries || remainingAfterWait < call.qrTryTimeoutMs + call.tryTimeoutMs;
  if (!isLastTry && budget.spend()) return { waitMs, withQr };
  // When only the QR was refused, the service works. The try without the QR then needs no budget, and ignores a Retry-After
  // that is longer than the remaining time.
  const isQrRefused = mayDropQr || decision.next === 'repeat_or_drop_qr';
  if (isQrRefused)
    return remainingMs - minWaitMs < minTryMs ? undefined : { waitMs: hasTime ? waitMs : minWaitMs, withQr: false };
  return hasTime && withoutQrBudget.spend() ? { waitMs, withQr: false } : undefined;
}

/** Waits `ms` milliseconds. Resolves with true, or immediately with false when the signal aborts. */
async function waitUnlessAborted(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await sleep(clock, ms, signal ?? new AbortController().signal);
    return signal?.aborted !== true;
    // Stryker disable next-line BlockStatement: Without the block the result is undefined, which is falsy too.
  } catch {
    return false; // only an abort rejects
  }
}

function createError<T>(
  { firstTry, signal }: RetriedCall<T>,
  lastFailure: TryFailure,
  failure: RetryDecision['failure'],
  tries: number,
): InvoiceServiceError {
  const code = signal?.aborted === true && failure !== 'refused' ? 'canceled' : codeOfFailure(lastFailure);
  const httpStatus = lastFailure.kind === 'answer' ? lastFailure.error.httpStatus : (lastFailure.httpStatus ?? 0);
  const detail =
    lastFailure.kind === 'answer'
      ? ''
      : `, ${lastFailure.kind}${lastFailure.detail === undefined ? '' : ` (${lastFailure.detail})`}`;
  const status = httpStatus === 0 ? 'no answer' : `HTTP ${httpStatus}`;
  const text = `${firstTry.operation} is ${failure} after ${tries} ${tries === 1 ? 'try' : 'tries'}: ${code}, ${status}${detail}`;
  const { retryAfterMs } = lastFailure;
  const isOwnCode = lastFailure.kind === 'answer' && lastFailure.error.source === 'body';
  return new InvoiceServiceError(text, { failure, code, isOwnCode, httpStatus, retryAfterMs });
}

/** The settings of the wait between tries, in milliseconds. */
export interface BackoffSettings {
  /** The maximum wait before the second try. The maximum doubles with each further try. */
  readonly baseMs: number;
  /** The limit of the doubled maximum. A `Retry-After` may be longer. */
  readonly capMs: number;
}

/**
 * The wait before the next try in milliseconds: capped exponential backoff with full jitter, evenly distributed from
 * 0 up to `min(capMs, baseMs × 2^(tries-1))`.
 * @param tries The number of failed tries, at least 1.
 * @param random A number from 0 (inclusive) to 1 (exclusive).
 */
export function backoffMs(tries: number, settings: BackoffSettings, random: number): number {
  return Math.min(settings.capMs, settings.baseMs * 2 ** Math.min(tries - 1, 100)) * random;
}

/** Limits how many retries a client adds to its calls. */
export interface RetryBudgetSettings {
  /** The fraction of a retry that each call adds to the balance. */
  readonly perCall: number;
  /** The initial and the maximum balance: the retries that are allowed in a burst. */
  readonly reserve: number;
}

/**
 * A token bucket for the retries of all calls of a client. During an outage there are at most
 * `reserve + perCall × calls` retries.
 */
export interface RetryBudget {
  /** Adds `perCall` to the balance. Call it once for every call. */
  earn(): void;
  /** Takes one retry from the balance; returns false when none is left. */
  spend(): boolean;
  /** Gives one retry back. */
  refund(): void;
}

export function createRetryBudget({ perCall, reserve }: RetryBudgetSettings): RetryBudget {
  let balance = reserve;
  return {
    earn: () => {
      balance = Math.min(reserve, balance + perCall);
    },
    spend: () => {
      // Stryker disable next-line EqualityOperator: The tolerance covers floating point errors; no balance equals it exactly.
      if (balance < 1 - 1e-9) return false; // because ten times 0.1 is a little less than 1
      balance -= 1;
      return true;
    },
    refund: () => {
      balance = Math.min(reserve, balance + 1);
    },
  };
}

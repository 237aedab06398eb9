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

/** A call with its limits. Times are in milliseconds. */
export interface RetriedCall<T> {
  /** The first try. */
  readonly firstTry: TryContext;
  readonly maxTries: number;
  readonly deadlineMs: number;
  readonly tryTimeoutMs: number;
  /** The timeout of a try that carries a QR. */
  readonly qrTryTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly limiter: RateLimiter;
  /** How long the first try waits for the limiter; later ones wait until the deadline. */
  readonly limiterWaitMs: number;
  /** Makes one try within `timeoutMs`. */
  readonly runTry: (withQr: boolean, timeoutMs: number) => Promise<TryResult<T>>;
  /** Called after each failed try. `waitMs` is the wait before the next try; undefined when there is none. */
  readonly onFailure: (failure: TryFailure, decision: RetryDecision, tries: number, waitMs: number | undefined) => void;
}

export interface RetryPorts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly budget: RetryBudget;
  /** For tries without the QR. A try that succeeds is refunded, because the cause was the QR and not an outage. */
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

const minTryMs = 250;

/**
 * Repeats a call until it succeeds, the failure is final, or the tries, the deadline or the retry budget are used up.
 * After one ambiguous try the whole call is ambiguous: a later failure does not undo what that try may have done.
 * @throws InvoiceServiceError
 */
export async function withRetries<T>(call: RetriedCall<T>, ports: RetryPorts): Promise<T> {
  const endsAt = ports.clock.now() + call.deadlineMs;
  let withQr = call.firstTry.withQr;
  let qrStep: QrStep = 'keep';
  let inDoubt = false;
  ports.budget.earn();
  if (withQr) ports.withoutQrBudget.earn();
  for (let tries = 1; ; tries += 1) {
    const result = await limitedTry(call, ports, withQr, endsAt, tries);
    if (result.ok) {
      if (withQr !== call.firstTry.withQr) ports.withoutQrBudget.refund();
      return result.value;
    }
    const tried = { ...call.firstTry, withQr };
    const decision = decideRetry(tried, result.failure);
    pauseLimiter(call.limiter, result.failure, decision);
    const step = decideQr(tried, result.failure);
    if (step !== 'keep') qrStep = step;
    inDoubt ||= decision.failure === 'ambiguous';
    const progress = { tries, remainingMs: endsAt - ports.clock.now(), withQr, qrStep };
    const next = planNext(call, ports, decision, result.failure, progress);
    call.onFailure(result.failure, decision, tries, next?.waitMs);
    const stopped = next === undefined || !(await waitUnlessAborted(ports.clock, next.waitMs, call.signal));
    if (stopped) throw createError(call, result.failure, inDoubt ? 'ambiguous' : decision.failure, tries);
    withQr = next.withQr;
  }
}

/** Makes one try as soon as the rate limit allows it. */
async function limitedTry<T>(
  call: RetriedCall<T>,
  { clock }: RetryPorts,
  withQr: boolean,
  endsAt: number,
  tries: number,
): Promise<TryResult<T>> {
  const longestMs = endsAt - minTryMs - clock.now();
  const waitMs = tries === 1 ? Math.min(call.limiterWaitMs, longestMs) : longestMs;
  if (!(await call.limiter.acquire(waitMs, call.signal))) {
    if (call.signal?.aborted === true) return { ok: false, failure: { kind: 'canceled' } };
    return { ok: false, failure: { kind: 'rate_limited', retryAfterMs: Math.ceil(call.limiter.waitMs()) } };
  }
  return call.runTry(withQr, Math.min(endsAt - clock.now(), withQr ? call.qrTryTimeoutMs : call.tryTimeoutMs));
}

/** Pauses the limiter for the `Retry-After` of 429 and 503, except that of a failed QR generation, which concerns only QRs. */
function pauseLimiter(limiter: RateLimiter, failure: TryFailure, decision: RetryDecision): void {
  if (failure.kind !== 'answer' || failure.retryAfterMs === undefined || decision.next === 'repeat_or_drop_qr') return;
  if (failure.error.httpStatus === 429 || failure.error.httpStatus === 503) limiter.pause(failure.retryAfterMs);
}

/** The next try, or undefined when the call has failed. */
function planNext<T>(
  call: RetriedCall<T>,
  { budget, withoutQrBudget, backoff, random }: RetryPorts,
  decision: RetryDecision,
  failure: TryFailure,
  { tries, remainingMs, withQr, qrStep }: Progress,
): PlannedTry | undefined {
  if (withQr !== call.firstTry.withQr) return undefined; // one try without the QR at most
  // A create that may have been made is repeated only where the service can recognize it.
  const mayDropQr = qrStep === 'drop_now' && (decision.failure !== 'ambiguous' || call.firstTry.hasExternalId);
  if (!mayDropQr && (decision.next === 'give_up' || tries >= call.maxTries)) return undefined;
  // Stryker disable next-line ConditionalExpression: No other failure has a Retry-After. The check narrows the type.
  const floor = failure.kind === 'answer' ? (failure.retryAfterMs ?? 0) : 0;
  const shortestMs = backoffMs(tries, backoff, random());
  const waitMs = Math.max(floor, shortestMs);
  const remainingAfterWait = remainingMs - waitMs;
  const hasTime = remainingAfterWait >= minTryMs;
  if (qrStep === 'keep') return hasTime && budget.spend() ? { waitMs, withQr } : undefined;
  const isLast =
    mayDropQr || tries + 1 >= call.maxTries || remainingAfterWait < call.qrTryTimeoutMs + call.tryTimeoutMs;
  if (!isLast && budget.spend()) return { waitMs, withQr };
  // When only the QR was refused, the service works. The try without the QR then needs no budget, and ignores a Retry-After
  // that leaves no time for it.
  const isQrRefused = mayDropQr || decision.next === 'repeat_or_drop_qr';
  if (isQrRefused)
    return remainingMs - shortestMs < minTryMs ? undefined : { waitMs: hasTime ? waitMs : shortestMs, withQr: false };
  return hasTime && withoutQrBudget.spend() ? { waitMs, withQr: false } : undefined;
}

/** Waits. Resolves with false when the caller has aborted. */
async function waitUnlessAborted(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await sleep(clock, ms, signal ?? new AbortController().signal);
    return signal?.aborted !== true;
    // Stryker disable next-line BlockStatement: undefined is as falsy as false.
  } catch {
    return false; // only an abort ends a wait early
  }
}

function createError<T>(
  { firstTry, signal }: RetriedCall<T>,
  last: TryFailure,
  failure: RetryDecision['failure'],
  tries: number,
): InvoiceServiceError {
  const code = signal?.aborted === true && failure !== 'refused' ? 'canceled' : codeOfFailure(last);
  const httpStatus = last.kind === 'answer' ? last.error.httpStatus : (last.httpStatus ?? 0);
  const detail = last.kind === 'answer' ? '' : `, ${last.kind}${last.detail === undefined ? '' : ` (${last.detail})`}`;
  const status = httpStatus === 0 ? 'no answer' : `HTTP ${httpStatus}`;
  const text = `${firstTry.operation} is ${failure} after ${tries} ${tries === 1 ? 'try' : 'tries'}: ${code}, ${status}${detail}`;
  const { retryAfterMs } = last;
  const isOwnCode = last.kind === 'answer' && last.error.source === 'body';
  return new InvoiceServiceError(text, { failure, code, isOwnCode, httpStatus, retryAfterMs });
}

/** The wait between tries, in milliseconds. */
export interface BackoffSettings {
  /** The maximum wait before the second try. It doubles with each further try. */
  readonly baseMs: number;
  /** The upper bound of the backoff. `Retry-After` may be longer. */
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
  /** Adds `perCall` to the balance; to be called for every call. */
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
      if (balance < 1 - 1e-9) return false; // ten times 0.1 is a little less than 1
      balance -= 1;
      return true;
    },
    refund: () => {
      balance = Math.min(reserve, balance + 1);
    },
  };
}

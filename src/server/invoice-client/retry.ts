import type { Clock } from '../../base/clock.ts';
import { sleep } from '../../base/timeout.ts';
import type { TryResult } from './transport.ts';
import { InvoiceServiceError } from '../ports/invoice-service.ts';
import { codeOfFailure, decideRetry, type TryContext, type TryFailure, type RetryDecision } from './retry-policy.ts';

/** A call with all its tries. Times are in milliseconds. */
export interface RetriedCall<T> {
  /** What the first try asks for. */
  readonly asked: TryContext;
  readonly maxTries: number;
  readonly deadlineMs: number;
  readonly tryTimeoutMs: number;
  /** The timeout of a try that carries a QR. */
  readonly qrTryTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly attempt: (withQr: boolean, timeoutMs: number) => Promise<TryResult<T>>;
  /** Hears of each failed try, and of the wait before the next one; undefined when there is none. */
  readonly onFailure: (failure: TryFailure, verdict: RetryDecision, tries: number, waitMs: number | undefined) => void;
}

export interface RetryPorts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly budget: RetryBudget;
  readonly backoff: BackoffSettings;
}

/** What has happened so far. */
interface Progress {
  readonly tries: number;
  readonly remainingMs: number;
  readonly withQr: boolean;
  /** A try of this call failed at the QR, so that the last one is to go without. */
  readonly qrFailed: boolean;
}

interface PlannedTry {
  readonly waitMs: number;
  readonly withQr: boolean;
}

const minTryMs = 250;

/**
 * Tries until an answer comes, the failure is final, the tries or the deadline run out, or the budget is spent.
 * Once one try was ambiguous the call is: what later tries say does not undo what that one may have done.
 * @throws InvoiceServiceError
 */
export async function withRetries<T>(call: RetriedCall<T>, ports: RetryPorts): Promise<T> {
  const endsAt = ports.clock.now() + call.deadlineMs;
  let withQr = call.asked.withQr;
  let qrFailed = false;
  let inDoubt = false;
  ports.budget.earn();
  for (let tries = 1; ; tries += 1) {
    const remaining = endsAt - ports.clock.now();
    const timeout = Math.min(remaining, withQr ? call.qrTryTimeoutMs : call.tryTimeoutMs);
    const result = await call.attempt(withQr, timeout);
    if (result.ok) return result.value;
    const verdict = decideRetry({ ...call.asked, withQr }, result.failure);
    qrFailed ||= verdict.next === 'repeat_or_drop_qr';
    inDoubt ||= verdict.failure === 'ambiguous';
    const progress = { tries, remainingMs: endsAt - ports.clock.now(), withQr, qrFailed };
    const next = planNext(call, ports, verdict, result.failure, progress);
    call.onFailure(result.failure, verdict, tries, next?.waitMs);
    const stopped = next === undefined || !(await waitUnlessAborted(ports.clock, next.waitMs, call.signal));
    if (stopped) throw createError(call, result.failure, inDoubt ? 'ambiguous' : verdict.failure, tries);
    withQr = next.withQr;
  }
}

/** The next try, or undefined when there is none. */
function planNext<T>(
  call: RetriedCall<T>,
  { budget, backoff, random }: RetryPorts,
  verdict: RetryDecision,
  failure: TryFailure,
  { tries, remainingMs, withQr, qrFailed }: Progress,
): PlannedTry | undefined {
  const alreadyLast = tries >= call.maxTries || withQr !== call.asked.withQr;
  if (verdict.next === 'give_up' || alreadyLast) return undefined;
  // Stryker disable next-line ConditionalExpression: No other failure has a Retry-After. The check narrows the type.
  const floor = failure.kind === 'answer' ? (failure.retryAfterMs ?? 0) : 0;
  const waitMs = Math.max(floor, backoffMs(tries, backoff, random()));
  const left = remainingMs - waitMs;
  if (left < minTryMs) return undefined;
  const isLast = tries + 1 === call.maxTries || left < call.qrTryTimeoutMs + call.tryTimeoutMs;
  // The one try without the QR is another request, not a repeat: the budget does not keep requisites from the payer.
  if (qrFailed && (isLast || !budget.spend())) return { waitMs, withQr: false };
  return qrFailed || budget.spend() ? { waitMs, withQr } : undefined;
}

/** Waits, and tells whether the caller still wants an answer. */
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
  { asked, signal }: RetriedCall<T>,
  last: TryFailure,
  failure: RetryDecision['failure'],
  tries: number,
): InvoiceServiceError {
  const code = signal?.aborted === true && failure !== 'refused' ? 'canceled' : codeOfFailure(last);
  const httpStatus = last.kind === 'answer' ? last.error.httpStatus : (last.httpStatus ?? 0);
  const detail = last.kind === 'answer' ? '' : `, ${last.kind}${last.detail === undefined ? '' : ` (${last.detail})`}`;
  const status = httpStatus === 0 ? 'no answer' : `HTTP ${httpStatus}`;
  const text = `${asked.operation} is ${failure} after ${tries} ${tries === 1 ? 'try' : 'tries'}: ${code}, ${status}${detail}`;
  // Stryker disable next-line ConditionalExpression: No other failure has a Retry-After. The check narrows the type.
  const retryAfterMs = last.kind === 'answer' ? last.retryAfterMs : undefined;
  const isOwnCode = last.kind === 'answer' && last.error.source === 'body';
  return new InvoiceServiceError(text, { failure, code, isOwnCode, httpStatus, retryAfterMs });
}

/** How long to wait between tries, in milliseconds. */
export interface BackoffSettings {
  /** The longest wait before the second try; it doubles with each further one. */
  readonly baseMs: number;
  /** No wait of its own is longer than this. */
  readonly capMs: number;
}

/**
 * The wait before the next try in milliseconds: capped exponential backoff with full jitter, evenly distributed from
 * 0 up to `min(capMs, baseMs × 2^(tries-1))`.
 * @param tries How many tries have failed, at least 1.
 * @param random A number from 0 up to, but not, 1.
 */
export function backoffMs(tries: number, settings: BackoffSettings, random: number): number {
  return Math.min(settings.capMs, settings.baseMs * 2 ** Math.min(tries - 1, 100)) * random;
}

/** How many repeats the calls of one client may add to its traffic. */
export interface RetryBudgetSettings {
  /** What each call earns towards a repeat. */
  readonly perCall: number;
  /** The most that is kept, and what there is at the start: the burst that a short fault may cost. */
  readonly reserve: number;
}

/**
 * A token bucket over all calls of a client: in an outage, when every call fails, repeats are at most
 * `reserve + perCall × calls`, whatever each call would like.
 */
export interface RetryBudget {
  /** Counts a call. */
  earn(): void;
  /** Takes one repeat, or says that there is none left. */
  spend(): boolean;
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
  };
}

import type { Operation } from '../../service-api.ts';
import { sleep, type Clock } from '../../base/clock.ts';
import { maxResponseBytes } from '../../base/text-limits.ts';
import { InvoiceServiceError } from '../ports/invoice-service.ts';
import {
  type RateLimiter,
  codeOfFailure,
  decideRetry,
  type RetryDecision,
  type TryFailure,
  backoffMs,
  type RetryBudget,
} from './retry-and-rate-limit.ts';
import type { DroppedReport } from './parse-service-responses.ts';
import { type ParseResult, sendRequest, type TryResult, readToken, type TokenSource } from './send-http-request.ts';
import type { RemoteClock } from '../../base/remote-clock-estimate.ts';
import type { Log } from '../ports/log.ts';

/** A call of an operation. Every try sends the same body, except the last try, which may omit the QR. */
export interface Call<T> {
  readonly operation: Operation;
  readonly body: string;
  readonly hasExternalId?: boolean;
  /** The body without QR generation, for the last try, and the service's timeout for the QR, in milliseconds. */
  readonly qr?: { readonly bodyWithout: string; readonly timeoutMs: number };
  readonly parse: (json: unknown) => ParseResult<T>;
  readonly signal: AbortSignal | undefined;
  /** How long the first try waits for the rate limit, in milliseconds; until the deadline of the call when omitted. */
  readonly limiterWaitMs?: number;
}

/** What the calls of a client share. */
export interface CallContext {
  readonly settings: InvoiceServiceSettings;
  readonly limiters: PerOperation<RateLimiter>;
  readonly budget: RetryBudget;
}

/**
 * The limits of a call: its deadline with all tries and the waits between them, and the timeout of one try until the end of the
 * response's body. The timeouts of the checkout server are a little longer than these deadlines.
 * FetchInvoices has no retry, because the status poller fetches again at its next tick.
 */
const callLimits = {
  CreateInvoice: { deadlineMs: 25_000, tryTimeoutMs: 8_000, maxTries: 3 },
  FetchPaymentOptions: { deadlineMs: 7_500, tryTimeoutMs: 3_500, maxTries: 3 },
  FetchInvoices: { deadlineMs: 3_800, tryTimeoutMs: 3_500, maxTries: 1 },
} as const satisfies PerOperation<object>;

/** A try with a QR times out this much later than `qr.timeout`, so that the service's error arrives before the timeout. */
const qrMarginMs = 3_000;
/** A try with less remaining time is not made. */
const minTryMs = 250;

/** The time limits of one call, in milliseconds. */
interface CallTimes {
  readonly endsAt: number;
  readonly tryTimeoutMs: number;
  readonly qrTryTimeoutMs: number;
}

/** The state of a call. */
interface Progress {
  /** Whether the next try requests a QR. */
  withQr: boolean;
  qrStep: RetryDecision['qr'];
  /** Whether the next try is the one without the QR, and was taken from the retry budget. */
  isRefundable: boolean;
}

interface NextTry {
  readonly waitMs: number;
  readonly withQr: boolean;
  readonly isRefundable?: boolean;
}

/**
 * Tries a call until it succeeds, until a failure is final, or until the tries, the time or the retry budget are used up. One
 * ambiguous try makes the whole call ambiguous: a later failure does not undo what the ambiguous try may have done.
 * @throws InvoiceServiceError
 */
export async function callOperation<T>(call: Call<T>, context: CallContext): Promise<T> {
  const { operation, signal } = call;
  const { settings, limiters, budget } = context;
  const { clock } = settings;
  const limiter = limiters[operation];
  if (signal?.aborted === true)
    throw new InvoiceServiceError(`${operation}: canceled before it began`, {
      failure: 'unavailable',
      code: 'canceled',
    });
  const times = timesOf(call, clock.now());
  const progress: Progress = { withQr: call.qr !== undefined, qrStep: 'keep', isRefundable: false };
  let isInDoubt = false;
  budget.earn();
  for (let tries = 1; ; tries += 1) {
    const { withQr } = progress;
    const result = await tryWithinRateLimit(call, context, times, withQr, tries);
    settings.countTry(operation, result.ok ? 'ok' : result.failure.kind);
    if (result.ok) {
      if (progress.isRefundable) budget.refund();
      return result.value;
    }
    const { failure } = result;
    const decision = decideRetry({ operation, hasExternalId: call.hasExternalId ?? false, withQr }, failure);
    pauseLimiter(limiter, failure, decision);
    if (decision.qr !== 'keep') progress.qrStep = decision.qr;
    isInDoubt ||= decision.failure === 'ambiguous';
    const remainingMs = times.endsAt - clock.now();
    const nextTry = planNextTry(call, context, times, progress, { decision, failure, tries, remainingMs });
    reportFailure(settings, operation, failure, {
      ...decision,
      try: tries,
      wait_ms: nextTry && Math.round(nextTry.waitMs),
    });
    if (nextTry === undefined || !(await waitUnlessAborted(settings, nextTry.waitMs, signal)))
      throw createError(call, failure, isInDoubt ? 'ambiguous' : decision.failure, tries);
    progress.withQr = nextTry.withQr;
    progress.isRefundable = nextTry.isRefundable ?? false;
  }
}

function timesOf<T>({ operation, qr }: Call<T>, now: number): CallTimes {
  const { deadlineMs, tryTimeoutMs } = callLimits[operation];
  const qrTryTimeoutMs = Math.max(tryTimeoutMs, (qr?.timeoutMs ?? 0) + qrMarginMs);
  // A long qr.timeout extends the deadline, so that there is time for one try with the QR and one without.
  const minDeadlineMs = qr === undefined ? 0 : qrTryTimeoutMs + tryTimeoutMs;
  return { endsAt: now + Math.max(deadlineMs, minDeadlineMs), tryTimeoutMs, qrTryTimeoutMs };
}

/** Makes one try as soon as the rate limit allows it. */
async function tryWithinRateLimit<T>(
  call: Call<T>,
  { settings, limiters }: CallContext,
  times: CallTimes,
  withQr: boolean,
  tries: number,
): Promise<TryResult<T>> {
  const limiter = limiters[call.operation];
  const remainingWaitMs = times.endsAt - minTryMs - settings.clock.now();
  const maxWaitMs = tries === 1 ? Math.min(call.limiterWaitMs ?? Infinity, remainingWaitMs) : remainingWaitMs;
  if (!(await limiter.acquire(maxWaitMs, call.signal))) {
    if (call.signal?.aborted === true) return { ok: false, failure: { kind: 'canceled' } };
    return { ok: false, failure: { kind: 'rate_limited', retryAfterMs: Math.ceil(limiter.waitMs()) } };
  }
  const startedAt = settings.clock.now();
  const timeoutMs = Math.min(times.endsAt - startedAt, withQr ? times.qrTryTimeoutMs : times.tryTimeoutMs);
  const tokenResult = await readToken(settings.token, settings.clock, timeoutMs, call.signal);
  if (!tokenResult.ok) return tokenResult;
  const request = {
    url: settings.operationUrl(call.operation),
    token: tokenResult.token,
    body: call.qr === undefined || withQr ? call.body : call.qr.bodyWithout,
    timeoutMs: Math.max(0, timeoutMs - (settings.clock.now() - startedAt)),
    maxBodyBytes: maxResponseBytes,
    signal: call.signal,
    parse: call.parse,
  };
  return sendRequest(request, settings);
}

/**
 * Pauses the limiter for the `Retry-After` of a 429 or 503. A failed QR generation does not pause it: it concerns only the QR.
 */
function pauseLimiter(limiter: RateLimiter, failure: TryFailure, decision: RetryDecision): void {
  if (failure.kind !== 'answer' || failure.retryAfterMs === undefined || decision.next === 'repeat_or_drop_qr') return;
  if (failure.error.httpStatus === 429 || failure.error.httpStatus === 503) limiter.pause(failure.retryAfterMs);
}

interface FailedTry {
  readonly decision: RetryDecision;
  readonly failure: TryFailure;
  readonly tries: number;
  readonly remainingMs: number;
}

/** The next try, or undefined when the call has failed. Takes the try from the retry budget. */
function planNextTry<T>(
  call: Call<T>,
  { settings, budget }: CallContext,
  { tryTimeoutMs, qrTryTimeoutMs }: CallTimes,
  progress: Progress,
  { decision, failure, tries, remainingMs }: FailedTry,
): NextTry | undefined {
  const { withQr, qrStep } = progress;
  const { maxTries } = callLimits[call.operation];
  if (call.qr !== undefined && !withQr) return undefined; // one try without the QR at most
  // A create that may have succeeded is repeated only when the service can recognize the repeat.
  const mayDropQr = qrStep === 'drop_now' && (decision.failure !== 'ambiguous' || call.hasExternalId === true);
  if (!mayDropQr && (decision.next === 'give_up' || tries >= maxTries)) return undefined;
  const retryAfterMs = failure.kind === 'answer' ? (failure.retryAfterMs ?? 0) : 0;
  const minWaitMs = backoffMs(tries, settings.random());
  const waitMs = Math.max(retryAfterMs, minWaitMs);
  const remainingAfterWait = remainingMs - waitMs;
  const hasTime = remainingAfterWait >= minTryMs;
  if (qrStep === 'keep') return hasTime && budget.spend() ? { waitMs, withQr } : undefined;
  // When only the QR was refused, the service works. The repeats then belong to their create and need no budget.
  const isQrRefused = mayDropQr || decision.next === 'repeat_or_drop_qr';
  const isLastTry = mayDropQr || tries + 1 >= maxTries || remainingAfterWait < qrTryTimeoutMs + tryTimeoutMs;
  if (!isLastTry && (isQrRefused || budget.spend())) return { waitMs, withQr };
  // The try without the QR ignores a Retry-After of the QR that is longer than the remaining time.
  if (isQrRefused)
    return remainingMs - minWaitMs < minTryMs ? undefined : { waitMs: hasTime ? waitMs : minWaitMs, withQr: false };
  return hasTime && budget.spend(true) ? { waitMs, withQr: false, isRefundable: true } : undefined;
}

/** Waits `ms` milliseconds. Resolves with true, or immediately with false when the signal aborts. */
async function waitUnlessAborted(
  { clock }: InvoiceServiceSettings,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await sleep(clock, ms, signal);
    return signal?.aborted !== true;
  } catch {
    return false; // only an abort rejects
  }
}

/** Logs a failed try. A rejected token and a redirect are logged as errors, because a person has to act. */
function reportFailure(
  { log }: InvoiceServiceSettings,
  operation: Operation,
  failure: TryFailure,
  { failure: kindOfFailure, next, ...facts }: RetryDecision & Readonly<Record<'try' | 'wait_ms', number | undefined>>,
): void {
  if (failure.kind === 'rate_limited') return; // not logged, because payers can cause hundreds in a second
  const fields = {
    operation,
    failure: kindOfFailure,
    next,
    try: facts.try,
    wait_ms: facts.wait_ms,
    kind: failure.kind,
    code: codeOfFailure(failure),
  };
  if (failure.kind !== 'answer') {
    const event = failure.kind === 'no_token' ? 'invoice_service_token_failed' : 'invoice_service_try_failed';
    const level = failure.kind === 'no_token' ? 'error' : 'warn';
    log(level, event, { ...fields, http_status: failure.httpStatus, detail: failure.detail });
    return;
  }
  const { httpStatus, message } = failure.error;
  const answerFields = { ...fields, http_status: httpStatus, service_message: message };
  if (httpStatus === 401 || httpStatus === 403) log('error', 'invoice_service_access_refused', answerFields);
  else if (httpStatus >= 300 && httpStatus < 400) log('error', 'invoice_service_redirect_refused', answerFields);
  else log('warn', 'invoice_service_try_failed', answerFields);
}

function createError<T>(
  { operation, signal }: Call<T>,
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
  const text = `${operation} is ${failure} after ${tries} ${tries === 1 ? 'try' : 'tries'}: ${code}, ${status}${detail}`;
  const { retryAfterMs } = lastFailure;
  const isOwnCode = lastFailure.kind === 'answer' && lastFailure.error.source === 'body';
  return new InvoiceServiceError(text, { failure, code, isOwnCode, httpStatus, retryAfterMs });
}

/** A value for each operation of the service. */
export type PerOperation<T> = Readonly<Record<Operation, T>>;

/** The validated options with their defaults. */
export interface InvoiceServiceSettings {
  readonly operationUrl: (operation: Operation) => string;
  readonly token: TokenSource;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly serviceClock: RemoteClock;
  readonly random: () => number;
  readonly log: Log;
  readonly countTry: (operation: Operation, result: string) => void;
  readonly reportDropped: DroppedReport;
  readonly requestsPerSecond: PerOperation<number>;
}

import type { Operation } from '../../service-api.ts';
import type { Clock } from '../../base/clock.ts';
import { qrMarginMs } from '../../base/create-time-limits.ts';
import { maxResponseBytes } from '../../base/text-limits.ts';
import { InvoiceServiceError } from '../ports/invoice-service.ts';
import {
  type RateLimiter,
  codeOfFailure,
  judgeFailure,
  type RequestFailure,
  type Verdict,
} from './failure-and-rate-limit.ts';
import type { DroppedReport } from './parse-service-responses.ts';
import { type ParseResult, sendRequest, type RequestResult, readToken, type TokenSource } from './send-http-request.ts';
import type { RemoteClock } from '../../base/remote-clock-estimate.ts';
import type { Log } from '../ports/log.ts';

/** A call of an operation. */
export interface Call<T> {
  readonly operation: Operation;
  readonly body: string;
  /** How long the call may take until the end of the response's body, in milliseconds. */
  readonly timeoutMs: number;
  readonly hasExternalId?: boolean;
  /** How long the service may generate the QR that `body` requests, in milliseconds, and the same body without the QR. */
  readonly qr?: { readonly timeoutMs: number; readonly bodyWithout: string } | undefined;
  readonly parse: (json: unknown) => ParseResult<T>;
  readonly signal: AbortSignal | undefined;
  /** How long a request may wait for the rate limit, in milliseconds. */
  readonly limiterWaitMs: number;
}

/** What the calls of a client share. */
export interface CallContext {
  readonly settings: InvoiceServiceSettings;
  readonly limiters: PerOperation<RateLimiter>;
}

/** A body that a call may send. */
interface Body {
  readonly text: string;
  readonly withQr: boolean;
  readonly timeoutMs: number;
}

/** The bodies of a call. The next one is sent only when the service refused the QR of the one before, and created no invoice. */
function bodiesOf<T>({ body, qr, timeoutMs }: Call<T>): readonly Body[] {
  if (qr === undefined) return [{ text: body, withQr: false, timeoutMs }];
  const withQr = { text: body, withQr: true, timeoutMs: qr.timeoutMs + qrMarginMs };
  return [withQr, withQr, { text: qr.bodyWithout, withQr: false, timeoutMs }];
}

/**
 * Sends a call once. Only a create whose QR was refused is sent again: once more with the QR, if it has failed for now and there
 * is time for it, and then without it.
 * @throws InvoiceServiceError
 */
export async function callOperation<T>(call: Call<T>, { settings, limiters }: CallContext): Promise<T> {
  const { operation, hasExternalId = false, signal } = call;
  const { clock, countTry } = settings;
  const limiter = limiters[operation];
  const endsAt = clock.now() + call.timeoutMs;
  let verdict: Verdict | undefined;
  let error = new InvoiceServiceError(`${operation}: canceled before it began`, {
    failure: 'unavailable',
    code: 'canceled',
  });
  if (signal?.aborted === true) throw error;
  for (const body of bodiesOf(call)) {
    const hasTime = endsAt - clock.now() >= body.timeoutMs;
    if (verdict !== undefined && body.withQr && (verdict.qr === 'refused' || !hasTime)) continue;
    const result = await send(call, body, endsAt, settings, limiter);
    countTry(operation, result.ok ? 'ok' : result.failure.kind);
    if (result.ok) return result.value;
    const { failure } = result;
    verdict = judgeFailure({ operation, hasExternalId, withQr: body.withQr }, failure);
    pauseLimiter(limiter, failure, verdict);
    reportFailure(settings, operation, failure, verdict);
    error = createError(call, failure, verdict);
    if (verdict.qr === 'not_the_cause') break;
  }
  throw error;
}

/** Sends a body as soon as the rate limit allows it. */
async function send<T>(
  call: Call<T>,
  { text, timeoutMs }: Body,
  callEndsAt: number,
  settings: InvoiceServiceSettings,
  limiter: RateLimiter,
): Promise<RequestResult<T>> {
  const { clock } = settings;
  const maxWaitMs = Math.min(call.limiterWaitMs, (callEndsAt - clock.now()) / 2);
  if (!(await limiter.acquire(maxWaitMs, call.signal))) {
    if (call.signal?.aborted === true) return { ok: false, failure: { kind: 'canceled' } };
    return { ok: false, failure: { kind: 'rate_limited', retryAfterMs: Math.ceil(limiter.waitMs()) } };
  }
  const endsAt = Math.min(callEndsAt, clock.now() + timeoutMs);
  const tokenResult = await readToken(settings.token, clock, endsAt - clock.now(), call.signal);
  if (!tokenResult.ok) return tokenResult;
  const request = {
    url: settings.operationUrl(call.operation),
    token: tokenResult.token,
    body: text,
    timeoutMs: Math.max(0, endsAt - clock.now()),
    maxBodyBytes: maxResponseBytes,
    signal: call.signal,
    parse: call.parse,
  };
  return sendRequest(request, settings);
}

/** Pauses the limiter for the `Retry-After` of a 429 or 503, unless it concerns only the QR. */
function pauseLimiter(limiter: RateLimiter, failure: RequestFailure, { qr }: Verdict): void {
  if (failure.kind !== 'answer' || failure.retryAfterMs === undefined || qr !== 'not_the_cause') return;
  if (failure.error.httpStatus === 429 || failure.error.httpStatus === 503) limiter.pause(failure.retryAfterMs);
}

/** Logs a failed request. A rejected token and a redirect are logged as errors, because a person has to act. */
function reportFailure(
  { log }: InvoiceServiceSettings,
  operation: Operation,
  failure: RequestFailure,
  { failure: meaning, qr }: Verdict,
): void {
  if (failure.kind === 'rate_limited') return; // not logged, because payers can cause hundreds in a second
  const fields = { operation, failure: meaning, qr, kind: failure.kind, code: codeOfFailure(failure) };
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
  cause: RequestFailure,
  { failure }: Verdict,
): InvoiceServiceError {
  const code = signal?.aborted === true && failure !== 'refused' ? 'canceled' : codeOfFailure(cause);
  const httpStatus = cause.kind === 'answer' ? cause.error.httpStatus : (cause.httpStatus ?? 0);
  const detail =
    cause.kind === 'answer' ? '' : `, ${cause.kind}${cause.detail === undefined ? '' : ` (${cause.detail})`}`;
  const status = httpStatus === 0 ? 'no answer' : `HTTP ${httpStatus}`;
  const text = `${operation} is ${failure}: ${code}, ${status}${detail}`;
  const isOwnCode = cause.kind === 'answer' && cause.error.source === 'body';
  return new InvoiceServiceError(text, { failure, code, isOwnCode, httpStatus, retryAfterMs: cause.retryAfterMs });
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
  readonly log: Log;
  readonly countTry: (operation: Operation, result: string) => void;
  readonly reportDropped: DroppedReport;
  readonly requestsPerSecond: PerOperation<number>;
}

import type { Operation } from '../../contract.ts';
import { sendRequest, type ParseResult, type TryResult } from './send-http-request.ts';
import { readToken, type InvoiceServiceSettings } from './client-options.ts';
import { InvoiceServiceError } from '../ports/invoice-service.ts';
import { codeOfFailure, isOutage, type TryContext, type TryFailure, type RetryDecision } from './retry-policy.ts';
import type { RateLimiter } from './operation-rate-limit.ts';
import { withRetries, type RetryPorts } from './retry-loop.ts';
import { redactForLog } from './parse-response.ts';

/** One operation: its request body and the parser of its response. Each try sends the same body. */
export interface Call<T> {
  readonly operation: Operation;
  readonly body: string;
  readonly hasExternalId?: boolean;
  /** The body of the last try, without QR generation; and the QR timeout of the service, in milliseconds. */
  readonly qr?: { readonly bodyWithout: string; readonly timeoutMs: number };
  readonly parse: (json: unknown) => ParseResult<T>;
  readonly signal: AbortSignal | undefined;
  /** How long the call waits for the rate limit; until its deadline when omitted. */
  readonly limiterWaitMs?: number;
}

/** Added to `qr.timeout` for the timeout of a try, so that the service's error arrives before the try times out. */
const qrMarginMs = 3_000;

/**
 * Makes one call with its retries.
 * @throws InvoiceServiceError
 */
export async function makeCall<T>(
  call: Call<T>,
  settings: InvoiceServiceSettings,
  limiter: RateLimiter,
  ports: RetryPorts,
): Promise<T> {
  const { operation, signal } = call;
  if (signal?.aborted === true)
    throw new InvoiceServiceError(`${operation}: canceled before it began`, {
      failure: 'unavailable',
      code: 'canceled',
    });
  const firstTry = { operation, hasExternalId: call.hasExternalId ?? false, withQr: call.qr !== undefined };
  const tryTimeoutMs = settings.tryTimeoutMs[operation];
  const qrTryTimeoutMs = Math.max(tryTimeoutMs, (call.qr?.timeoutMs ?? 0) + qrMarginMs);
  // A long qr.timeout extends the deadline, so that there is time for one try with the QR and one without.
  const minDeadlineMs = firstTry.withQr ? qrTryTimeoutMs + tryTimeoutMs : 0;
  const used = { token: '' };
  const retried = {
    firstTry,
    maxTries: settings.tries[operation],
    deadlineMs: Math.max(settings.deadlineMs[operation], minDeadlineMs),
    tryTimeoutMs,
    qrTryTimeoutMs,
    signal,
    limiter,
    limiterWaitMs: call.limiterWaitMs ?? Infinity,
    runTry: (withQr: boolean, timeoutMs: number) =>
      guardedTry(call, { ...firstTry, withQr }, timeoutMs, settings, used),
    onFailure: (failure: TryFailure, decision: RetryDecision, tries: number, waitMs: number | undefined) =>
      reportFailure(settings, used, operation, failure, {
        ...decision,
        try: tries,
        wait_ms: waitMs && Math.round(waitMs),
      }),
  };
  return withRetries(retried, ports);
}

/** The token of the last request: the log must not contain it. */
interface UsedToken {
  token: string;
}

/** Signals an outage to the guard. It is not thrown out of this file. */
class OutageError extends Error {}

/** Makes one try through the guard. The result of the try is returned even when the guard rejects. */
async function guardedTry<T>(
  call: Call<T>,
  tried: TryContext,
  timeoutMs: number,
  settings: InvoiceServiceSettings,
  used: UsedToken,
): Promise<TryResult<T>> {
  const progress: { started: boolean; result?: TryResult<T> } = { started: false };
  try {
    await settings.guard(async () => {
      progress.started = true;
      progress.result = await sendTry(call, tried, timeoutMs, settings, used);
      if (!progress.result.ok && isOutage(tried, progress.result.failure))
        throw new OutageError(codeOfFailure(progress.result.failure));
    });
  } catch {
    // the circuit is open, or this is the OutageError from above; the result below covers both
  }
  const result: TryResult<T> = progress.result ?? {
    ok: false,
    failure: { kind: progress.started ? 'connection_lost' : 'circuit_open' },
  };
  settings.countTry(tried.operation, result.ok ? 'ok' : result.failure.kind);
  return result;
}

async function sendTry<T>(
  call: Call<T>,
  { operation, withQr }: TryContext,
  timeoutMs: number,
  settings: InvoiceServiceSettings,
  used: UsedToken,
): Promise<TryResult<T>> {
  const startedAt = settings.clock.now();
  const read = await readToken(settings.token, settings.clock, timeoutMs, call.signal);
  if (!read.ok) return read;
  used.token = read.token;
  const request = {
    url: settings.operationUrl(operation),
    token: read.token,
    body: call.qr === undefined || withQr ? call.body : call.qr.bodyWithout,
    timeoutMs: Math.max(0, timeoutMs - (settings.clock.now() - startedAt)),
    maxBodyBytes: settings.maxBodyBytes[operation],
    maxRetryAfterMs: settings.maxRetryAfterMs,
    signal: call.signal,
    read: call.parse,
  };
  return sendRequest(request, settings);
}

/** Logs a failed try. A rejected token and a redirect are errors, because they need a person. */
function reportFailure(
  { log, countTry }: InvoiceServiceSettings,
  { token }: UsedToken,
  operation: Operation,
  failure: TryFailure,
  facts: Readonly<Record<string, string | number | undefined>>,
): void {
  const common = { operation, ...facts, kind: failure.kind, code: codeOfFailure(failure) };
  if (failure.kind === 'rate_limited') {
    countTry(operation, failure.kind); // not logged: payers can cause hundreds of these in a second
    return;
  }
  if (failure.kind === 'no_token') {
    log('error', 'invoice_service_token_failed', { ...common, detail: failure.detail });
    return;
  }
  if (failure.kind !== 'answer') {
    log('warn', 'invoice_service_try_failed', { ...common, http_status: failure.httpStatus, detail: failure.detail });
    return;
  }
  const { httpStatus, message } = failure.error;
  const all = { ...common, http_status: httpStatus, service_message: redactForLog(message, token) };
  if (httpStatus === 401 || httpStatus === 403) log('error', 'invoice_service_access_refused', all);
  else if (httpStatus >= 300 && httpStatus < 400) log('error', 'invoice_service_redirect_refused', all);
  else log('warn', 'invoice_service_try_failed', all);
}

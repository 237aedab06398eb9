import type { Operation } from '../../contract.ts';
import { sendRequest, type ParseResult, type TryResult } from './send-http-request.ts';
import { readToken, type InvoiceServiceSettings } from './client-options.ts';
import { InvoiceServiceError } from '../ports/invoice-service.ts';
import { codeOfFailure, isOutage, type TryContext, type TryFailure, type RetryDecision } from './retry-policy.ts';
import type { RateLimiter } from './operation-rate-limit.ts';
import { withRetries, type RetryPorts } from './retry-loop.ts';
import { redactForLog } from './parse-response.ts';

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

/** A try with a QR times out this much later than `qr.timeout`, so that the service's error arrives before the timeout. */
const qrMarginMs = 3_000;

/**
 * Calls the operation, with retries.
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
  const lastToken: LastToken = { token: '' };
  const retriedCall = {
    firstTry,
    maxTries: settings.tries[operation],
    deadlineMs: Math.max(settings.deadlineMs[operation], minDeadlineMs),
    tryTimeoutMs,
    qrTryTimeoutMs,
    signal,
    limiter,
    limiterWaitMs: call.limiterWaitMs ?? Infinity,
    runTry: (withQr: boolean, timeoutMs: number) =>
      tryThroughGuard(call, { ...firstTry, withQr }, timeoutMs, settings, lastToken),
    onFailure: (failure: TryFailure, decision: RetryDecision, tries: number, waitMs: number | undefined) =>
      reportFailure(settings, lastToken, operation, failure, {
        ...decision,
        try: tries,
        wait_ms: waitMs && Math.round(waitMs),
      }),
  };
  return withRetries(retriedCall, ports);
}

/** The token of the last request: the log must not contain it. */
interface LastToken {
  token: string;
}

/** Reports an outage to the guard. It is caught in this file. */
class OutageError extends Error {}

/** Makes one try through the guard. Resolves with the result of the try even when the guard rejects. */
async function tryThroughGuard<T>(
  call: Call<T>,
  context: TryContext,
  timeoutMs: number,
  settings: InvoiceServiceSettings,
  lastToken: LastToken,
): Promise<TryResult<T>> {
  const progress: { started: boolean; result?: TryResult<T> } = { started: false };
  try {
    await settings.guard(async () => {
      progress.started = true;
      progress.result = await sendTry(call, context, timeoutMs, settings, lastToken);
      if (!progress.result.ok && isOutage(context, progress.result.failure))
        throw new OutageError(codeOfFailure(progress.result.failure));
    });
  } catch {
    // The guard has rejected the try, or the error is the OutageError from above. The result below is right in both cases.
  }
  const result: TryResult<T> = progress.result ?? {
    ok: false,
    failure: { kind: progress.started ? 'connection_lost' : 'circuit_open' },
  };
  settings.countTry(context.operation, result.ok ? 'ok' : result.failure.kind);
  return result;
}

async function sendTry<T>(
  call: Call<T>,
  { operation, withQr }: TryContext,
  timeoutMs: number,
  settings: InvoiceServiceSettings,
  lastToken: LastToken,
): Promise<TryResult<T>> {
  const startedAt = settings.clock.now();
  const tokenResult = await readToken(settings.token, settings.clock, timeoutMs, call.signal);
  if (!tokenResult.ok) return tokenResult;
  lastToken.token = tokenResult.token;
  const request = {
    url: settings.operationUrl(operation),
    token: tokenResult.token,
    body: call.qr === undefined || withQr ? call.body : call.qr.bodyWithout,
    timeoutMs: Math.max(0, timeoutMs - (settings.clock.now() - startedAt)),
    maxBodyBytes: settings.maxBodyBytes[operation],
    maxRetryAfterMs: settings.maxRetryAfterMs,
    signal: call.signal,
    parse: call.parse,
  };
  return sendRequest(request, settings);
}

/** Logs a failed try. A rejected token and a redirect are logged as errors, because a person has to act. */
function reportFailure(
  { log, countTry }: InvoiceServiceSettings,
  { token }: LastToken,
  operation: Operation,
  failure: TryFailure,
  facts: Readonly<Record<string, string | number | undefined>>,
): void {
  const commonFields = { operation, ...facts, kind: failure.kind, code: codeOfFailure(failure) };
  if (failure.kind === 'rate_limited') {
    countTry(operation, failure.kind); // not logged, because payers can cause hundreds in a second
    return;
  }
  if (failure.kind === 'no_token') {
    log('error', 'invoice_service_token_failed', { ...commonFields, detail: failure.detail });
    return;
  }
  if (failure.kind !== 'answer') {
    log('warn', 'invoice_service_try_failed', {
      ...commonFields,
      http_status: failure.httpStatus,
      detail: failure.detail,
    });
    return;
  }
  const { httpStatus, message } = failure.error;
  const fields = { ...commonFields, http_status: httpStatus, service_message: redactForLog(message, token) };
  if (httpStatus === 401 || httpStatus === 403) log('error', 'invoice_service_access_refused', fields);
  else if (httpStatus >= 300 && httpStatus < 400) log('error', 'invoice_service_redirect_refused', fields);
  else log('warn', 'invoice_service_try_failed', fields);
}

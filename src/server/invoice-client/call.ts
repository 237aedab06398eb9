import type { Operation } from '../../contract.ts';
import { sendRequest, type ParseResult, type TryResult } from './transport.ts';
import type { InvoiceServiceSettings } from './config.ts';
import { InvoiceServiceError } from '../ports/invoice-service.ts';
import { codeOfFailure, isOutage, type TryContext, type TryFailure, type RetryDecision } from './retry-policy.ts';
import { withRetries, type RetryPorts } from './retry.ts';
import { redactForLog } from './parse.ts';

/** One call: what it asks for, and how its answer is read. Each try sends the same text. */
export interface Call<T> {
  readonly operation: Operation;
  readonly body: string;
  readonly hasExternalId?: boolean;
  /** What is sent when QR generation is given up, and how long the service may take for it, in milliseconds. */
  readonly qr?: { readonly bodyWithout: string; readonly timeoutMs: number };
  readonly parse: (json: unknown) => ParseResult<T>;
  readonly signal: AbortSignal | undefined;
}

/** By this a try with a QR outlasts `qr.timeout`, so that it hears the service's answer and not its own clock. */
const qrMarginMs = 3_000;

/**
 * Makes one call with its tries.
 * @throws InvoiceServiceError
 */
export async function makeCall<T>(call: Call<T>, settings: InvoiceServiceSettings, ports: RetryPorts): Promise<T> {
  const { operation, signal } = call;
  if (signal?.aborted === true)
    throw new InvoiceServiceError(`${operation}: canceled before it began`, {
      failure: 'unavailable',
      code: 'canceled',
    });
  const asked = { operation, hasExternalId: call.hasExternalId ?? false, withQr: call.qr !== undefined };
  const tryTimeoutMs = settings.tryTimeoutMs[operation];
  const qrTryTimeoutMs = Math.max(tryTimeoutMs, (call.qr?.timeoutMs ?? 0) + qrMarginMs);
  // A long qr.timeout stretches the deadline, so that one try with the QR and one without have their time.
  const leastMs = asked.withQr ? qrTryTimeoutMs + tryTimeoutMs : 0;
  const retried = {
    asked,
    maxTries: settings.tries[operation],
    deadlineMs: Math.max(settings.deadlineMs[operation], leastMs),
    tryTimeoutMs,
    qrTryTimeoutMs,
    signal,
    attempt: (withQr: boolean, timeoutMs: number) => guardedTry(call, { ...asked, withQr }, timeoutMs, settings),
    onFailure: (failure: TryFailure, verdict: RetryDecision, tries: number, waitMs: number | undefined) =>
      logFailure(settings, operation, failure, { ...verdict, try: tries, wait_ms: waitMs && Math.round(waitMs) }),
  };
  return withRetries(retried, ports);
}

/** Marks an outage for the guard; it never leaves this file. */
class OutageError extends Error {}

/** One try inside the guard. What the guard rejects with is its own affair: the try's result counts, if there was one. */
async function guardedTry<T>(
  call: Call<T>,
  asked: TryContext,
  timeoutMs: number,
  settings: InvoiceServiceSettings,
): Promise<TryResult<T>> {
  const seen: { started: boolean; result?: TryResult<T> } = { started: false };
  try {
    await settings.guard(async () => {
      seen.started = true;
      seen.result = await sendTry(call, asked, timeoutMs, settings);
      if (!seen.result.ok && isOutage(asked, seen.result.failure))
        throw new OutageError(codeOfFailure(seen.result.failure));
    });
  } catch {
    // the circuit is open, or this is the outage of above: both are told below
  }
  const result: TryResult<T> = seen.result ?? {
    ok: false,
    failure: { kind: seen.started ? 'connection_lost' : 'circuit_open' },
  };
  settings.countTry(asked.operation, result.ok ? 'ok' : result.failure.kind);
  return result;
}

function sendTry<T>(
  call: Call<T>,
  { operation, withQr }: TryContext,
  timeoutMs: number,
  settings: InvoiceServiceSettings,
): Promise<TryResult<T>> {
  const request = {
    url: settings.operationUrl(operation),
    token: settings.token,
    body: call.qr === undefined || withQr ? call.body : call.qr.bodyWithout,
    timeoutMs,
    maxBodyBytes: settings.maxBodyBytes[operation],
    maxRetryAfterMs: settings.maxRetryAfterMs,
    signal: call.signal,
    read: call.parse,
  };
  return sendRequest(request, settings);
}

/** Logs a failed try. A token that is refused, or a redirect, needs a person: it is an error at once. */
function logFailure(
  { log, token }: InvoiceServiceSettings,
  operation: Operation,
  failure: TryFailure,
  facts: Readonly<Record<string, string | number | undefined>>,
): void {
  const common = { operation, ...facts, kind: failure.kind, code: codeOfFailure(failure) };
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

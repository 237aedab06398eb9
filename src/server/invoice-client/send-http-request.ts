import { subscribe } from 'node:diagnostics_channel';
import { readWireError } from '../../service-api.ts';
import { rejectOnAbort, type Clock, withTimeout } from '../../base/clock.ts';
import type { RemoteClock } from '../../base/remote-clock-estimate.ts';
import { BodyError, readBody } from '../../base/read-limited-body.ts';
import { isReadableError } from '../../base/thrown-value.ts';
import { maxErrorBytes, maxVariableLength } from '../../base/text-limits.ts';
import { tokenPattern } from '../../base/token-pattern.ts';
import type { RequestFailure } from './failure-and-rate-limit.ts';

/** The result of one request. */
export type RequestResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: RequestFailure };

/** The parsed value, or the name of the member that violates the contract. */
export type ParseResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly detail: string };

/** One request to the service and the limits of its response. */
export interface ServiceRequest<T> {
  readonly url: string;
  readonly token: string;
  /** The request body, JSON. */
  readonly body: string;
  /** The timeout for headers and body together, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  readonly signal: AbortSignal | undefined;
  readonly parse: (json: unknown) => ParseResult<T>;
}

export interface TransportPorts {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Updated with the service's time from each response. */
  readonly serviceClock: RemoteClock;
}

/** The precision of a `Date` header: whole seconds. */
const datePrecisionMs = 1000;

/** Sends one request and reads its response within the timeout. It does not throw. */
export async function sendRequest<T>(request: ServiceRequest<T>, ports: TransportPorts): Promise<RequestResult<T>> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  request.signal?.addEventListener('abort', abort, { once: true });
  if (request.signal?.aborted === true) abort();
  const cancelTimeout = ports.clock.schedule(request.timeoutMs, abort);
  try {
    return await send(request, ports, controller.signal);
  } catch (error) {
    if (request.signal?.aborted === true) return { ok: false, failure: { kind: 'canceled' } };
    if (controller.signal.aborted) return { ok: false, failure: { kind: 'timeout' } };
    return { ok: false, failure: classifyFetchError(error) };
  } finally {
    request.signal?.removeEventListener('abort', abort);
    cancelTimeout();
    controller.abort();
  }
}

async function send<T>(
  request: ServiceRequest<T>,
  ports: TransportPorts,
  signal: AbortSignal,
): Promise<RequestResult<T>> {
  const { fetch, clock, serviceClock } = ports;
  const sentAt = clock.now();
  const pendingResponse = fetch(request.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Bearer ${request.token}`,
    },
    body: request.body,
    redirect: 'manual',
    signal,
  });
  const response = await rejectOnAbort(pendingResponse, signal);
  const date = parseHttpDate(response.headers.get('date') ?? '');
  if (date !== undefined) serviceClock.observe(date, sentAt, datePrecisionMs);
  return response.ok ? await readSuccess(request, response, signal) : await readError(request, ports, response, signal);
}

async function readSuccess<T>(
  request: ServiceRequest<T>,
  response: Response,
  signal: AbortSignal,
): Promise<RequestResult<T>> {
  const unreadable = (detail: string): RequestResult<T> => ({
    ok: false,
    // A response that is too long counts as if the service had refused a list of that length: the next list is shorter.
    failure: { kind: 'unreadable', httpStatus: detail === 'too_large' ? 413 : response.status, detail },
  });
  try {
    const json: unknown = JSON.parse(await readBody(response, request.maxBodyBytes, signal));
    const result = request.parse(json);
    return result.ok ? result : unreadable(result.detail);
  } catch (error) {
    if (signal.aborted) throw error;
    return unreadable(error instanceof BodyError ? error.reason : 'not_json');
  }
}

async function readError<T>(
  request: ServiceRequest<T>,
  ports: TransportPorts,
  response: Response,
  signal: AbortSignal,
): Promise<RequestResult<T>> {
  const retryAfterMs = readRetryAfter(response.headers, ports.clock.now());
  const body = await readBody(response, maxErrorBytes, signal).catch(() => ''); // the HTTP status is sufficient
  if (request.signal?.aborted === true) return { ok: false, failure: { kind: 'canceled' } };
  const { message, ...error } = readWireError(response.status, body);
  const redactedError = { ...error, message: redactForLog(message, request.token) };
  return { ok: false, failure: { kind: 'answer', error: redactedError, retryAfterMs } };
}

/** The errors of connections that failed before a request was written on them: in name resolution, TCP or TLS. */
const connectErrors = new WeakSet<object>();

// The error of `fetch` does not show it: a socket that is closed during the TLS handshake and one that is closed after the
// request have the same code. Node's `fetch` publishes the errors of connections on this channel.
subscribe('undici:client:connectError', (message) => {
  if (typeof message === 'object' && message !== null && 'error' in message && message.error instanceof Error)
    connectErrors.add(message.error);
});

interface RootError {
  readonly code: string;
  /** Whether the error occurred before the connection was established. */
  readonly isBeforeConnection: boolean;
}

/**
 * Classifies an error of `fetch`. The result is `not_sent` only when certainly nothing was sent, and `connection_lost`
 * otherwise. Only the error's code is kept, because the message and the other members may contain addresses or headers.
 */
function classifyFetchError(error: unknown): RequestFailure {
  const rootErrors = rootErrorsOf(error, 0);
  const isNotSent = rootErrors.length > 0 && rootErrors.every((root) => root.isBeforeConnection);
  const detail = rootErrors.find((root) => root.code !== '')?.code;
  return { kind: isNotSent ? 'not_sent' : 'connection_lost', ...(detail === undefined ? {} : { detail }) };
}

/** The innermost errors of nested causes and aggregates. There is one for each network address that was tried. */
function rootErrorsOf(error: unknown, depth: number, isCauseOfConnectError = false): readonly RootError[] {
  if (!isReadableError(error) || depth > 5) return [{ code: '', isBeforeConnection: false }];
  const isConnectError = isCauseOfConnectError || connectErrors.has(error);
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.flatMap((inner: unknown) => rootErrorsOf(inner, depth + 1, isConnectError));
  if (isReadableError(error.cause)) return rootErrorsOf(error.cause, depth + 1, isConnectError);
  const code = codeTextOf('code' in error ? error.code : '');
  const syscall = codeTextOf('syscall' in error ? error.syscall : '');
  return [{ code, isBeforeConnection: isConnectError || syscall === 'connect' || syscall === 'getaddrinfo' }];
}

/** A value that looks like a code; an empty text for any other value. */
function codeTextOf(value: unknown): string {
  return typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_]{1,60}$/.test(value) ? value : '';
}

/** The maximum `Retry-After` in milliseconds. A longer `Retry-After` counts as this maximum. */
const maxRetryAfterMs = 60_000;

/** The milliseconds since 1970 of an HTTP-date (IMF-fixdate, RFC 9110 §5.6.7), or undefined for another text. */
export function parseHttpDate(text: string): number | undefined {
  const at = Date.parse(text);
  return Number.isFinite(at) && new Date(at).toUTCString() === text ? at : undefined; // `toUTCString` writes this form
}

/**
 * The wait of a `Retry-After` header in milliseconds, from 0 to `maxRetryAfterMs`; undefined when the header is missing or
 * malformed. The wait until an HTTP-date is computed from the response's `Date`, so that a difference of the clocks does not
 * matter.
 */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^[0-9]{1,12}$/.test(value)) return Math.min(maxRetryAfterMs, Number(value) * 1000);
  const at = parseHttpDate(value);
  if (at === undefined) return undefined;
  return Math.min(maxRetryAfterMs, Math.max(0, at - (parseHttpDate(headers.get('date') ?? '') ?? now)));
}

/** The access token, or a function that is called for each request. */
export type TokenSource = string | (() => string | Promise<string>);

/** Whether a value can be sent as a token. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxVariableLength && tokenPattern.test(value);
}

/** Reads the token of a request. An error of the token function is dropped, because it may contain the token. */
export async function readToken(
  source: TokenSource,
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly ok: true; readonly token: string } | { readonly ok: false; readonly failure: RequestFailure }> {
  if (typeof source === 'string') return { ok: true, token: source };
  const fail = (detail: string) => ({ ok: false, failure: { kind: 'no_token', detail } }) as const;
  const time = { isOver: false };
  const callSource = async (timeout: AbortSignal): Promise<unknown> => {
    timeout.addEventListener('abort', () => (time.isOver = true), { once: true });
    return source();
  };
  try {
    const token = await withTimeout(clock, timeoutMs, callSource, signal);
    return isToken(token)
      ? { ok: true, token }
      : fail('the token function returned no visible ASCII without spaces and quotes');
  } catch {
    if (signal?.aborted === true) return { ok: false, failure: { kind: 'canceled' } };
    return fail(time.isOver ? 'the token function did not answer in time' : 'the token function failed');
  }
}

/**
 * Redacts a text of the service for the log. It removes the token, links and capabilities (the text may repeat the
 * webhook URL, which contains a capability and a secret), runs of seven or more digits (phones, cards, accounts) and
 * control characters, and keeps at most 200 characters.
 */
export function redactForLog(text: string, token: string): string {
  return text
    .replaceAll(token, '[token]')
    .replace(/https?:[^\s"'<>]*/giu, '[link]')
    .replace(/chk_[^\s"'<>]*/gu, '[checkout]')
    .replace(/\p{Nd}(?:[ ().+-]*\p{Nd}){6,}/gu, '[digits]')
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .slice(0, 200);
}

/** An identifier of the service for the log (`inv_…`, `pm_…`). A value of another shape is not logged. */
export function redactId(value: unknown): string {
  return typeof value === 'string' && /^[a-z]{2,5}_[A-Za-z0-9_-]{1,64}$/.test(value) ? value : 'unreadable';
}

import { readWireError } from '../../contract.ts';
import type { Clock } from '../../base/clock.ts';
import { untilAborted } from '../../base/timeout.ts';
import { BodyError, readBody } from '../../base/read-body.ts';
import { readRetryAfter } from './retry-after.ts';
import type { TryFailure } from './retry-policy.ts';
import { classifyFetchError } from './network-error.ts';

/** The parsed value, or the name of the member that violates the contract. */
export type ParseResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly detail: string };

/** The result of one try. */
export type TryResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: TryFailure };

/** One request to the service and the limits of its response. */
export interface ServiceRequest<T> {
  readonly url: string;
  readonly token: string;
  /** The request body, JSON. */
  readonly body: string;
  /** For headers and body together, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  readonly maxRetryAfterMs: number;
  readonly signal: AbortSignal | undefined;
  readonly read: (json: unknown) => ParseResult<T>;
}

export interface TransportPorts {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
}

const maxErrorBytes = 64 * 1024;

/** Sends one request and reads its response within the timeout. It does not throw. */
export async function sendRequest<T>(request: ServiceRequest<T>, ports: TransportPorts): Promise<TryResult<T>> {
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

async function send<T>(request: ServiceRequest<T>, ports: TransportPorts, signal: AbortSignal): Promise<TryResult<T>> {
  const { fetch } = ports;
  const answer = fetch(request.url, {
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
  const response = await untilAborted(answer, signal);
  return response.ok ? await readSuccess(request, response, signal) : await readError(request, ports, response, signal);
}

async function readSuccess<T>(
  request: ServiceRequest<T>,
  response: Response,
  signal: AbortSignal,
): Promise<TryResult<T>> {
  const unreadable = (detail: string): TryResult<T> => ({
    ok: false,
    failure: { kind: 'unreadable', httpStatus: response.status, detail },
  });
  try {
    const json: unknown = JSON.parse(await readBody(response, request.maxBodyBytes, signal));
    const read = request.read(json);
    return read.ok ? read : unreadable(read.detail);
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
): Promise<TryResult<T>> {
  const retryAfterMs = readRetryAfter(response.headers, ports.clock.now(), request.maxRetryAfterMs);
  const body = await readBody(response, maxErrorBytes, signal).catch(() => ''); // the HTTP status is sufficient
  if (request.signal?.aborted === true) return { ok: false, failure: { kind: 'canceled' } };
  return { ok: false, failure: { kind: 'answer', error: readWireError(response.status, body), retryAfterMs } };
}

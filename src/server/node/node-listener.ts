import type { IncomingMessage, ServerResponse } from 'node:http';
import { traceIdOfFailure } from '../../base/active-trace.ts';
import { systemClock } from '../../base/clock.ts';
import { CheckoutOptionsError } from '../../base/options-error.ts';
import { systemRandom } from '../../base/random.ts';
import { readMember } from '../../base/thrown-value.ts';
import { problemResponse, ProblemError } from '../http/responses.ts';
import { checkOptions, strictObject, wholeNumber } from '../domain/strict-object.ts';
import type { CheckoutServer } from '../checkout-server.ts';
import { errorFields, standardErrorLog } from '../ports/log.ts';
import { TLSSocket } from 'node:tls';
import { finished } from 'node:stream';
import type { z } from 'zod';

/** Limits for discarding the unread part of a body. When a limit is exceeded, the connection is closed. */
const maxDiscardedBytes = 1024 * 1024;
const maxDiscardedMs = 5000;

/**
 * Returns a listener for `node:http`, and for frameworks that are built on it, such as Express and Fastify (raw requests). When
 * the client disconnects, the request is aborted, which ends a long poll.
 * @throws CheckoutOptionsError when `checkouts` has no function `handle`, or `trust` is wrong or has an unknown member
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { toNodeListener } from 'pay-invoice/server';
 *
 * createServer(toNodeListener(checkouts, { trustedProxies: 1 })).listen(0);
 * ```
 */
export function toNodeListener(
  checkouts: Pick<CheckoutServer, 'handle'>,
  trust: ProxyTrust = {},
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  if (typeof readMember(checkouts, 'handle') !== 'function')
    throw new CheckoutOptionsError({
      path: 'checkouts',
      message: 'checkouts: must be the server, or an object with a function handle: toNodeListener(checkouts)',
    });
  const { trustedProxies } = checkOptions(trustSchema, trust);
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const disconnectController = new AbortController();
    const abort = (): void => disconnectController.abort();
    outgoing.once('close', abort);
    const request = tryToFetchRequest(incoming, disconnectController.signal);
    const forwarded = [incoming.headers['x-forwarded-for'] ?? []].flat().join(',');
    const address = addressOf(forwarded, incoming.socket.remoteAddress, trustedProxies);
    const response =
      request === undefined
        ? problemResponse(new ProblemError('invalid_request', { detail: 'request: has no usable address' }))
        : await checkouts.handle(request, { address }).catch(internalError);
    await writeResponse(outgoing, response);
    outgoing.off('close', abort);
    discardRest(incoming);
  };
  return (incoming, outgoing) => {
    // Without a response, the connection is closed.
    respond(incoming, outgoing).catch(() => void incoming.destroy());
  };
}

function tryToFetchRequest(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  try {
    return toFetchRequest(incoming, signal);
  } catch {
    return undefined; // answered with 400
  }
}

/** Which entries of `X-Forwarded-For` are trusted. */
export interface ProxyTrust {
  /** The number of the merchant's own proxies, each of which appends one entry. 0 (the default) trusts no entry. */
  readonly trustedProxies?: number;
}

/** With NaN, as `Number()` makes it of a missing variable, the first entry would be trusted, which the client writes. */
const trustSchema = strictObject({ trustedProxies: wholeNumber('', 0).default(0) } satisfies Record<
  keyof ProxyTrust,
  z.ZodType
>);

/**
 * The client's address: the `X-Forwarded-For` entry of the outermost trusted proxy, or the connection's address without such an
 * entry. The client may have forged the entries before it.
 * @throws CheckoutOptionsError when `trust` is wrong or has an unknown member
 * @example
 * ```ts
 * import { clientAddress } from 'pay-invoice/server';
 *
 * clientAddress('203.0.113.7, 198.51.100.2', '127.0.0.1', { trustedProxies: 1 }); // '198.51.100.2'
 * ```
 */
export function clientAddress(
  forwardedFor: string | undefined,
  connection: string | undefined,
  trust: ProxyTrust,
): string | undefined {
  return addressOf(forwardedFor, connection, checkOptions(trustSchema, trust).trustedProxies);
}

function addressOf(
  forwardedFor: string | undefined,
  connection: string | undefined,
  count: number,
): string | undefined {
  if (count === 0) return connection;
  const entry = forwardedFor?.split(',').at(-count)?.trim() ?? '';
  return entry === '' ? connection : withoutPort(entry);
}

/** Removes the port. Some proxies append it, and it changes with every connection. */
function withoutPort(address: string): string {
  const [, ipv6, ipv4] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(address) ?? [];
  return ipv6 ?? ipv4 ?? address;
}

/** The response to an error of `handle`. A checkout server never rejects, but a wrapper around it may. */
function internalError(error: unknown): Response {
  const trace_id = traceIdOfFailure(systemRandom);
  standardErrorLog('error', 'internal', { trace_id, ...errorFields(error) });
  return problemResponse(new ProblemError('internal', { trace_id }));
}

async function writeResponse(outgoing: ServerResponse, response: Response): Promise<void> {
  const body = new Uint8Array(await response.arrayBuffer());
  if (outgoing.destroyed || outgoing.headersSent) return;
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) {
    // A middleware may have set values of these two.
    if (name === 'vary' || name === 'set-cookie') outgoing.appendHeader(name, value);
    else outgoing.setHeader(name, value);
  }
  outgoing.end(body);
}

/** Discards the unread part of a body. Closing the connection while the client sends could lose the response. */
function discardRest(incoming: IncomingMessage): void {
  if (incoming.readableEnded || incoming.destroyed) return;
  incoming.removeAllListeners('data').resume();
  if (incoming.complete) return;
  let size = 0;
  incoming.on('data', (chunk: Uint8Array | string) => {
    size += chunk.length;
    if (size > maxDiscardedBytes) incoming.destroy();
  });
  incoming.once(
    'close',
    systemClock.schedule(maxDiscardedMs, () => void incoming.destroy()),
  );
}

/**
 * Converts a `node:http` request. The URL is the one that the client requested, with any mount prefix.
 * @throws TypeError for a host or an address that a Request cannot have.
 */
export function toFetchRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const method = requestMethod(incoming);
  const init = { method, headers: toFetchHeaders(incoming), signal };
  if (method === 'GET' || method === 'HEAD') return new Request(requestUrl(incoming), init);
  // A body that a middleware has read cannot be read again, so the parsed body is serialized.
  const body = incoming.readableDidRead ? parsedBody(incoming) : bodyStream(incoming);
  // `fetch` requires `duplex` with a stream; the DOM's types lack it.
  const initWithBody: RequestInit & { readonly duplex: 'half' } = { ...init, body, duplex: 'half' };
  return new Request(requestUrl(incoming), initWithBody);
}

/** The request's method. A `Request` cannot have the method TRACE, so it gets another method that is not served either. */
function requestMethod({ method = 'GET' }: IncomingMessage): string {
  return method === 'TRACE' ? 'NOT-SERVED' : method;
}

function requestUrl(incoming: IncomingMessage): URL {
  const scheme = incoming.socket instanceof TLSSocket ? 'https' : 'http';
  const base = new URL(`${scheme}://${incoming.headers.host ?? 'localhost'}`);
  // Express removes the mount prefix from `url`.
  const originalUrl: unknown = 'originalUrl' in incoming ? incoming.originalUrl : undefined;
  const target = typeof originalUrl === 'string' ? originalUrl : (incoming.url ?? '/');
  // A path is not resolved against the base, because "//elsewhere" would become a host.
  return target.startsWith('/') ? new URL(base.origin + target) : new URL(target, base);
}

function toFetchHeaders({ headers }: IncomingMessage): Headers {
  const fetchHeaders = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':')) continue;
    for (const single of [value].flat()) fetchHeaders.append(name, single);
  }
  return fetchHeaders;
}

/** The body that a middleware has stored in `incoming.body`; empty without a stored body. */
function parsedBody(incoming: IncomingMessage): string | Uint8Array<ArrayBuffer> {
  const body: unknown = 'body' in incoming ? incoming.body : undefined;
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return body === undefined ? '' : JSON.stringify(body);
}

/**
 * The body as a stream with backpressure on the connection. Cancelling it does not close the connection, because the
 * response still has to be sent.
 */
function bodyStream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let unlisten: (() => void) | undefined;
  const listen = (controller: ReadableStreamDefaultController<Uint8Array>): (() => void) => {
    const enqueue = (chunk: Uint8Array | string): void => {
      incoming.pause();
      controller.enqueue(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    };
    const unlistenEnd = finished(incoming, { writable: false }, (error) => {
      if (error == null) controller.close();
      else controller.error(error);
    });
    incoming.on('data', enqueue);
    return () => {
      incoming.off('data', enqueue);
      unlistenEnd();
    };
  };
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        unlisten ??= listen(controller);
        incoming.resume();
      },
      cancel() {
        unlisten?.();
      },
    },
    { highWaterMark: 0 },
  );
}

import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { finished } from 'node:stream';

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

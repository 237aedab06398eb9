import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { finished } from 'node:stream';

/**
 * The request as `fetch` knows it. Under a mount prefix its address is the one that the client asked for.
 * @throws TypeError for a host, an address or a method that no Request can have.
 */
export function toFetchRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET' } = incoming;
  const init = { method, headers: toFetchHeaders(incoming), signal };
  if (method === 'GET' || method === 'HEAD') return new Request(requestUrl(incoming), init);
  // What a parser in front has read does not come again: it is written out anew.
  const body = incoming.readableDidRead ? parsedBody(incoming) : bodyStream(incoming);
  // `duplex` is what fetch wants with a stream; the DOM's types do not know it.
  const streaming: RequestInit & { readonly duplex: 'half' } = { ...init, body, duplex: 'half' };
  return new Request(requestUrl(incoming), streaming);
}

function requestUrl(incoming: IncomingMessage): URL {
  const scheme = incoming.socket instanceof TLSSocket ? 'https' : 'http';
  const base = new URL(`${scheme}://${incoming.headers.host ?? 'localhost'}`);
  const original: unknown = 'originalUrl' in incoming ? incoming.originalUrl : undefined; // Express cuts its mounts off `url`
  const target = typeof original === 'string' ? original : (incoming.url ?? '/');
  // Never resolved against the base, which would take "//elsewhere" for a host.
  return target.startsWith('/') ? new URL(base.origin + target) : new URL(target, base);
}

function toFetchHeaders({ headers }: IncomingMessage): Headers {
  const list = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':')) continue;
    for (const one of [value].flat()) list.append(name, one);
  }
  return list;
}

/** The body as a middleware has left it in `body`; one that left nothing has taken it for good. */
function parsedBody(incoming: IncomingMessage): string | Uint8Array<ArrayBuffer> {
  const body: unknown = 'body' in incoming ? incoming.body : undefined;
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return body === undefined ? '' : JSON.stringify(body);
}

/**
 * The body as a stream that takes from the connection no more than is asked for. To cancel it does not close the
 * connection: the answer has to get out.
 */
function bodyStream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let forget: (() => void) | undefined;
  const listen = (controller: ReadableStreamDefaultController<Uint8Array>): (() => void) => {
    const take = (chunk: Uint8Array | string): void => {
      incoming.pause();
      controller.enqueue(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    };
    const unlisten = finished(incoming, { writable: false }, (error) => {
      if (error == null) controller.close();
      else controller.error(error);
    });
    incoming.on('data', take);
    return () => {
      incoming.off('data', take);
      unlisten();
    };
  };
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        forget ??= listen(controller);
        incoming.resume();
      },
      cancel() {
        forget?.();
      },
    },
    { highWaterMark: 0 },
  );
}

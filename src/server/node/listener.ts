import type { IncomingMessage, ServerResponse } from 'node:http';
import { toFetchResponse, type CheckoutResponse, type RequestHead, type OnDisconnect } from '../http/response.ts';
import type { CheckoutServer } from '../checkout-server.ts';
import { clientAddress, type ProxyTrust } from '../http/client-address.ts';
import { toFetchRequest } from './request.ts';
import { problemResponse, ProblemError } from '../http/problem.ts';

/** So much of a body that nobody reads, and for so long, is read away for the answer to arrive. */
const maxDiscardedBytes = 1024 * 1024;
const maxDiscardedMs = 5000;

/**
 * The checkout handler for `node:http` and everything that is built on it, such as Express, and Fastify's raw requests.
 * A client that goes away aborts its request, which ends a held answer. Answers are small and are sent whole.
 */
export function toNodeListener(
  checkouts: Pick<CheckoutServer, 'handle'> & Partial<Pick<CheckoutServer, 'read'>>,
  trust: ProxyTrust = {},
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    outgoing.once('close', leave);
    const request = tryToFetchRequest(incoming, gone.signal);
    const address = addressOf(incoming, trust);
    const response = request === undefined ? badRequest() : await checkouts.handle(request, { address }).catch(failure);
    await writeFetchResponse(outgoing, response);
    outgoing.off('close', leave);
    discardRest(incoming);
  };
  return (incoming, outgoing) => {
    const leave = (): void => void incoming.destroy(); // there is nobody left to answer
    const given = hasNoBody(incoming)
      ? checkouts.read?.(incoming.url ?? '/', headOf(incoming), onClose(outgoing))
      : undefined;
    if (given === undefined) answer(incoming, outgoing).catch(leave);
    else if (given instanceof Promise) given.then((one) => sendResponse(outgoing, one)).catch(leave);
    else sendResponse(outgoing, given);
  };
}

function headOf({ method = 'GET', headers }: IncomingMessage): RequestHead {
  const has = (name: string): boolean => headers[name] !== undefined;
  const get = (name: string): string | null => {
    const value = headers[name] ?? null;
    return Array.isArray(value) ? value.join(', ') : value;
  };
  return { method, headers: { get, has } };
}

/** Whether nothing follows the head of the request, so that it may be answered at once. */
function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

/** What a middleware in front has said of these stays true; anything else is the handler's to say. */
function setHeader(outgoing: ServerResponse, name: string, value: string): void {
  if (name === 'vary' || name === 'set-cookie') outgoing.appendHeader(name, value);
  else outgoing.setHeader(name, value);
}

function tryToFetchRequest(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  try {
    return toFetchRequest(incoming, signal);
  } catch {
    return undefined; // the answer says so
  }
}

function addressOf({ headers, socket }: IncomingMessage, trust: ProxyTrust): string | undefined {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',');
  return clientAddress(forwarded, socket.remoteAddress, trust);
}

function badRequest(): Response {
  return toFetchResponse(
    problemResponse(new ProblemError('invalid_request', { detail: 'request: has no usable method or address' })),
  );
}

function failure(): Response {
  return toFetchResponse(problemResponse(new ProblemError('internal')));
}

function sendResponse(outgoing: ServerResponse, { status, headers, body }: CheckoutResponse): void {
  const isPlain = body === undefined && outgoing.getHeaderNames().length === 0 && !outgoing.headersSent;
  if (isPlain) outgoing.writeHead(status, headers).end();
  else writeResponse(outgoing, status, Object.entries(headers), body);
}

function onClose(outgoing: ServerResponse): OnDisconnect {
  return (listener) => {
    outgoing.once('close', listener);
    if (outgoing.closed) listener();
    return () => outgoing.off('close', listener);
  };
}

async function writeFetchResponse(outgoing: ServerResponse, response: Response): Promise<void> {
  writeResponse(outgoing, response.status, response.headers, new Uint8Array(await response.arrayBuffer()));
}

function writeResponse(
  outgoing: ServerResponse,
  status: number,
  headers: Iterable<readonly [name: string, value: string]>,
  body: string | Uint8Array = '',
): void {
  if (outgoing.destroyed || outgoing.headersSent) return;
  outgoing.statusCode = status;
  for (const [name, value] of headers) setHeader(outgoing, name, value);
  outgoing.end(body);
}

/** Lets the rest of a body come and forgets it: a connection that is closed on one that sends may lose the answer. */
function discardRest(incoming: IncomingMessage): void {
  if (incoming.readableEnded || incoming.destroyed) return;
  incoming.removeAllListeners('data').resume();
  if (incoming.complete) return;
  let size = 0;
  incoming.on('data', (chunk: Uint8Array | string) => {
    size += chunk.length;
    if (size > maxDiscardedBytes) incoming.destroy();
  });
  const timer = setTimeout(() => incoming.destroy(), maxDiscardedMs);
  incoming.once('close', () => clearTimeout(timer));
}

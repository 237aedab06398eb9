import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { halveBody, stall, type HandleRequest } from './faults/connection-faults.ts';
import type { Clock } from '../../base/clock.ts';
import { maxBodyBytes } from './service/parse-request.ts';

/** The connection is closed when a body is larger than this. */
const maxDiscardedBytes = 64 * maxBodyBytes;

/** How long an idle connection stays open, in milliseconds. Clients close it earlier, so that they never use a closed connection. */
const keepAliveMs = 65_000;
/** Methods that the `Request` constructor refuses. */
const methodsWithoutRequest = ['CONNECT', 'TRACE', 'TRACK'];

/**
 * Serves the sandbox over HTTP. It uses `node:http` directly because faults need the socket: to drop it, to cut a response
 * in the middle of its body, and to stop sending.
 */
export function createHttpServer(handle: HandleRequest, clock: Clock): Server {
  return createServer({ keepAliveTimeout: keepAliveMs }, (incoming, outgoing) => {
    respond(handle, clock, incoming, outgoing).catch(() => {
      incoming.destroy(); // the sandbox is being closed, or the client has disconnected
    });
  });
}

async function respond(
  handle: HandleRequest,
  clock: Clock,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = await readBody(incoming);
  if (methodsWithoutRequest.includes(incoming.method ?? '')) {
    outgoing.writeHead(405, { allow: 'POST', connection: 'close' }).end();
    return;
  }
  const request = toRequest(incoming, body);
  if (request === undefined) {
    outgoing.writeHead(400, { connection: 'close' }).end();
    return;
  }
  const { response, connection } = await handle(request);
  const clientGone = new AbortController();
  outgoing.once('close', () => clientGone.abort()); // also when the sandbox is closed
  if (connection.kind === 'drop') {
    incoming.socket.resetAndDestroy();
    return;
  }
  const [firstHalf, secondHalf] = await halveBody(response);
  if (connection.kind === 'stall' && connection.at === 'headers') await stall(clock, connection.ms, clientGone.signal);
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
  outgoing.setHeader('content-length', firstHalf.byteLength + secondHalf.byteLength);
  outgoing.writeHead(response.status);
  outgoing.flushHeaders();
  await new Promise((resolve) => outgoing.write(firstHalf, resolve));
  if (connection.kind === 'cut') {
    incoming.socket.end();
    return;
  }
  if (connection.kind === 'stall' && connection.at === 'body') await stall(clock, connection.ms, clientGone.signal);
  outgoing.end(secondHalf);
}

/** Converts the incoming message to a `Request`; undefined when its Host header or its target is invalid. */
function toRequest(
  { method = 'GET', url = '/', headers }: IncomingMessage,
  body: Uint8Array<ArrayBuffer>,
): Request | undefined {
  const headerList = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((item): [string, string] => [name, item]),
  );
  try {
    const address = `http://${headers.host ?? '127.0.0.1'}${url.startsWith('/') ? url : new URL(url).pathname}`;
    const cannotHaveBody = method === 'GET' || method === 'HEAD';
    return new Request(address, { method, headers: headerList, ...(!cannotHaveBody && { body }) });
  } catch {
    return undefined;
  }
}

/** Reads the body up to one byte over the limit, and discards the rest, so that the client can read the response. */
async function readBody(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    if (!(chunk instanceof Uint8Array)) continue;
    if (size <= maxBodyBytes) chunks.push(chunk.subarray(0, maxBodyBytes + 1 - size));
    size += chunk.byteLength;
    if (size > maxDiscardedBytes) throw new Error('the body is far too large');
  }
  return new Uint8Array(Buffer.concat(chunks));
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { halvesOf, stall, type Reply } from './faults/connection-fault.ts';
import type { Clock } from '../base/clock.ts';
import { maxBodyBytes } from './service/json-body.ts';

/** A body this much over the limit is not even read to its end: the connection is closed. */
const maxDiscardedBytes = 64 * maxBodyBytes;

/** How long an idle connection is kept, in milliseconds: longer than callers do, so that none is closed under a request. */
const keptAliveMs = 65_000;
/** Methods that a Request cannot have, so that they are answered before there is one. */
const unknownToFetch = ['CONNECT', 'TRACE', 'TRACK'];

/** Answers a request, and says how the answer is to be delivered. */
export type AnswerRequest = (request: Request) => Promise<Reply>;

/**
 * The sandbox over HTTP. It is written on `node:http` because faults need the socket: to drop it, to cut an answer in
 * the middle of its body, and to go silent.
 */
export function createHttpServer(answer: AnswerRequest, clock: Clock): Server {
  return createServer({ keepAliveTimeout: keptAliveMs }, (incoming, outgoing) => {
    respond(answer, clock, incoming, outgoing).catch(() => {
      incoming.destroy(); // the sandbox is being closed, or the caller has gone
    });
  });
}

async function respond(
  answer: AnswerRequest,
  clock: Clock,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = await readBody(incoming);
  if (unknownToFetch.includes(incoming.method ?? '')) {
    outgoing.writeHead(405, { allow: 'POST', connection: 'close' }).end();
    return;
  }
  const request = toRequest(incoming, body);
  if (request === undefined) {
    outgoing.writeHead(400, { connection: 'close' }).end();
    return;
  }
  const { response, connection } = await answer(request);
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort()); // also when the sandbox is closed
  if (connection.kind === 'drop') {
    incoming.socket.resetAndDestroy();
    return;
  }
  const [first, second] = await halvesOf(response);
  if (connection.kind === 'stall' && connection.at === 'headers') await stall(clock, connection.ms, gone.signal);
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
  outgoing.setHeader('content-length', first.byteLength + second.byteLength);
  outgoing.writeHead(response.status);
  outgoing.flushHeaders();
  await new Promise((resolve) => outgoing.write(first, resolve));
  if (connection.kind === 'cut') {
    incoming.socket.end();
    return;
  }
  if (connection.kind === 'stall' && connection.at === 'body') await stall(clock, connection.ms, gone.signal);
  outgoing.end(second);
}

/** The request as `fetch` knows it, or undefined when it cannot be one. */
function toRequest(
  { method = 'GET', url = '/', headers }: IncomingMessage,
  body: Uint8Array<ArrayBuffer>,
): Request | undefined {
  const list = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, one]),
  );
  try {
    const address = `http://${headers.host ?? '127.0.0.1'}${url.startsWith('/') ? url : new URL(url).pathname}`;
    const isBodiless = method === 'GET' || method === 'HEAD';
    return new Request(address, { method, headers: list, ...(!isBodiless && { body }) });
  } catch {
    return undefined; // a Host or a target that no Request can have
  }
}

/** The body up to one byte more than is allowed; the rest is read and forgotten, so that the answer can be read. */
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

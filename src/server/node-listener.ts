import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CheckoutServer } from './checkout-server.ts';
import { clientAddress, type ProxyTrust } from './client-address.ts';
import { requestOf } from './node-request.ts';
import { problemAnswer, ProblemError } from './problem-answer.ts';

/** So much of a body that nobody reads, and for so long, is read away for the answer to arrive. */
const maxDiscardedBytes = 1024 * 1024;
const maxDiscardedMs = 5000;

/**
 * The checkout handler for `node:http` and everything that is built on it, such as Express, and Fastify's raw requests.
 * A client that goes away aborts its request, which ends a held answer. Answers are small and are sent whole.
 */
export function toNodeListener(
  checkouts: Pick<CheckoutServer, 'handle'>,
  trust: ProxyTrust = {},
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    outgoing.once('close', leave);
    const request = read(incoming, gone.signal);
    const address = addressOf(incoming, trust);
    const response = request === undefined ? badRequest() : await checkouts.handle(request, { address }).catch(failure);
    await write(outgoing, response);
    outgoing.off('close', leave);
    discardRest(incoming);
  };
  return (incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => incoming.destroy()); // there is nobody left to answer
  };
}

function read(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  try {
    return requestOf(incoming, signal);
  } catch {
    return undefined; // the answer says so
  }
}

function addressOf({ headers, socket }: IncomingMessage, trust: ProxyTrust): string | undefined {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',');
  return clientAddress(forwarded, socket.remoteAddress, trust);
}

function badRequest(): Response {
  return problemAnswer(new ProblemError('invalid_request', { detail: 'request: has no usable method or address' }));
}

function failure(): Response {
  return problemAnswer(new ProblemError('internal'));
}

async function write(outgoing: ServerResponse, response: Response): Promise<void> {
  const body = new Uint8Array(await response.arrayBuffer());
  if (outgoing.destroyed || outgoing.headersSent) return;
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) {
    // What a middleware in front has said of these stays true; anything else is the handler's to say.
    if (name === 'vary' || name === 'set-cookie') outgoing.appendHeader(name, value);
    else outgoing.setHeader(name, value);
  }
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

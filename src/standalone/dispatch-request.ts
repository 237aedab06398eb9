import { randomBytes } from 'node:crypto';
import { StoreUnavailableError, type Log } from '../server.ts';

/** The codes of the standalone server's problems, each with its HTTP status and title. */
const problemKinds = {
  invalid_request: [400, 'The request is not valid'],
  unauthorized: [401, 'The admin token is missing or wrong'],
  not_found: [404, 'There is nothing here'],
  order_conflict: [409, 'The order has a checkout with other parameters'],
  rate_limited: [429, 'Too many requests with a wrong token'],
  internal: [500, 'Something went wrong'],
  try_again: [503, 'Try again later'],
} as const;

interface ProblemFacts {
  /** The HTTP status of an `invalid_request` when it is not 400. */
  readonly status?: 405 | 408 | 413 | 415;
  readonly detail?: string;
  readonly traceId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that cannot be served. It is answered with a problem document (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: keyof typeof problemKinds;
  readonly facts: ProblemFacts;

  constructor(code: keyof typeof problemKinds, facts: ProblemFacts = {}) {
    super(code);
    this.code = code;
    this.facts = facts;
  }

  toResponse(): Response {
    const [defaultStatus, title] = problemKinds[this.code];
    const { status = defaultStatus, detail, traceId, headers } = this.facts;
    const document = { type: 'about:blank', title, status, code: this.code, detail, trace_id: traceId };
    return Response.json(document, { status, headers: { 'content-type': 'application/problem+json', ...headers } });
  }
}

/** A request, with its parsed URL and the client's address. */
export interface Call {
  readonly request: Request;
  readonly url: URL;
  /** The client's IP address, for rate limits. */
  readonly address: string | undefined;
  /** The decoded text that matched the group of the route's pattern; '' when the pattern has no group. */
  readonly id: string;
}

export type Handler = (call: Call) => Response | Promise<Response>;

/** A path and its handlers by method. HEAD is served by the handler of GET. */
export interface Route {
  readonly path: RegExp;
  readonly methods: Readonly<Partial<Record<'GET' | 'POST', Handler>>>;
}

/** Creates a function that serves a request by the first route whose path matches, and answers failures with problem documents. */
export function createRouter(routes: readonly Route[], log: Log) {
  return async (request: Request, client: { readonly address?: string | undefined } = {}): Promise<Response> => {
    try {
      const url = new URL(request.url);
      for (const { path, methods } of routes) {
        const match = path.exec(url.pathname);
        if (match === null) continue;
        const id = decodePathPart(match[1] ?? '');
        return await findHandler(methods, request.method)({ request, url, address: client.address, id });
      }
      throw new Problem('not_found');
    } catch (error) {
      return toProblem(error, log).toResponse();
    }
  };
}

function findHandler(methods: Route['methods'], method: string): Handler {
  const handlers = new Map<string, Handler>(Object.entries(methods));
  const handler = handlers.get(method === 'HEAD' ? 'GET' : method);
  if (handler !== undefined) return handler;
  const allow = [...handlers.keys()].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ');
  throw new Problem('invalid_request', { status: 405, detail: `method: must be ${allow}`, headers: { allow } });
}

function decodePathPart(part: string): string {
  try {
    const decodedPart = decodeURIComponent(part);
    if (!decodedPart.includes('\0')) return decodedPart; // PostgreSQL refuses zero bytes in parameters
  } catch {
    // The part cannot be decoded, so it is not an identifier.
  }
  throw new Problem('not_found');
}

function toProblem(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreUnavailableError) return new Problem('try_again', { headers: { 'retry-after': '2' } });
  const traceId = randomBytes(8).toString('hex');
  // Only the frames of the stack are logged: a database may put values of rows into an error's message and other members.
  const stack = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];
  log('error', 'internal', { trace_id: traceId, at: stack.slice(0, 6).join(' <').trim() });
  return new Problem('internal', { traceId });
}

import { randomBytes } from 'node:crypto';
import { StoreUnavailableError, type Log } from '../server.ts';

/** The codes of the standalone server's problems, with their HTTP status and title. */
const kinds = {
  invalid_request: [400, 'The request is not valid'],
  unauthorized: [401, 'The admin token is missing or wrong'],
  not_found: [404, 'There is nothing here'],
  order_conflict: [409, 'The order has a checkout with other parameters'],
  rate_limited: [429, 'Too many requests with a wrong token'],
  internal: [500, 'Something went wrong'],
  try_again: [503, 'Try again later'],
} as const;

interface ProblemFacts {
  /** The HTTP status of an `invalid_request` that is not a 400. */
  readonly status?: 405 | 408 | 413 | 415;
  readonly detail?: string;
  readonly traceId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that cannot be served. It is answered with a problem document (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: keyof typeof kinds;
  readonly facts: ProblemFacts;

  constructor(code: keyof typeof kinds, facts: ProblemFacts = {}) {
    super(code);
    this.code = code;
    this.facts = facts;
  }

  toResponse(): Response {
    const [usual, title] = kinds[this.code];
    const { status = usual, detail, traceId, headers } = this.facts;
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
  /** The part of the path in the group of the route's pattern, decoded; empty where the pattern has no group. */
  readonly id: string;
}

export type Handler = (call: Call) => Response | Promise<Response>;

/** One path and its handlers by method. GET serves HEAD too. */
export interface Route {
  readonly path: RegExp;
  readonly methods: Readonly<Partial<Record<'GET' | 'POST', Handler>>>;
}

/** Serves requests by the first route whose path matches. Every failure is a problem document. */
export function createRouter(routes: readonly Route[], log: Log) {
  return async (request: Request, client: { readonly address?: string | undefined } = {}): Promise<Response> => {
    try {
      const url = new URL(request.url);
      for (const { path, methods } of routes) {
        const match = path.exec(url.pathname);
        if (match === null) continue;
        const id = decodePart(match[1] ?? '');
        return await handlerOf(methods, request.method)({ request, url, address: client.address, id });
      }
      throw new Problem('not_found');
    } catch (error) {
      return problemOf(error, log).toResponse();
    }
  };
}

function handlerOf(methods: Route['methods'], method: string): Handler {
  const handlers = new Map<string, Handler>(Object.entries(methods));
  const handler = handlers.get(method === 'HEAD' ? 'GET' : method);
  if (handler !== undefined) return handler;
  const allow = [...handlers.keys()].flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one])).join(', ');
  throw new Problem('invalid_request', { status: 405, detail: `method: must be ${allow}`, headers: { allow } });
}

function decodePart(part: string): string {
  try {
    const decoded = decodeURIComponent(part);
    if (!decoded.includes('\0')) return decoded; // PostgreSQL refuses a zero byte, also in a query
  } catch {
    // No identifier has a part that cannot be decoded.
  }
  throw new Problem('not_found');
}

function problemOf(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreUnavailableError) return new Problem('try_again', { headers: { 'retry-after': '2' } });
  const traceId = randomBytes(8).toString('hex');
  // Only the frames of the stack are logged: a database may put values of rows into an error's message and other members.
  const stack = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];
  log('error', 'internal', { trace_id: traceId, at: stack.slice(0, 6).join(' <').trim() });
  return new Problem('internal', { traceId });
}

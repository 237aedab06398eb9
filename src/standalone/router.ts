import { randomBytes } from 'node:crypto';
import { StoreUnavailableError, type Log } from '../server.ts';
import { Problem } from './problem.ts';

/** A request with what its handler needs besides it. */
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
    return decodeURIComponent(part);
  } catch {
    throw new Problem('not_found');
  }
}

function problemOf(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreUnavailableError) return new Problem('try_again', { headers: { 'retry-after': '2' } });
  const traceId = randomBytes(8).toString('hex');
  // The stack alone: a database puts values of rows into an error's other members.
  const stack = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];
  log('error', 'internal', { trace_id: traceId, at: stack.slice(0, 6).join(' <').trim() });
  return new Problem('internal', { traceId });
}

import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { traceIdOfFailure } from '../base/active-trace.ts';
import { systemRandom } from '../base/random.ts';
import { RequestBodyError } from '../base/read-limited-body.ts';
import { retryAfter } from '../base/retry-after.ts';
import { maxDescriptionLength } from '../base/text-limits.ts';
import {
  CheckoutConflictError,
  CheckoutNotFoundError,
  CheckoutParamsError,
  StoreUnavailableError,
  type Log,
} from '../server.ts';
import { withJsonNames } from './snake-case-json.ts';

/** The codes of the standalone server's problems, each with its HTTP status and title. */
export const problemKinds = {
  invalid_request: [400, 'The request is not valid'],
  unauthorized: [401, 'The admin token is missing or wrong'],
  origin_not_allowed: [403, 'Pages of another origin may not do this'],
  not_found: [404, 'There is nothing here'],
  order_conflict: [409, 'The order has a checkout for other money'],
  invoice_pending: [409, 'An invoice can still be paid'],
  already_paid: [409, 'The checkout is paid'],
  checkout_closed: [409, 'The checkout is closed'],
  nothing_to_resolve: [409, 'Nothing needs a decision'],
  cursor_unknown: [409, 'The cursor is not of this database'],
  rate_limited: [429, 'Too many requests with a wrong token'],
  internal: [500, 'Something went wrong'],
  try_again: [503, 'Try again later'],
} as const;

interface ProblemFacts {
  /** The HTTP status of an `invalid_request` when it is not 400. */
  readonly status?: 400 | 405 | 408 | 413 | 415;
  readonly detail?: string;
  readonly traceId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Creates an error that is answered with a problem document (RFC 9457). */
export function problem(code: keyof typeof problemKinds, facts: ProblemFacts = {}): HTTPException {
  const [defaultStatus, title] = problemKinds[code];
  const { status = defaultStatus, detail, traceId, headers } = facts;
  // A detail may have the name of an unknown member.
  const shortDetail = detail?.slice(0, maxDescriptionLength);
  const document = { type: 'about:blank', title, status, code, detail: shortDetail, trace_id: traceId };
  const always = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' };
  const res = Response.json(document, { status, headers: { ...always, ...headers } });
  return new HTTPException(status, { res });
}

/** The client's IP address, for rate limits, beside each request. */
interface Env {
  readonly Bindings: { readonly address: string | undefined };
}

/** An app that is called with a request and the client's address. */
export type App = Hono<Env>;

/** Creates an app that answers unknown paths, unknown methods and failures with problem documents. */
export function createApp(log: Log): App {
  const app: App = new Hono<Env>();
  const onMethodNotAllowed = (_: unknown, methods: readonly string[]): never => {
    const allow = methods.join(', ');
    throw problem('invalid_request', { status: 405, detail: `method: must be ${allow}`, headers: { allow } });
  };
  app.use(methodNotAllowed({ app, onMethodNotAllowed }));
  app.notFound(() => problem('not_found').getResponse());
  app.onError((error) => toException(error, log).getResponse());
  return app;
}

/** What a client of the admin API can send, where the library's error advises one of its calls. */
const requestsThatHelp: Partial<Record<CheckoutConflictError['code'], string>> = {
  order_conflict: '; GET /admin/checkouts?order_id= has its id, and PATCH /admin/checkouts/{id} changes it',
  checkout_closed: '; POST /admin/checkouts/{id}/reopen opens it',
};

function toException(error: Error, log: Log): HTTPException {
  if (error instanceof HTTPException) return error;
  if (error instanceof CheckoutParamsError) return problem('invalid_request', { detail: withJsonNames(error.message) });
  if (error instanceof CheckoutNotFoundError) return problem(error.code, { detail: withJsonNames(error.message) });
  if (error instanceof CheckoutConflictError)
    return problem(error.code, { detail: withJsonNames(error.reason) + (requestsThatHelp[error.code] ?? '') });
  if (error instanceof StoreUnavailableError) return problem('try_again', { headers: retryAfter(error.retryAfterMs) });
  if (error instanceof RequestBodyError && error.status !== 500)
    return problem('invalid_request', { status: error.status, detail: error.message });
  const traceId = traceIdOfFailure(systemRandom);
  // Only the frames of the stack are logged: a database may put values of rows into an error's message and other members.
  const stack = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  log('error', 'internal', { trace_id: traceId, at: stack.slice(0, 6).join(' <').trim() });
  return problem('internal', { traceId });
}

/**
 * Whether the target of a request is a path in its only spelling: no percent-encoding, no dot segments, no backslash, no host.
 * Other spellings are refused, because a proxy that forbids `/admin` by prefix does not recognise them.
 */
export function isCanonicalTarget(target: string): boolean {
  const [path = ''] = target.split('?');
  return /^\/[^%\\]*$/.test(path) && new URL(`http://host${path}`).pathname === path;
}

/** Whether a page of another site or origin sends the request. Only a browser can set this header. */
export function isFromOtherOrigin({ headers }: Request): boolean {
  return /^(?:cross-site|same-site)$/.test(headers.get('sec-fetch-site') ?? '');
}

import { traceIdOfFailure } from '../../base/active-trace.ts';
import { toError } from '../../base/thrown-value.ts';
import { RequestBodyError } from '../../base/read-limited-body.ts';
import { StoreUnavailableError } from '../ports/checkout-store.ts';
import { errorFields } from '../ports/log.ts';
import type { ServerContext } from '../server-context.ts';
import type {
  createCreateInvoiceHandler,
  createGetCheckoutHandler,
  createReceiveWebhookHandler,
  WebhookTarget,
} from './handlers.ts';
import { ProblemError, problemResponse } from './responses.ts';
import { orderIdOf, webhookPath } from '../domain/identifiers.ts';

/** A parsed path below the endpoint. */
export type Route =
  | { readonly kind: 'checkout' | 'invoice'; readonly capability: string }
  | ({ readonly kind: 'hook'; readonly secret: string } & WebhookTarget);

/** Matches the end of the path, so that any mount prefix works, whether or not the framework removes it. */
const pathPattern = /\/(chk_[A-Za-z0-9_-]{22,100})(?:\/(?:(invoice)|hook\/([A-Za-z0-9_-]{10,100})))?$/;

const allowedMethods: Readonly<Record<Route['kind'], readonly string[]>> = {
  checkout: ['GET', 'HEAD'],
  invoice: ['POST'],
  hook: ['POST'],
};

/** The route of a path, or undefined when the path does not belong to this API. */
export function matchRoute(path: string): Route | undefined {
  const [, encodedOrderId, orderSecret] = webhookPath.exec(path) ?? [];
  if (encodedOrderId !== undefined && orderSecret !== undefined) {
    const orderId = orderIdOf(encodedOrderId);
    // PostgreSQL cannot store a zero byte, so no order has such an identifier.
    return orderId.includes('\0') ? undefined : { kind: 'hook', orderId, secret: orderSecret };
  }
  const [, capability, invoice, secret] = pathPattern.exec(path) ?? [];
  if (capability === undefined) return undefined;
  if (secret !== undefined) return { kind: 'hook', capability, secret };
  return { kind: invoice === undefined ? 'checkout' : 'invoice', capability };
}

interface Handlers {
  readonly getCheckout: ReturnType<typeof createGetCheckoutHandler>;
  readonly createInvoice: ReturnType<typeof createCreateInvoiceHandler>;
  readonly receiveWebhook: ReturnType<typeof createReceiveWebhookHandler>;
}

/** Headers of every response. */
const commonHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Makes a problem of whatever was thrown. What nobody expected is in the log. */
export function createProblemOf({ random, log }: Pick<ServerContext, 'random' | 'log'>) {
  return (thrown: unknown): ProblemError => {
    const error = toError(thrown);
    if (error instanceof ProblemError) return error;
    if (error instanceof StoreUnavailableError)
      return new ProblemError('try_again', { retryAfterMs: error.retryAfterMs });
    const reason = error instanceof RequestBodyError ? error.message : undefined;
    if (error instanceof RequestBodyError && error.status !== 500)
      return new ProblemError('invalid_request', { status: error.status, detail: error.message });
    const trace_id = traceIdOfFailure(random);
    log('error', 'internal', { trace_id, ...errorFields(error), reason });
    return new ProblemError('internal', { trace_id });
  };
}

/** Serves the checkout API: calls the handler of the route, and turns an error into a problem response. */
export function createRouter(
  context: ServerContext,
  { getCheckout, createInvoice, receiveWebhook }: Handlers,
  problemOf: ReturnType<typeof createProblemOf>,
) {
  const { endpoint, allowedOrigins, clock, instrumentation } = context;
  const originRules = createOriginRules(endpoint, allowedOrigins);

  const dispatch = async (
    route: Route | undefined,
    request: Request,
    address: string | undefined,
  ): Promise<Response> => {
    // The preflight for a malformed capability succeeds, as for any capability, so that the page can read the 404 that follows.
    if (route === undefined && isPreflight(request)) return new Response(null, { status: 204 });
    if (route === undefined) throw new ProblemError('not_found');
    const allow = allowedMethods[route.kind].join(', ');
    if (request.method === 'OPTIONS')
      return new Response(null, { status: 204, headers: { allow: `${allow}, OPTIONS` } });
    if (!allowedMethods[route.kind].includes(request.method))
      throw new ProblemError('invalid_request', { status: 405, headers: { allow: `${allow}, OPTIONS` } });
    switch (route.kind) {
      case 'checkout':
        return getCheckout(route.capability, request);
      case 'invoice':
        if (!originRules.isWriteAllowed(request))
          throw new ProblemError('invalid_request', { status: 403, detail: 'origin: is not allowed' });
        return createInvoice(route.capability, request, address);
      case 'hook':
        return receiveWebhook(route, route.secret, request);
    }
  };

  return async (request: Request, address: string | undefined): Promise<Response> => {
    const startedAt = clock.now();
    const route = matchRoute(new URL(request.url).pathname);
    const response = await dispatch(route, request, address).catch((error: unknown) =>
      problemResponse(problemOf(error)),
    );
    const { status, headers } = response;
    // A response that was held until a change shows nothing of the server's speed.
    const ms = headers.has('preference-applied') ? undefined : clock.now() - startedAt;
    instrumentation.countResponse(route?.kind ?? 'none', status, ms);
    for (const [name, value] of Object.entries({ ...commonHeaders, ...originRules.corsHeaders(request) }))
      headers.set(name, value);
    return request.method === 'HEAD' ? new Response(null, { status, headers }) : response;
  };
}

type RequestHead = Pick<Request, 'method' | 'headers'>;

/** Whether a request is a CORS preflight: a browser sends it before a request to another origin. */
function isPreflight({ method, headers }: RequestHead): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method');
}

/** Decides which origins may use the checkout API from a browser (CORS). */
export function createOriginRules(endpoint: string, allowedOrigins: readonly string[]) {
  const endpointOrigin = new URL(endpoint).origin;
  const headersForUnlisted = { vary: 'Origin' };
  const headersForListed = new Map(
    allowedOrigins.map((origin) => [
      origin,
      {
        vary: 'Origin',
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'ETag, Retry-After, Preference-Applied',
      },
    ]),
  );

  return {
    /** The CORS headers for the request's origin. */
    corsHeaders(request: RequestHead): Readonly<Record<string, string>> {
      const origin = request.headers.get('origin');
      const headers = origin === null ? undefined : headersForListed.get(origin);
      if (headers === undefined) return headersForUnlisted;
      if (!isPreflight(request)) return headers;
      return {
        ...headers,
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers': 'Content-Type, Idempotency-Key, If-None-Match, Prefer',
        'access-control-max-age': '600',
      };
    },
    /** Whether a write request comes from the endpoint's own origin, from a listed origin, or from a client that is no browser. */
    isWriteAllowed(request: Request): boolean {
      const origin = request.headers.get('origin');
      if (origin !== null && headersForListed.has(origin)) return true;
      const site = request.headers.get('sec-fetch-site');
      if (site === 'same-origin') return true;
      const isOwnOrigin = origin === endpointOrigin || origin === new URL(request.url).origin;
      if (site === null || site === 'none') return origin === null || isOwnOrigin;
      return site === 'same-site' && isOwnOrigin;
    },
  };
}

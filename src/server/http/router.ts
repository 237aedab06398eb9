import { randomUUID } from 'node:crypto';
import { toFetchResponse, onAbort, type CheckoutResponse, type RequestHead, type OnDisconnect } from './response.ts';
import type { CreateInvoiceHandler } from './create-invoice.ts';
import { errorFields, type Log } from '../ports/log.ts';
import type { Instrumentation } from '../telemetry/instrumentation.ts';
import type { OriginRules } from './cors.ts';
import { CheckoutError } from '../domain/errors.ts';
import { StoreUnavailableError } from '../ports/checkout-store.ts';
import { problemForCheckoutError, problemResponse, ProblemError } from './problem.ts';
import { readCheckoutQuery, type GetCheckoutHandler } from './get-checkout.ts';
import type { ReceiveWebhookHandler } from './receive-webhook.ts';

interface Dependencies {
  readonly show: GetCheckoutHandler;
  readonly ask: CreateInvoiceHandler;
  readonly takeHook: ReceiveWebhookHandler;
  readonly origins: OriginRules;
  readonly log: Log;
  readonly answered: Instrumentation['countResponse'];
}

/** How long a client waits before it repeats a request that the database could not serve. */
const storeRetryMs = 2000;

/** Headers of every answer. */
const commonHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Serves the checkout API: reads the address, lets one of its parts answer, and turns what that throws into a problem. */
export function createRouter({ show, ask, takeHook, origins, log, answered }: Dependencies) {
  const answer = async (request: Request, address: string | undefined): Promise<CheckoutResponse> => {
    const route = matchRoute(new URL(request.url).pathname);
    if (route === undefined) throw new ProblemError('not_found');
    const allow = allowedMethods[route.kind].join(', ');
    if (request.method === 'OPTIONS') return { status: 204, headers: { allow: `${allow}, OPTIONS` } };
    if (!allowedMethods[route.kind].includes(request.method))
      throw new ProblemError('invalid_request', { status: 405, headers: { allow: `${allow}, OPTIONS` } });
    switch (route.kind) {
      case 'checkout':
        return show(route.checkoutId, {
          headers: request.headers,
          query: readCheckoutQuery(new URL(request.url)),
          whenGone: onAbort(request.signal),
        });
      case 'invoice':
        if (!origins.isWriteAllowed(request))
          throw new ProblemError('invalid_request', { status: 403, detail: 'origin: is not allowed' });
        return ask(route.checkoutId, request, address);
      case 'hook':
        return takeHook(route.checkoutId, route.secret, request);
    }
  };

  const problemOf = (error: unknown): ProblemError => {
    if (error instanceof ProblemError) return error;
    if (error instanceof CheckoutError) return problemForCheckoutError(error);
    if (error instanceof StoreUnavailableError) return new ProblemError('try_again', { retryAfterMs: storeRetryMs });
    const trace_id = randomUUID();
    log('error', 'internal', { trace_id, ...errorFields(error) });
    return new ProblemError('internal', { trace_id });
  };
  const failed = (error: unknown): CheckoutResponse => problemResponse(problemOf(error));

  const finish = (kind: Route['kind'] | 'none', head: RequestHead, given: CheckoutResponse): CheckoutResponse => {
    answered(kind, given.status);
    return { ...given, headers: { ...given.headers, ...commonHeaders, ...origins.corsHeaders(head) } };
  };

  const handle = async (request: Request, address: string | undefined): Promise<Response> => {
    const given = await answer(request, address).catch(failed);
    const { status, headers, body } = finish(matchRoute(new URL(request.url).pathname)?.kind ?? 'none', request, given);
    // Stryker disable next-line ConditionalExpression: An undefined body is no body. The check narrows the type.
    return toFetchResponse({ status, headers, ...(body === undefined || request.method === 'HEAD' ? {} : { body }) });
  };

  const read = (
    path: string,
    head: RequestHead,
    whenGone: OnDisconnect,
  ): CheckoutResponse | Promise<CheckoutResponse> | undefined => {
    const route = head.method === 'GET' && !path.includes('?') ? matchRoute(path) : undefined;
    if (route?.kind !== 'checkout') return undefined;
    const given = show(route.checkoutId, { headers: head.headers, query: {}, whenGone });
    const end = (one: CheckoutResponse): CheckoutResponse => finish('checkout', head, one);
    return given instanceof Promise ? given.catch(failed).then(end) : end(given);
  };

  return { handle, read };
}

/** What an address under the endpoint asks for. */
export type Route =
  | { readonly kind: 'checkout' | 'invoice'; readonly checkoutId: string }
  | { readonly kind: 'hook'; readonly checkoutId: string; readonly secret: string };

/** Wherever the handler is mounted, and whether or not the mount's path was cut off: the end of the path decides. */
const pathPattern = /\/(chk_[A-Za-z0-9_-]{22,100})(?:\/(?:(invoice)|hook\/([A-Za-z0-9_-]{10,100})))?$/;

/** The methods of each kind of address. */
const allowedMethods: Readonly<Record<Route['kind'], readonly string[]>> = {
  checkout: ['GET', 'HEAD'],
  invoice: ['POST'],
  hook: ['POST'],
};

/** Reads a path; undefined when it is none of this API's, or its capability cannot be one. */
export function matchRoute(path: string): Route | undefined {
  // Stryker disable next-line ArrayDeclaration: Without a second part there is no checkout identifier.
  const [, checkoutId, invoice, secret] = pathPattern.exec(path) ?? [];
  if (checkoutId === undefined) return undefined;
  if (secret !== undefined) return { kind: 'hook', checkoutId, secret };
  return { kind: invoice === undefined ? 'checkout' : 'invoice', checkoutId };
}

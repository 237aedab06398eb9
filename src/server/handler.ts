import { randomUUID } from 'node:crypto';
import type { AskInvoice } from './ask-invoice.ts';
import { factsOf, type Log } from './log.ts';
import type { Meters } from './meters.ts';
import type { OriginRules } from './origin.ts';
import { problemAnswer, ProblemError } from './problem-answer.ts';
import type { QuickAnswer, RequestHead } from './request-head.ts';
import { methodsOf, routeOf } from './route.ts';
import type { ShowCheckout } from './show-checkout.ts';
import type { TakeHook } from './take-hook.ts';

interface Parts {
  readonly show: ShowCheckout;
  readonly ask: AskInvoice;
  readonly takeHook: TakeHook;
  readonly origins: OriginRules;
  readonly log: Log;
  readonly answered: Meters['answered'];
}

/** Headers of every answer. */
const always = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Serves the checkout API: reads the address, lets one of its parts answer, and turns what that throws into a problem. */
export function createHandler({ show, ask, takeHook, origins, log, answered }: Parts) {
  const answer = async (request: Request, address: string | undefined): Promise<Response> => {
    const route = routeOf(new URL(request.url).pathname);
    if (route === undefined) throw new ProblemError('not_found');
    const allow = methodsOf[route.kind].join(', ');
    if (request.method === 'OPTIONS')
      return new Response(null, { status: 204, headers: { allow: `${allow}, OPTIONS` } });
    if (!methodsOf[route.kind].includes(request.method))
      throw new ProblemError('invalid_request', { status: 405, headers: { allow: `${allow}, OPTIONS` } });
    switch (route.kind) {
      case 'checkout':
        return show.answer(route.checkoutId, request);
      case 'invoice':
        if (!origins.mayWrite(request))
          throw new ProblemError('invalid_request', { status: 403, detail: 'origin: is not allowed' });
        return ask(route.checkoutId, request, address);
      case 'hook':
        return takeHook(route.checkoutId, route.secret, request);
    }
  };

  const problemOf = (error: unknown): ProblemError => {
    if (error instanceof ProblemError) return error;
    const trace_id = randomUUID();
    log('error', 'internal', { trace_id, ...factsOf(error) });
    return new ProblemError('internal', { trace_id });
  };

  const handle = async (request: Request, address: string | undefined): Promise<Response> => {
    const response = await answer(request, address).catch((error: unknown) => problemAnswer(problemOf(error)));
    answered(routeOf(new URL(request.url).pathname)?.kind ?? 'none', response.status);
    for (const [name, value] of Object.entries({ ...always, ...origins.headersFor(request) }))
      response.headers.set(name, value);
    if (request.method !== 'HEAD') return response;
    return new Response(null, { status: response.status, headers: response.headers });
  };

  const glance = (path: string, head: RequestHead): QuickAnswer | undefined => {
    const route = head.method === 'GET' && !path.includes('?') ? routeOf(path) : undefined;
    const shown = route?.kind === 'checkout' ? show.glance(route.checkoutId, head.headers) : undefined;
    if (shown === undefined) return undefined;
    answered('checkout', shown.status);
    return { ...shown, headers: { ...shown.headers, ...always, ...origins.headersFor(head) } };
  };

  return { handle, glance };
}

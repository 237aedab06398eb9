import type { CheckoutServer } from '../../src/server.ts';

/** What `app/checkout/[...path]/route.ts` exports (docs/frameworks.md). */
export function createNextRoute(checkouts: Pick<CheckoutServer, 'handle'>) {
  const answer = (request: Request): Promise<Response> => {
    const address = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim();
    return checkouts.handle(request, { address });
  };
  return { DELETE: answer, GET: answer, HEAD: answer, OPTIONS: answer, PATCH: answer, POST: answer, PUT: answer };
}

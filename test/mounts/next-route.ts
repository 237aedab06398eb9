import type { CheckoutServer } from '../../src/server.ts';

/** What `app/checkout/[...path]/route.ts` exports (docs/frameworks.md). */
export function createNextRoute(checkouts: Pick<CheckoutServer, 'handle'>) {
  const handle = (request: Request): Promise<Response> => {
    const address = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim();
    return checkouts.handle(request, { address });
  };
  return { DELETE: handle, GET: handle, HEAD: handle, OPTIONS: handle, PATCH: handle, POST: handle, PUT: handle };
}

import type { BackendChanges } from '../run-in-process.ts';
import {
  requestWithHeaders,
  requestWithUrl,
  capabilityOf,
  responseDefect,
  isAny,
  isRead,
  isWrite,
  onAnswer,
  onCheckout,
  onRequest,
  problem,
  withHeaders,
  without,
  withStatus,
  type SeededDefect,
} from './seeded-defect.ts';

const isPreferred = (request: Request): boolean => isRead(request) && request.headers.has('prefer');
const isTagged = (request: Request): boolean => isRead(request) && request.headers.has('if-none-match');
const option = { id: 'pm_far', type: 'CARD', available: true, limits: { max_amount: '1.00' }, banks: [] };
const noTag = { 'if-none-match': undefined };

/** Sends a new ETag with each answer. */
const newETagForEachRead = () => {
  let count = 0;
  return onAnswer(isRead, (response) => withHeaders(response, { etag: `"${(count += 1)}"` }))();
};

/** Treats capabilities that differ only in letter case as the same, as some databases do. */
const ignoreLetterCase = () => {
  const known = new Map<string, string>();
  return onRequest(isAny, (request) => {
    const asked = capabilityOf(request);
    const first = known.get(asked.toLowerCase()) ?? asked;
    known.set(asked.toLowerCase(), first);
    return requestWithUrl(request, request.url.replace(asked, first));
  })();
};

/** Gives checkouts sequential numbers as capabilities. */
const sequentialCapabilities = (): BackendChanges => {
  const real = new Map<string, string>();
  return {
    changeCapability(capability) {
      const short = `chk_${real.size + 1}`;
      real.set(short, capability);
      return short;
    },
    intercept: (request, next) => {
      const asked = capabilityOf(request);
      return next(requestWithUrl(request, request.url.replace(asked, real.get(asked) ?? asked)));
    },
  };
};

export const readDefects: readonly SeededDefect[] = [
  responseDefect(
    'checkout.answers',
    'a member is missing',
    onCheckout(isRead, (body) => without(body, 'poll_after_ms')),
  ),
  responseDefect(
    'checkout.answers',
    'the amount is a number',
    onCheckout(isRead, (body) => ({ ...body, amount: 1500 })),
  ),
  responseDefect(
    'checkout.media_type',
    'the media type is text/html',
    onAnswer(isRead, (response) => withHeaders(response, { 'content-type': 'text/html' })),
  ),
  responseDefect(
    'checkout.id',
    'the id is the number of the order',
    onCheckout(isRead, (body) => ({ ...body, id: '1001' })),
  ),
  responseDefect(
    'checkout.open',
    'a new checkout is stale',
    onCheckout(isRead, (body) => ({ ...body, stale: true })),
  ),
  responseDefect(
    'checkout.amount',
    'a checkout with an amount also has limits',
    onCheckout(isRead, (body) => ({ ...body, amount_limits: {} })),
  ),
  responseDefect(
    'checkout.currency',
    'the currency is a symbol',
    onCheckout(isRead, (body) => ({ ...body, currency: '₽' })),
  ),
  responseDefect(
    'checkout.return_urls',
    'a return URL is a path',
    onCheckout(isRead, (body) => ({ ...body, return_urls: { success_url: '/thanks', fail_url: null } })),
  ),
  responseDefect(
    'checkout.options_filtered',
    'the limits of an option exclude the amount',
    onCheckout(isRead, (body) => ({ ...body, options: [option] })),
  ),
  responseDefect(
    'checkout.amount_query',
    'the URL sets the amount',
    onCheckout(isRead, (body, { url }) => ({
      ...body,
      amount: new URL(url).searchParams.get('amount') ?? body['amount'],
    })),
  ),
  responseDefect(
    'checkout.clock',
    'the time of the server is cached',
    onCheckout(isRead, (body) => ({ ...body, server_time: '2026-11-20T10:00:00.000Z' })),
  ),
  responseDefect(
    'checkout.methods',
    'a DELETE succeeds',
    onAnswer(
      ({ method }) => method === 'DELETE',
      () => new Response(null, { status: 204 }),
    ),
  ),

  responseDefect(
    'etag.present',
    'there is no ETag',
    onAnswer(isRead, (response) => withHeaders(response, { etag: undefined })),
  ),
  responseDefect(
    'etag.present',
    'the ETag has no quotation marks',
    onAnswer(isRead, (response) => withHeaders(response, { etag: 'abc' })),
  ),
  responseDefect(
    'etag.unchanged',
    'If-None-Match is ignored',
    onRequest(isRead, (request) => requestWithHeaders(request, noTag)),
  ),
  responseDefect('etag.clock', 'the ETag depends on server_time', newETagForEachRead),
  responseDefect(
    'etag.list',
    'a list of ETags is not split',
    onRequest(
      (request) => (request.headers.get('if-none-match') ?? '').includes(','),
      (request) => requestWithHeaders(request, noTag),
    ),
  ),
  responseDefect(
    'etag.weak',
    'ETags are compared strongly',
    onRequest(
      (request) => (request.headers.get('if-none-match') ?? '').startsWith('"'),
      (request) => requestWithHeaders(request, noTag),
    ),
  ),
  responseDefect(
    'etag.other',
    'any ETag is answered with 304',
    onAnswer(isTagged, (response) => withStatus(response, 304)),
  ),
  responseDefect(
    'etag.changed',
    'the ETag does not depend on the invoice',
    onAnswer(isTagged, (response) => withStatus(response, 304)),
  ),
  responseDefect('etag.clock_pending', 'the ETag depends on the time left', newETagForEachRead),
  responseDefect(
    'wait.bounded',
    'an answer is held for ten seconds whatever the requested wait',
    () =>
      async (request, next, { sleep }) => {
        if (isPreferred(request)) await sleep(10_000);
        return next(requestWithHeaders(request, { prefer: undefined }));
      },
  ),
  responseDefect(
    'wait.untagged',
    'an answer to a request without an ETag is held',
    () =>
      async (request, next, { sleep }) => {
        if (isPreferred(request)) await sleep(5000);
        return next(request);
      },
  ),
  responseDefect(
    'wait.malformed',
    'a preference that does not parse is an error',
    onAnswer(
      ({ headers }) => /soon|-1/.test(headers.get('prefer') ?? ''),
      () => problem(400, 'invalid_request'),
    ),
  ),
  responseDefect('wait.clamped', 'an answer is held for more than 30 s', () => async (request, next, { sleep }) => {
    if (request.headers.get('prefer') === 'wait=50') await sleep(50_000);
    return next(requestWithHeaders(request, { prefer: undefined }));
  }),
  responseDefect(
    'wait.early',
    'a held answer does not end when the checkout changes',
    () =>
      async (request, next, { sleep }) => {
        if (isPreferred(request)) await sleep(5000);
        return next(requestWithHeaders(request, { prefer: undefined }));
      },
  ),

  responseDefect(
    'capability.unknown',
    'an unknown capability is answered with 403',
    onAnswer(
      (_, { status }) => status === 404,
      () => problem(403, 'invalid_request'),
    ),
  ),
  responseDefect('capability.near', 'capabilities are compared without regard to letter case', ignoreLetterCase),
  responseDefect(
    'capability.malformed',
    'a malformed capability is answered differently from an unknown one',
    onAnswer(
      (request, { status }) => status === 404 && !capabilityOf(request).startsWith('chk_'),
      () => problem(400, 'invalid_request'),
    ),
  ),
  responseDefect(
    'capability.write',
    'the body of a write is validated before the capability',
    onAnswer(
      (request, { status }) => isWrite(request) && status === 404,
      () => problem(422, 'method_unavailable'),
    ),
  ),
  { check: 'capability.entropy', defect: 'capabilities are sequential numbers', changes: sequentialCapabilities },
  responseDefect(
    'capability.address',
    'a GET creates an invoice',
    onAnswer(
      ({ method, url }) => method === 'GET' && url.endsWith('/invoice'),
      () => Response.json({}),
    ),
  ),
  responseDefect(
    'paid.time',
    'a paid checkout has no time of the payment',
    onCheckout(isRead, (body) => ({ ...body, paid_at: null })),
  ),
];

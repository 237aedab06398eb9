import type { BackendChanges } from '../run-conformance-in-process.ts';
import {
  requestWithHeaders,
  requestWithUrl,
  capabilityOf,
  seedDefect,
  isAnyRequest,
  isRead,
  isWrite,
  onResponse,
  onCheckout,
  onRequest,
  problem,
  withHeaders,
  omitMember,
  withStatus,
  type SeededDefect,
} from './seeded-defect.ts';

const isReadWithPrefer = (request: Request): boolean => isRead(request) && request.headers.has('prefer');
const isReadWithETag = (request: Request): boolean => isRead(request) && request.headers.has('if-none-match');
const option = { id: 'pm_far', type: 'CARD', available: true, limits: { max_amount: '1.00' }, banks: [] };
const withoutIfNoneMatch = { 'if-none-match': undefined };

/** A defect that sends a new ETag with each response. */
const newETagForEachRead = () => {
  let readCount = 0;
  return onResponse(isRead, (response) => withHeaders(response, { etag: `"${(readCount += 1)}"` }))();
};

/** A defect that ignores the letter case of capabilities, as some databases do. */
const ignoreLetterCase = () => {
  const firstSpellings = new Map<string, string>();
  return onRequest(isAnyRequest, (request) => {
    const capability = capabilityOf(request);
    const firstSpelling = firstSpellings.get(capability.toLowerCase()) ?? capability;
    firstSpellings.set(capability.toLowerCase(), firstSpelling);
    return requestWithUrl(request, request.url.replace(capability, firstSpelling));
  })();
};

/** A backend that gives checkouts sequential numbers as capabilities. */
const sequentialCapabilities = (): BackendChanges => {
  const capabilitiesByNumber = new Map<string, string>();
  return {
    changeCapability(capability) {
      const sequentialCapability = `chk_${capabilitiesByNumber.size + 1}`;
      capabilitiesByNumber.set(sequentialCapability, capability);
      return sequentialCapability;
    },
    intercept: (request, next) => {
      const requestedCapability = capabilityOf(request);
      return next(
        requestWithUrl(
          request,
          request.url.replace(
            requestedCapability,
            capabilitiesByNumber.get(requestedCapability) ?? requestedCapability,
          ),
        ),
      );
    },
  };
};

/** Backends that break a rule of reads or of capabilities. */
export const readDefects: readonly SeededDefect[] = [
  seedDefect(
    'checkout.answers',
    'a member of the checkout is missing',
    onCheckout(isRead, (body) => omitMember(body, 'poll_after_ms')),
  ),
  seedDefect(
    'checkout.answers',
    'the amount is a number',
    onCheckout(isRead, (body) => ({ ...body, amount: 1500 })),
  ),
  seedDefect(
    'checkout.media_type',
    'the media type is text/html',
    onResponse(isRead, (response) => withHeaders(response, { 'content-type': 'text/html' })),
  ),
  seedDefect(
    'checkout.id',
    'the id is the number of the order',
    onCheckout(isRead, (body) => ({ ...body, id: '1001' })),
  ),
  seedDefect(
    'checkout.open',
    'a new checkout is stale',
    onCheckout(isRead, (body) => ({ ...body, stale: true })),
  ),
  seedDefect(
    'checkout.amount',
    'a checkout with an amount also has limits',
    onCheckout(isRead, (body) => ({ ...body, amount_limits: {} })),
  ),
  seedDefect(
    'checkout.currency',
    'the currency is a symbol',
    onCheckout(isRead, (body) => ({ ...body, currency: '₽' })),
  ),
  seedDefect(
    'checkout.return_urls',
    'a return URL is a path',
    onCheckout(isRead, (body) => ({ ...body, return_urls: { success_url: '/thanks', fail_url: null } })),
  ),
  seedDefect(
    'checkout.options_filtered',
    'the limits of an option exclude the amount',
    onCheckout(isRead, (body) => ({ ...body, options: [option] })),
  ),
  seedDefect(
    'checkout.amount_query',
    'the URL sets the amount',
    onCheckout(isRead, (body, { url }) => ({
      ...body,
      amount: new URL(url).searchParams.get('amount') ?? body['amount'],
    })),
  ),
  seedDefect(
    'checkout.clock',
    'the time of the server is cached',
    onCheckout(isRead, (body) => ({ ...body, server_time: '2026-11-20T10:00:00.000Z' })),
  ),
  seedDefect(
    'checkout.methods',
    'a DELETE succeeds',
    onResponse(
      ({ method }) => method === 'DELETE',
      () => new Response(null, { status: 204 }),
    ),
  ),

  seedDefect(
    'etag.present',
    'there is no ETag',
    onResponse(isRead, (response) => withHeaders(response, { etag: undefined })),
  ),
  seedDefect(
    'etag.present',
    'the ETag has no quotation marks',
    onResponse(isRead, (response) => withHeaders(response, { etag: 'abc' })),
  ),
  seedDefect(
    'etag.unchanged',
    'If-None-Match is ignored',
    onRequest(isRead, (request) => requestWithHeaders(request, withoutIfNoneMatch)),
  ),
  seedDefect('etag.clock', 'the ETag depends on server_time', newETagForEachRead),
  seedDefect(
    'etag.list',
    'a list of ETags is not split',
    onRequest(
      (request) => (request.headers.get('if-none-match') ?? '').includes(','),
      (request) => requestWithHeaders(request, withoutIfNoneMatch),
    ),
  ),
  seedDefect(
    'etag.weak',
    'ETags are compared strongly',
    onRequest(
      (request) => (request.headers.get('if-none-match') ?? '').startsWith('"'),
      (request) => requestWithHeaders(request, withoutIfNoneMatch),
    ),
  ),
  seedDefect(
    'etag.other',
    'any ETag is answered with 304',
    onResponse(isReadWithETag, (response) => withStatus(response, 304)),
  ),
  seedDefect(
    'etag.changed',
    'the ETag does not depend on the invoice',
    onResponse(isReadWithETag, (response) => withStatus(response, 304)),
  ),
  seedDefect('etag.clock_pending', 'the ETag depends on the time left', newETagForEachRead),
  seedDefect(
    'wait.bounded',
    'a response is held for ten seconds when two seconds are requested',
    () =>
      async (request, next, { sleep }) => {
        if (isReadWithPrefer(request)) await sleep(10_000);
        return next(requestWithHeaders(request, { prefer: undefined }));
      },
  ),
  seedDefect(
    'wait.untagged',
    'the response to a request without an ETag is held',
    () =>
      async (request, next, { sleep }) => {
        if (isReadWithPrefer(request)) await sleep(5000);
        return next(request);
      },
  ),
  seedDefect(
    'wait.malformed',
    'a malformed Prefer header is answered with 400',
    onResponse(
      ({ headers }) => /soon|-1/.test(headers.get('prefer') ?? ''),
      () => problem(400, 'invalid_request'),
    ),
  ),
  seedDefect('wait.clamped', 'a response is held for more than 30 s', () => async (request, next, { sleep }) => {
    if (request.headers.get('prefer') === 'wait=50') await sleep(50_000);
    return next(requestWithHeaders(request, { prefer: undefined }));
  }),
  seedDefect(
    'wait.early',
    'a held response does not end when the checkout changes',
    () =>
      async (request, next, { sleep }) => {
        if (isReadWithPrefer(request)) await sleep(5000);
        return next(requestWithHeaders(request, { prefer: undefined }));
      },
  ),

  seedDefect(
    'capability.unknown',
    'an unknown capability is answered with 403',
    onResponse(
      (_, { status }) => status === 404,
      () => problem(403, 'invalid_request'),
    ),
  ),
  seedDefect('capability.near', 'capabilities are compared without regard to letter case', ignoreLetterCase),
  seedDefect(
    'capability.malformed',
    'a malformed capability is answered differently from an unknown one',
    onResponse(
      (request, { status }) => status === 404 && !capabilityOf(request).startsWith('chk_'),
      () => problem(400, 'invalid_request'),
    ),
  ),
  seedDefect(
    'capability.write',
    'a write with an unknown capability is answered with 422',
    onResponse(
      (request, { status }) => isWrite(request) && status === 404,
      () => problem(422, 'method_unavailable'),
    ),
  ),
  { check: 'capability.entropy', defect: 'capabilities are sequential numbers', changes: sequentialCapabilities },
  seedDefect(
    'capability.address',
    'a GET creates an invoice',
    onResponse(
      ({ method, url }) => method === 'GET' && url.endsWith('/invoice'),
      () => Response.json({}),
    ),
  ),
  seedDefect(
    'paid.time',
    'a paid checkout has no time of the payment',
    onCheckout(isRead, (body) => ({ ...body, paid_at: null })),
  ),
];

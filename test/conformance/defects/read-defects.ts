import type { BackendChanges } from '../run-conformance-in-process.ts';
import {
  after,
  backend,
  answerInsteadOf,
  readsWith,
  requestWithHeaders,
  requestWithUrl,
  capabilityOf,
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
  type DefectTable,
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
export const readDefects: DefectTable = {
  'checkout.answers': {
    'a member of the checkout is missing': onCheckout(isRead, (body) => omitMember(body, 'poll_after_ms')),
    'the amount is a number': readsWith({ amount: 1500 }),
  },
  'checkout.media_type': {
    'the media type is text/html': onResponse(isRead, (response) =>
      withHeaders(response, { 'content-type': 'text/html' }),
    ),
  },
  'checkout.id': {
    'the id is the capability': onCheckout(isRead, (body, request) => ({ ...body, id: capabilityOf(request) })),
    'the id is empty': readsWith({ id: '' }),
  },
  'checkout.open': {
    'a new checkout is stale': readsWith({ stale: true }),
  },
  'checkout.amount': {
    'a checkout with an amount also has limits': readsWith({ amount_limits: {} }),
  },
  'checkout.currency': {
    'the currency is a symbol': readsWith({ currency: '₽' }),
  },
  'checkout.return_urls': {
    'a return URL is a path': readsWith({ return_urls: { success_url: '/thanks', fail_url: null } }),
  },
  'checkout.options_filtered': {
    'the limits of an option exclude the amount': readsWith({ options: [option] }),
  },
  'checkout.amount_query': {
    'the URL sets the amount': onCheckout(isRead, (body, { url }) => ({
      ...body,
      amount: new URL(url).searchParams.get('amount') ?? body['amount'],
    })),
  },
  'checkout.clock': {
    'the time of the server is cached': readsWith({ server_time: '2026-11-20T10:00:00.000Z' }),
  },
  'checkout.methods': {
    'a DELETE succeeds': onResponse(
      ({ method }) => method === 'DELETE',
      () => new Response(null, { status: 204 }),
    ),
  },
  'etag.present': {
    'there is no ETag': onResponse(isRead, (response) => withHeaders(response, { etag: undefined })),
    'the ETag has no quotation marks': onResponse(isRead, (response) => withHeaders(response, { etag: 'abc' })),
  },
  'etag.unchanged': {
    'If-None-Match is ignored': onRequest(isRead, (request) => requestWithHeaders(request, withoutIfNoneMatch)),
  },
  'etag.clock': {
    'the ETag depends on server_time': newETagForEachRead,
  },
  'etag.list': {
    'a list of ETags is not split': onRequest(
      (request) => (request.headers.get('if-none-match') ?? '').includes(','),
      (request) => requestWithHeaders(request, withoutIfNoneMatch),
    ),
  },
  'etag.weak': {
    'ETags are compared strongly': onRequest(
      (request) => (request.headers.get('if-none-match') ?? '').startsWith('"'),
      (request) => requestWithHeaders(request, withoutIfNoneMatch),
    ),
  },
  'etag.other': {
    'any ETag is answered with 304': onResponse(isReadWithETag, (response) => withStatus(response, 304)),
  },
  'etag.changed': {
    'the ETag does not depend on the invoice': onResponse(isReadWithETag, (response) => withStatus(response, 304)),
  },
  'answers.etag': {
    'the ETag does not depend on poll_after_ms': after(['checkout.answers', 'checkout.clock'], () => {
      let reads = 0;
      return onCheckout(isRead, (body) => ({ ...body, poll_after_ms: 2000 + (reads += 1) }))();
    }),
  },
  'etag.clock_pending': {
    'the ETag depends on the time left': newETagForEachRead,
  },
  'wait.bounded': {
    'a response is held for ten seconds when two seconds are requested':
      () =>
      async (request, next, { sleep }) => {
        if (isReadWithPrefer(request)) await sleep(10_000);
        return next(requestWithHeaders(request, { prefer: undefined }));
      },
  },
  'wait.untagged': {
    'the response to a request without an ETag is held':
      () =>
      async (request, next, { sleep }) => {
        if (isReadWithPrefer(request)) await sleep(5000);
        return next(request);
      },
  },
  'wait.malformed': {
    'a malformed Prefer header is answered with 400': onResponse(
      ({ headers }) => /soon|-1/.test(headers.get('prefer') ?? ''),
      () => problem(400, 'invalid_request'),
    ),
  },
  'wait.clamped': {
    'a response is held for more than 30 s':
      () =>
      async (request, next, { sleep }) => {
        if (request.headers.get('prefer') === 'wait=50') await sleep(50_000);
        return next(requestWithHeaders(request, { prefer: undefined }));
      },
  },
  'wait.early': {
    'a held response does not end when the checkout changes':
      () =>
      async (request, next, { sleep }) => {
        if (isReadWithPrefer(request)) await sleep(5000);
        return next(requestWithHeaders(request, { prefer: undefined }));
      },
  },
  'capability.unknown': {
    'an unknown capability is answered with 403': answerInsteadOf(404, 403, 'invalid_request'),
  },
  'capability.near': {
    'capabilities are compared without regard to letter case': ignoreLetterCase,
  },
  'capability.malformed': {
    'a malformed capability is answered differently from an unknown one': onResponse(
      (request, { status }) => status === 404 && !capabilityOf(request).startsWith('chk_'),
      () => problem(400, 'invalid_request'),
    ),
  },
  'capability.write': {
    'a write with an unknown capability is answered with 422': answerInsteadOf(404, 422, 'method_unavailable', isWrite),
  },
  'capability.entropy': {
    'capabilities are sequential numbers': backend(sequentialCapabilities),
  },
  'capability.address': {
    'a GET creates an invoice': onResponse(
      ({ method, url }) => method === 'GET' && url.endsWith('/invoice'),
      () => Response.json({}),
    ),
  },
  'paid.time': {
    'a paid checkout has no time of the payment': readsWith({ paid_at: null }),
  },
};

import type { Differences } from '../run-in-process.ts';
import {
  asking,
  at,
  capabilityOf,
  edge,
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
  type Seeded,
} from './make.ts';

const isPreferred = (request: Request): boolean => isRead(request) && request.headers.has('prefer');
const isTagged = (request: Request): boolean => isRead(request) && request.headers.has('if-none-match');
const option = { id: 'pm_far', type: 'CARD', available: true, limits: { max_amount: '1.00' }, banks: [] };
const foreignTag = { 'if-none-match': undefined };

/** Each answer gets an ETag of its own. */
const newTags = () => {
  let count = 0;
  return onAnswer(isRead, (response) => withHeaders(response, { etag: `"${(count += 1)}"` }))();
};

/** A database that compares capabilities without regard to case. */
const caseless = () => {
  const known = new Map<string, string>();
  return onRequest(isAny, (request) => {
    const asked = capabilityOf(request);
    const first = known.get(asked.toLowerCase()) ?? asked;
    known.set(asked.toLowerCase(), first);
    return at(request, request.url.replace(asked, first));
  })();
};

/** Capabilities that count up. */
const counted = (): Differences => {
  const real = new Map<string, string>();
  return {
    mint(capability) {
      const short = `chk_${real.size + 1}`;
      real.set(short, capability);
      return short;
    },
    edge: (request, next) => {
      const asked = capabilityOf(request);
      return next(at(request, request.url.replace(asked, real.get(asked) ?? asked)));
    },
  };
};

export const readingDefects: readonly Seeded[] = [
  edge(
    'checkout.answers',
    'a member is missing',
    onCheckout(isRead, (body) => without(body, 'poll_after_ms')),
  ),
  edge(
    'checkout.answers',
    'the amount is a number',
    onCheckout(isRead, (body) => ({ ...body, amount: 1500 })),
  ),
  edge(
    'checkout.media_type',
    'the media type is text/html',
    onAnswer(isRead, (response) => withHeaders(response, { 'content-type': 'text/html' })),
  ),
  edge(
    'checkout.id',
    'the id is the number of the order',
    onCheckout(isRead, (body) => ({ ...body, id: '1001' })),
  ),
  edge(
    'checkout.open',
    'a new checkout is pending',
    onCheckout(isRead, (body) => ({ ...body, stale: true })),
  ),
  edge(
    'checkout.amount',
    'there are limits beside the amount',
    onCheckout(isRead, (body) => ({ ...body, amount_limits: {} })),
  ),
  edge(
    'checkout.currency',
    'the currency is a sign',
    onCheckout(isRead, (body) => ({ ...body, currency: '₽' })),
  ),
  edge(
    'checkout.return_urls',
    'a return address is a path',
    onCheckout(isRead, (body) => ({ ...body, return_urls: { success_url: '/thanks', fail_url: null } })),
  ),
  edge(
    'checkout.options_filtered',
    'an option does not hold the amount',
    onCheckout(isRead, (body) => ({ ...body, options: [option] })),
  ),
  edge(
    'checkout.amount_query',
    'the address sets the amount',
    onCheckout(isRead, (body, { url }) => ({
      ...body,
      amount: new URL(url).searchParams.get('amount') ?? body['amount'],
    })),
  ),
  edge(
    'checkout.clock',
    'the time of the server is cached',
    onCheckout(isRead, (body) => ({ ...body, server_time: '2026-11-20T10:00:00.000Z' })),
  ),
  edge(
    'checkout.methods',
    'a DELETE does something',
    onAnswer(
      ({ method }) => method === 'DELETE',
      () => new Response(null, { status: 204 }),
    ),
  ),

  edge(
    'etag.present',
    'there is no ETag',
    onAnswer(isRead, (response) => withHeaders(response, { etag: undefined })),
  ),
  edge(
    'etag.present',
    'the ETag is bare',
    onAnswer(isRead, (response) => withHeaders(response, { etag: 'abc' })),
  ),
  edge(
    'etag.unchanged',
    'If-None-Match is not looked at',
    onRequest(isRead, (request) => asking(request, foreignTag)),
  ),
  edge('etag.clock', 'the ETag covers the clock', newTags),
  edge(
    'etag.list',
    'a list of ETags is not split',
    onRequest(
      (request) => (request.headers.get('if-none-match') ?? '').includes(','),
      (request) => asking(request, foreignTag),
    ),
  ),
  edge(
    'etag.weak',
    'ETags are compared strongly',
    onRequest(
      (request) => (request.headers.get('if-none-match') ?? '').startsWith('"'),
      (request) => asking(request, foreignTag),
    ),
  ),
  edge(
    'etag.other',
    'any ETag is answered with 304',
    onAnswer(isTagged, (response) => withStatus(response, 304)),
  ),
  edge(
    'etag.changed',
    'the ETag does not cover the invoice',
    onAnswer(isTagged, (response) => withStatus(response, 304)),
  ),
  edge('etag.clock_pending', 'the ETag covers the time that is left', newTags),
  edge(
    'wait.bounded',
    'an answer is held for ten seconds whatever was asked',
    () =>
      async (request, next, { sleep }) => {
        if (isPreferred(request)) await sleep(10_000);
        return next(asking(request, { prefer: undefined }));
      },
  ),
  edge('wait.untagged', 'an answer is held although nothing was seen yet', () => async (request, next, { sleep }) => {
    if (isPreferred(request)) await sleep(5000);
    return next(request);
  }),
  edge(
    'wait.malformed',
    'a preference that does not parse is an error',
    onAnswer(
      ({ headers }) => /soon|-1/.test(headers.get('prefer') ?? ''),
      () => problem(400, 'invalid_request'),
    ),
  ),
  edge('wait.clamped', 'an answer is held as long as was asked', () => async (request, next, { sleep }) => {
    if (request.headers.get('prefer') === 'wait=50') await sleep(50_000);
    return next(asking(request, { prefer: undefined }));
  }),
  edge('wait.early', 'a change does not wake a held answer', () => async (request, next, { sleep }) => {
    if (isPreferred(request)) await sleep(5000);
    return next(asking(request, { prefer: undefined }));
  }),

  edge(
    'capability.unknown',
    'an unknown capability is forbidden',
    onAnswer(
      (_, { status }) => status === 404,
      () => problem(403, 'invalid_request'),
    ),
  ),
  edge('capability.near', 'the letter case does not count', caseless),
  edge(
    'capability.malformed',
    'a malformed capability is told from an unknown one',
    onAnswer(
      (request, { status }) => status === 404 && !capabilityOf(request).startsWith('chk_'),
      () => problem(400, 'invalid_request'),
    ),
  ),
  edge(
    'capability.write',
    'the body of a write is judged before the capability',
    onAnswer(
      (request, { status }) => isWrite(request) && status === 404,
      () => problem(422, 'method_unavailable'),
    ),
  ),
  { check: 'capability.entropy', defect: 'capabilities count up', merchant: counted },
  edge(
    'capability.address',
    'a GET creates an invoice',
    onAnswer(
      ({ method, url }) => method === 'GET' && url.endsWith('/invoice'),
      () => Response.json({}),
    ),
  ),
];

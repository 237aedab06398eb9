import {
  bodyIn,
  isRead,
  isWrite,
  jsonAnswer,
  onAnswer,
  onCheckout,
  onRequest,
  problem,
  requestWithHeaders,
  responseDefect,
  withHeaders,
  without,
  type SeededDefect,
} from './seeded-defect.ts';

const isHead = ({ method }: Request): boolean => method === 'HEAD';
const isPreflight = ({ method }: Request): boolean => method === 'OPTIONS';
const hasOrigin = ({ headers }: Request): boolean => headers.has('origin');

/** Accepts bodies of writes up to another limit, in bytes. */
const bodyLimit = (limit: number) => () => async (request: Request, next: (request: Request) => Promise<Response>) => {
  if (!isWrite(request)) return next(request);
  const text = await request.text();
  if (text.length > limit) return problem(413, 'invalid_request');
  const { url, method, headers } = request;
  return next(new Request(url, { method, headers, body: text.trimEnd() }));
};

/** Removes the origin from some requests, so that the backend treats them as requests of its own pages. */
const withoutOrigin = (isCovered: (request: Request) => boolean) =>
  onRequest(
    (request) => hasOrigin(request) && isCovered(request),
    (request) => requestWithHeaders(request, { origin: undefined, 'sec-fetch-site': undefined }),
  );

const methodDefects: readonly SeededDefect[] = [
  responseDefect(
    'checkout.methods',
    'a 405 has no Allow',
    onAnswer(
      (_, { status }) => status === 405,
      (response) => withHeaders(response, { allow: undefined }),
    ),
  ),
  responseDefect(
    'checkout.methods',
    'another method is answered with 404',
    onAnswer(
      (_, { status }) => status === 405,
      () => problem(404, 'not_found'),
    ),
  ),
  responseDefect(
    'capability.address',
    'a 405 lists a method that is not allowed either',
    onAnswer(
      (_, { status }) => status === 405,
      (response) => withHeaders(response, { allow: 'GET' }),
    ),
  ),
  responseDefect(
    'checkout.head',
    'HEAD is answered with 405',
    onAnswer(isHead, () => problem(405, 'invalid_request')),
  ),
  responseDefect(
    'checkout.head',
    'the answer to HEAD has no ETag',
    onAnswer(isHead, (response) => withHeaders(response, { etag: undefined })),
  ),
];

const bodyDefects: readonly SeededDefect[] = [
  responseDefect(
    'request.detail',
    'a problem has no `detail`',
    onAnswer(
      (request, { status }) => isWrite(request) && status === 400,
      async (response) => jsonAnswer(response, without(bodyIn(await response.text()), 'detail')),
    ),
  ),
  responseDefect(
    'request.large',
    'a body that is too large is answered with 400',
    onAnswer(
      (_, { status }) => status === 413,
      () => problem(400, 'invalid_request'),
    ),
  ),
  responseDefect('request.limit', 'a body of 16 KiB is refused', bodyLimit(16 * 1024 - 1)),
  responseDefect('request.limit', 'a body of 100 KB is accepted', bodyLimit(100_000)),
  responseDefect(
    'request.media_type',
    'a body of another media type is answered with 400',
    onAnswer(
      (_, { status }) => status === 415,
      () => problem(400, 'invalid_request'),
    ),
  ),
  responseDefect(
    'request.media_type',
    'a charset is not accepted',
    onAnswer(
      ({ headers }) => (headers.get('content-type') ?? '').includes('charset'),
      () => problem(415, 'invalid_request'),
    ),
  ),
];

const originDefects: readonly SeededDefect[] = [
  responseDefect(
    'request.same_origin',
    'a write of the backend’s own page is refused',
    onAnswer(
      (request) => isWrite(request) && request.headers.get('sec-fetch-site') === 'same-origin',
      () => problem(403, 'invalid_request'),
    ),
  ),
  responseDefect(
    'cors.allowed',
    'the answer to an allowed origin does not vary by origin',
    onAnswer(hasOrigin, (response) => withHeaders(response, { vary: 'Accept-Encoding' })),
  ),
  responseDefect(
    'cors.allowed',
    'ETag is not exposed',
    onAnswer(hasOrigin, (response) => withHeaders(response, { 'access-control-expose-headers': 'Retry-After' })),
  ),
  responseDefect('cors.allowed', 'no origin is allowed to read', withoutOrigin(isRead)),
  responseDefect('cors.preflight', 'there is no answer to a preflight', withoutOrigin(isPreflight)),
  responseDefect(
    'cors.preflight',
    'a preflight does not allow Idempotency-Key',
    onAnswer(isPreflight, (response) => withHeaders(response, { 'access-control-allow-headers': 'content-type' })),
  ),
];

const closedDefects: readonly SeededDefect[] = [
  {
    check: 'closed.seen',
    defect: 'a closed checkout stays open',
    changes: () => ({ closeCheckout: () => Promise.resolve() }),
  },
  responseDefect(
    'closed.seen',
    'a closed checkout lists payment options',
    onCheckout(isRead, (body) => (body['status'] === 'closed' ? { ...body, options: [option] } : body)),
  ),
  responseDefect('closed.refused', 'a closed checkout is answered like a paid one', () => alreadyPaidWhenClosed()),
  responseDefect(
    'closed.visible',
    'an issued invoice disappears when its checkout is closed',
    onCheckout(isRead, (body) => (body['invoice'] === null ? body : { ...body, status: 'closed', invoice: null })),
  ),
  {
    check: 'closed.replaced',
    defect: 'an invoice can be replaced although its checkout is closed',
    changes: () => ({ closeCheckout: () => Promise.resolve() }),
  },
  responseDefect(
    'closed.paid',
    'a payment of a closed checkout is not detected',
    onCheckout(isRead, (body) => (body['status'] === 'paid' ? { ...body, status: 'closed' } : body)),
  ),
];

const option = { id: 'pm_1', type: 'SBP', available: true, limits: {}, banks: [] };

const alreadyPaidWhenClosed = onAnswer(
  (request, { status }) => isWrite(request) && status === 409,
  () => problem(409, 'already_paid'),
);

const etagDefects: readonly SeededDefect[] = [
  responseDefect(
    'answers.etag',
    'the ETag does not depend on poll_after_ms',
    () => {
      let reads = 0;
      return onCheckout(isRead, (body) => ({ ...body, poll_after_ms: 2000 + (reads += 1) }))();
    },
    'checkout.answers',
    'checkout.clock',
  ),
];

/** Backends that break a rule of HTTP, or keep a closed checkout open. */
export const httpDefects: readonly SeededDefect[] = [
  ...methodDefects,
  ...bodyDefects,
  ...originDefects,
  ...closedDefects,
  ...etagDefects,
];

import {
  backend,
  answerInsteadOf,
  parseBody,
  isRead,
  isWrite,
  withJsonBody,
  onResponse,
  onCheckout,
  onRequest,
  problem,
  replaceStatus,
  requestWithHeaders,
  withHeaders,
  omitMember,
  type DefectTable,
} from './seeded-defect.ts';

const isHead = ({ method }: Request): boolean => method === 'HEAD';
const isPreflight = ({ method }: Request): boolean => method === 'OPTIONS';
const hasOrigin = ({ headers }: Request): boolean => headers.has('origin');

/** Whether the header of a request is longer than all that are read. */
const hasLong =
  (name: string, longest = 200) =>
  ({ headers }: Request): boolean =>
    (headers.get(name) ?? '').length > longest;

/** Creates a defect that accepts bodies of writes up to a limit in bytes. */
const limitBodyTo =
  (limit: number) => () => async (request: Request, next: (request: Request) => Promise<Response>) => {
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

const option = { id: 'pm_1', type: 'SBP', available: true, limits: {}, banks: [] };

const answerConflictsWithAlreadyPaid = answerInsteadOf(409, 409, 'already_paid', isWrite);

const methodDefects: DefectTable = {
  'checkout.methods': {
    'a 405 has no Allow': onResponse(
      (_, { status }) => status === 405,
      (response) => withHeaders(response, { allow: undefined }),
    ),
    'an unsupported HTTP method is answered with 404': answerInsteadOf(405, 404, 'not_found'),
  },
  'capability.address': {
    'the Allow header of a 405 lists the refused method': onResponse(
      (_, { status }) => status === 405,
      (response) => withHeaders(response, { allow: 'GET' }),
    ),
  },
  'checkout.head': {
    'HEAD is answered with 405': onResponse(isHead, () => problem(405, 'invalid_request')),
    'the response to HEAD has no ETag': onResponse(isHead, (response) => withHeaders(response, { etag: undefined })),
  },
};

const bodyDefects: DefectTable = {
  'request.detail': {
    'a problem has no `detail`': onResponse(
      (request, { status }) => isWrite(request) && status === 400,
      async (response) => withJsonBody(response, omitMember(parseBody(await response.text()), 'detail')),
    ),
  },
  'request.lengths': {
    'a body that is too large is answered with 400': answerInsteadOf(413, 400, 'invalid_request'),
    'a body of 16 KiB is refused': limitBodyTo(16 * 1024 - 1),
    'a body of 100 KB is accepted': limitBodyTo(100_000),
    'the connection is reset when the body is large': () => async (request, next) => {
      const { length } = isWrite(request) ? await request.clone().text() : '';
      if (length <= 500_000) return next(request);
      throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
    },
    'a long Idempotency-Key is cut off': onRequest(hasLong('idempotency-key'), (request) =>
      requestWithHeaders(request, { 'idempotency-key': 'k'.repeat(200) }),
    ),
    'a long header that may be missing is answered with 500': onResponse(hasLong('accept-language'), () =>
      problem(500, 'internal', { trace_id: 't' }),
    ),
    'the server falls over at a header of a million characters': () => {
      let isDown = false;
      return (request, next) => {
        isDown ||= hasLong('prefer', 500_000)(request);
        return isDown ? Promise.reject(new TypeError('fetch failed')) : next(request);
      };
    },
  },
  'request.media_type': {
    'a body of another media type is answered with 400': answerInsteadOf(415, 400, 'invalid_request'),
    'application/json with a charset is refused': onResponse(
      ({ headers }) => (headers.get('content-type') ?? '').includes('charset'),
      () => problem(415, 'invalid_request'),
    ),
  },
};

const originDefects: DefectTable = {
  'request.same_origin': {
    'a write of the backend’s own page is refused': onResponse(
      (request) => isWrite(request) && request.headers.get('sec-fetch-site') === 'same-origin',
      () => problem(403, 'invalid_request'),
    ),
  },
  'cors.allowed': {
    'the response to an allowed origin lacks Vary: Origin': onResponse(hasOrigin, (response) =>
      withHeaders(response, { vary: 'Accept-Encoding' }),
    ),
    'ETag is not exposed': onResponse(hasOrigin, (response) =>
      withHeaders(response, { 'access-control-expose-headers': 'Retry-After' }),
    ),
    'an allowed origin may not read': withoutOrigin(isRead),
  },
  'cors.preflight': {
    'a preflight gets no CORS headers': withoutOrigin(isPreflight),
    'a preflight does not allow Idempotency-Key': onResponse(isPreflight, (response) =>
      withHeaders(response, { 'access-control-allow-headers': 'content-type' }),
    ),
  },
};

const closedDefects: DefectTable = {
  'closed.seen': {
    'a closed checkout stays open': backend(() => ({ closeCheckout: () => Promise.resolve() })),
    'a closed checkout lists payment options': onCheckout(isRead, (body) =>
      body['status'] === 'closed' ? { ...body, options: [option] } : body,
    ),
  },
  'closed.refused': {
    'a create for a closed checkout is answered with already_paid': answerConflictsWithAlreadyPaid,
  },
  'closed.visible': {
    'an issued invoice disappears when its checkout is closed': onCheckout(isRead, (body) =>
      body['invoice'] === null ? body : { ...body, status: 'closed', invoice: null },
    ),
  },
  'closed.replaced': {
    'an invoice can be replaced although its checkout is closed': backend(() => ({
      closeCheckout: () => Promise.resolve(),
    })),
  },
  'closed.paid': {
    'a payment of a closed checkout is not detected': replaceStatus('paid', 'closed'),
  },
};

/** Backends that break a rule of HTTP, or keep a closed checkout open. */
export const httpDefects: readonly DefectTable[] = [methodDefects, bodyDefects, originDefects, closedDefects];

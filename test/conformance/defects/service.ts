import {
  capabilityOf,
  edge,
  isAny,
  isBody,
  isHook,
  isRead,
  isWrite,
  jsonAnswer,
  bodyIn,
  onAnswer,
  onBody,
  onCheckout,
  onInvoice,
  problem,
  withHeaders,
  without,
  type Body,
  type Seeded,
} from './make.ts';
import type { Defect } from '../run-in-process.ts';

/** One status is told as another. */
const told = (from: string, to: string) =>
  onCheckout(isAny, (body) => (body['status'] === from ? { ...body, status: to } : body));

/** After some answers with a status the next ones have another. */
const turning = (status: string, after: number, to: string) => () => {
  let count = 0;
  return onCheckout(isRead, (body) => {
    if (body['status'] === status) count += 1;
    return count > after ? { ...body, status: to } : body;
  })();
};

/** Once a read has shown a status, writes are answered with a conflict. */
const closedAfter = (status: string) => (): Defect => {
  let isClosed = false;
  return async (request, next) => {
    if (isWrite(request) && isClosed) return problem(409, 'invoice_pending');
    const response = await next(request);
    if (isRead(request)) isClosed ||= bodyIn(await response.clone().text())['status'] === status;
    return response;
  };
};

/** Whoever tells it that an invoice is paid is believed. */
const credulous = (): Defect => {
  const paid = new Set<string>();
  return async (request, next) => {
    if (isHook(request) && (await request.clone().text()).includes('PAID')) paid.add(capabilityOf(request));
    const response = await next(request);
    if (!isRead(request) || !paid.has(capabilityOf(request))) return response;
    return jsonAnswer(response, { ...bodyIn(await response.text()), status: 'paid' });
  };
};

/** Whether the end of a write is not known. */
const isOpenEnd = (request: Request, { status }: Response): boolean =>
  isWrite(request) && (status === 202 || status === 503);

/** Writes with a status are answered in another way. */
const instead = (from: number, answer: (body: Body) => Response) =>
  onAnswer(
    (request, { status }) => isWrite(request) && status === from,
    async (response) => answer(bodyIn(await response.text())),
  );

const option = { id: 'pm', type: 'CARD', available: true, limits: {}, banks: [] };
const isProblem = (_: Request, { status }: Response): boolean => status >= 400;

const watching: readonly Seeded[] = [
  edge('hook.good_secret', 'a notification has to be JSON', () => async (request, next) => {
    if (!isHook(request)) return next(request);
    const isJson = (await request.clone().text()).startsWith('{');
    return isJson ? next(request) : problem(400, 'invalid_request');
  }),
  edge('hook.forged', 'a notification is believed', credulous),
  edge('hook.merged', 'each notification is a fetch', () => async (request, next, { callService }) => {
    if (isHook(request)) await callService('FetchInvoices');
    return next(request);
  }),
  edge('polls.no_call', 'each poll is a fetch', () => async (request, next, { callService }) => {
    if (isRead(request)) await callService('FetchInvoices');
    return next(request);
  }),
  edge('polls.no_call', 'options are not cached', () => async (request, next, { callService }) => {
    if (request.url.includes('?options=1')) await callService('FetchPaymentOptions');
    return next(request);
  }),
  edge('paid.seen', 'a payment is never seen', told('paid', 'pending')),
  edge(
    'paid.options',
    'a paid checkout still has options',
    onCheckout(isRead, (body) => (body['status'] === 'paid' ? { ...body, options: [option] } : body)),
  ),
  edge(
    'paid.refused',
    'a paid checkout can be paid again',
    instead(409, () => Response.json({}, { status: 201 })),
  ),
  edge('paid.final', 'a later status overwrites paid', turning('paid', 2, 'failed')),
  edge('failed.seen', 'a failure is told as expired', told('failed', 'expired')),
  edge('failed.again', 'a failed invoice stands in the way', closedAfter('failed')),
  edge('expired.seen', 'nothing ever expires', told('expired', 'pending')),
  edge(
    'expired.deadline',
    'the deadline is compared in another time zone',
    onCheckout(isRead, (body) => (isBody(body['invoice']) ? { ...body, status: 'expired' } : body)),
  ),
  edge('expired.again', 'an expired invoice stands in the way', closedAfter('expired')),
  edge('replaced.paid', 'a replaced invoice is forgotten', told('paid', 'pending')),
  {
    check: 'unknown_status.pending',
    defect: 'a status is read by how it begins',
    merchant: () => ({ server: { statuses: { paid: ['PAID', 'PAID_PARTIALLY'], failed: ['FAILED'], expired: [] } } }),
  },
  {
    check: 'unknown_status.pending',
    defect: 'any other status is a failure',
    merchant: () => ({
      server: { statuses: { paid: ['PAID'], failed: ['FAILED', 'ON_HOLD', '7'], expired: ['EXPIRED'] } },
    }),
  },
  edge('unknown_status.goes_on', 'an invoice on hold is no longer watched', told('paid', 'pending')),
];

const failing: readonly Seeded[] = [
  edge(
    'outage.write',
    'an outage is an internal error',
    onAnswer(isOpenEnd, () => problem(500, 'internal', { trace_id: 't' })),
  ),
  edge(
    'outage.write',
    'an open end does not say when to ask again',
    onAnswer(isOpenEnd, (response) => withHeaders(response, { 'retry-after': undefined })),
  ),
  edge(
    'outage.stale',
    'an outage is not told',
    onCheckout(isRead, (body) => ({ ...body, stale: false })),
  ),
  edge('outage.ends', 'a key is lost in the outage', () => {
    const lost = new Set<string>();
    return async (request, next) => {
      const key = request.headers.get('idempotency-key') ?? '';
      if (lost.has(key)) return problem(409, 'idempotency_mismatch');
      const response = await next(request);
      if (isOpenEnd(request, response)) lost.add(key);
      return response;
    };
  }),
  edge(
    'lost.unknown',
    'a lost answer is a failure',
    instead(202, () => problem(503, 'try_again')),
  ),
  edge(
    'lost.pending',
    'a lost answer leaves the checkout open',
    onCheckout(isRead, (body) => (body['invoice'] === null ? { ...body, status: 'open' } : body)),
  ),
  edge(
    'lost.other_method',
    'another method may be tried beside a lost answer',
    onBody((body) => ({ ...body, replace: true })),
  ),
  edge(
    'lost.found',
    'reads show the other of two invoices',
    onInvoice(isRead, (made) => ({ ...made, id: 'inv_other' })),
  ),
  edge('amount.wrong', 'the amount of the service is not compared', () => {
    let last: Body = {};
    return async (request, next) => {
      const response = await next(request);
      const body = bodyIn(await response.clone().text());
      if (isRead(request)) last = body;
      if (!isWrite(request) || response.status < 400) return response;
      const made = { id: 'inv_wrong', amount: '1500.01' };
      return Response.json({ ...last, status: 'pending', invoice: made }, { status: 201 });
    };
  }),
  edge('amount.wrong', 'a wrong amount is shown while it is looked into', () => {
    let isMade = false;
    return async (request, next) => {
      isMade ||= isWrite(request);
      const response = await next(request);
      if (!isRead(request) || !isMade) return response;
      const made = { id: 'inv_wrong', amount: '1500.01' };
      return jsonAnswer(response, { ...bodyIn(await response.text()), invoice: made });
    };
  }),
];

const answering: readonly Seeded[] = [
  edge(
    'answers.known',
    'a capability that opens nothing is gone',
    onAnswer(
      (_, { status }) => status === 404,
      () => problem(410, 'not_found'),
    ),
    'capability',
  ),
  edge(
    'answers.problems',
    'problems are application/json',
    onAnswer(isProblem, (response) => withHeaders(response, { 'content-type': 'application/json' })),
    'capability',
  ),
  edge(
    'answers.problems',
    'a code is not of the closed set',
    onAnswer(isProblem, (response) =>
      jsonAnswer(response, { type: 'about:blank', title: '', status: 404, code: 'gone' }),
    ),
    'capability',
  ),
  edge(
    'answers.problems',
    'the status in the document is another',
    onAnswer(isProblem, async (response) => jsonAnswer(response, { ...bodyIn(await response.text()), status: 400 })),
    'capability',
  ),
  edge(
    'answers.checkouts',
    'a write answers less than a read',
    onCheckout(isWrite, (body) => without(body, 'server_time')),
    'invoice.created',
  ),
  edge(
    'answers.no_store',
    'a 304 may be kept',
    onAnswer(
      (_, { status }) => status === 304,
      (response) => withHeaders(response, { 'cache-control': 'private, max-age=5' }),
    ),
    'etag',
  ),
  edge(
    'answers.retry_after',
    'a 202 does not say when',
    onAnswer(
      (_, { status }) => status === 202,
      (response) => withHeaders(response, { 'retry-after': undefined }),
    ),
    'lost',
  ),
  edge(
    'answers.terms',
    'a write answers no description',
    onCheckout(isWrite, (body) => ({ ...body, description: null })),
    'invoice.created',
  ),
  edge(
    'answers.amount',
    'the last digit is off by one',
    onInvoice(isAny, (made) => ({ ...made, amount: '1500.01' })),
    'invoice.created',
  ),
  edge(
    'answers.clock',
    'the time that is left is in seconds',
    onInvoice(isAny, (made) => ({ ...made, expires_in_ms: Math.round(Number(made['expires_in_ms']) / 1000) })),
    'invoice.created',
  ),
  edge('answers.paid_final', 'paid is taken back', turning('paid', 2, 'pending'), 'paid'),
  edge(
    'answers.token',
    'the token is in an answer',
    onCheckout(isWrite, (body) => ({ ...body, debug: 'token-of-the-tested-merchant' })),
    'invoice.created',
  ),
  edge(
    'answers.hook_secret',
    'the row of the database is in an answer',
    onCheckout(isRead, (body) => ({ ...body, hook_secret: 'x' })),
    'checkout.answers',
  ),
  edge(
    'answers.inner_text',
    'a stack is in an answer',
    onAnswer(isProblem, async (response) =>
      jsonAnswer(response, {
        ...bodyIn(await response.text()),
        detail: 'Error\n    at Object.<anonymous> (/app/index.js:10:5)',
      }),
    ),
    'capability',
  ),
];

export const serviceDefects: readonly Seeded[] = [...watching, ...failing, ...answering];

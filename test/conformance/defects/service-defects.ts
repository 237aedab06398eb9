import {
  capabilityOf,
  responseDefect,
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
  type SeededDefect,
} from './seeded-defect.ts';
import type { Defect } from '../run-in-process.ts';

/** Replaces one status of a checkout with another. */
const replaceStatus = (from: string, to: string) =>
  onCheckout(isAny, (body) => (body['status'] === from ? { ...body, status: to } : body));

/** Replaces the status in reads with `to`, after `after` reads have had a status. */
const replaceStatusAfter = (status: string, after: number, to: string) => () => {
  let count = 0;
  return onCheckout(isRead, (body) => {
    if (body['status'] === status) count += 1;
    return count > after ? { ...body, status: to } : body;
  })();
};

/** Answers writes with a conflict once a read has had a status. */
const refuseWritesAfter = (status: string) => (): Defect => {
  let isClosed = false;
  return async (request, next) => {
    if (isWrite(request) && isClosed) return problem(409, 'invoice_pending');
    const response = await next(request);
    if (isRead(request)) isClosed ||= bodyIn(await response.clone().text())['status'] === status;
    return response;
  };
};

/** Trusts a notification that says that an invoice is paid. */
const trustNotifications = (): Defect => {
  const paid = new Set<string>();
  return async (request, next) => {
    if (isHook(request) && (await request.clone().text()).includes('PAID')) paid.add(capabilityOf(request));
    const response = await next(request);
    if (!isRead(request) || !paid.has(capabilityOf(request))) return response;
    return jsonAnswer(response, { ...bodyIn(await response.text()), status: 'paid' });
  };
};

/** Whether an answer to a write leaves its result in doubt. */
const isInDoubt = (request: Request, { status }: Response): boolean =>
  isWrite(request) && (status === 202 || status === 503);

/** Replaces the answers to writes that have an HTTP status. */
const replaceResponse = (from: number, answer: (body: Body) => Response) =>
  onAnswer(
    (request, { status }) => isWrite(request) && status === from,
    async (response) => answer(bodyIn(await response.text())),
  );

const option = { id: 'pm', type: 'CARD', available: true, limits: {}, banks: [] };
const isProblem = (_: Request, { status }: Response): boolean => status >= 400;

const statusDefects: readonly SeededDefect[] = [
  responseDefect('hook.good_secret', 'a notification that is not JSON is refused', () => async (request, next) => {
    if (!isHook(request)) return next(request);
    const isJson = (await request.clone().text()).startsWith('{');
    return isJson ? next(request) : problem(400, 'invalid_request');
  }),
  responseDefect('hook.forged', 'the status in a notification is trusted', trustNotifications),
  responseDefect(
    'hook.merged',
    'each notification causes a FetchInvoices call',
    () =>
      async (request, next, { callService }) => {
        if (isHook(request)) await callService('FetchInvoices');
        return next(request);
      },
  ),
  responseDefect(
    'polls.no_call',
    'each poll causes a FetchInvoices call',
    () =>
      async (request, next, { callService }) => {
        if (isRead(request)) await callService('FetchInvoices');
        return next(request);
      },
  ),
  responseDefect('polls.no_call', 'options are not cached', () => async (request, next, { callService }) => {
    if (request.url.includes('?options=1')) await callService('FetchPaymentOptions');
    return next(request);
  }),
  responseDefect('paid.seen', 'a payment is never detected', replaceStatus('paid', 'pending')),
  responseDefect(
    'paid.options',
    'a paid checkout lists payment options',
    onCheckout(isRead, (body) => (body['status'] === 'paid' ? { ...body, options: [option] } : body)),
  ),
  responseDefect(
    'paid.refused',
    'a paid checkout creates an invoice',
    replaceResponse(409, () => Response.json({}, { status: 201 })),
  ),
  responseDefect('paid.final', 'a later status overwrites paid', replaceStatusAfter('paid', 2, 'failed')),
  responseDefect('failed.seen', 'a failed invoice is shown as expired', replaceStatus('failed', 'expired')),
  responseDefect('failed.again', 'a failed invoice prevents a new one', refuseWritesAfter('failed')),
  responseDefect('expired.seen', 'an invoice never expires', replaceStatus('expired', 'pending')),
  responseDefect(
    'expired.deadline',
    'an invoice expires before its deadline',
    onCheckout(isRead, (body) => (isBody(body['invoice']) ? { ...body, status: 'expired' } : body)),
  ),
  responseDefect('expired.again', 'an expired invoice prevents a new one', refuseWritesAfter('expired')),
  responseDefect('expired.paid', 'an expired invoice is no longer polled', replaceStatus('paid', 'expired')),
  responseDefect('replaced.paid', 'a replaced invoice is no longer polled', replaceStatus('paid', 'pending')),
  {
    check: 'unknown_status.pending',
    defect: 'a status that starts with PAID counts as paid',
    changes: () => ({ server: { statuses: { paid: ['PAID', 'PAID_PARTIALLY'], failed: ['FAILED'], expired: [] } } }),
  },
  {
    check: 'unknown_status.pending',
    defect: 'an unknown status counts as failed',
    changes: () => ({
      server: { statuses: { paid: ['PAID'], failed: ['FAILED', 'ON_HOLD', '7'], expired: ['EXPIRED'] } },
    }),
  },
  responseDefect(
    'unknown_status.goes_on',
    'an invoice with an unknown status is no longer polled',
    replaceStatus('paid', 'pending'),
  ),
];

const outageDefects: readonly SeededDefect[] = [
  responseDefect(
    'outage.write',
    'an outage is answered with 500',
    onAnswer(isInDoubt, () => problem(500, 'internal', { trace_id: 't' })),
  ),
  responseDefect(
    'outage.write',
    'the answer during an outage has no Retry-After',
    onAnswer(isInDoubt, (response) => withHeaders(response, { 'retry-after': undefined })),
  ),
  responseDefect(
    'outage.stale',
    'a checkout is not stale during an outage',
    onCheckout(isRead, (body) => ({ ...body, stale: false })),
  ),
  responseDefect('outage.ends', 'a key that was used in an outage is refused afterwards', () => {
    const lost = new Set<string>();
    return async (request, next) => {
      const key = request.headers.get('idempotency-key') ?? '';
      if (lost.has(key)) return problem(409, 'idempotency_mismatch');
      const response = await next(request);
      if (isInDoubt(request, response)) lost.add(key);
      return response;
    };
  }),
  responseDefect(
    'lost.unknown',
    'a create in doubt is answered with 503',
    replaceResponse(202, () => problem(503, 'try_again')),
  ),
  responseDefect(
    'lost.pending',
    'the checkout stays open while a create is in doubt',
    onCheckout(isRead, (body) => (body['invoice'] === null ? { ...body, status: 'open' } : body)),
  ),
  responseDefect(
    'lost.other_method',
    'another method is accepted while a create is in doubt',
    onBody((body) => ({ ...body, replace: true })),
  ),
  responseDefect(
    'lost.found',
    'reads show another invoice than the repeated write',
    onInvoice(isRead, (made) => ({ ...made, id: 'inv_other' })),
  ),
  responseDefect('amount.wrong', 'an invoice with a wrong amount is offered', () => {
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
  responseDefect('amount.wrong', 'a later read shows an invoice with a wrong amount', () => {
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

const anyResponseDefects: readonly SeededDefect[] = [
  responseDefect(
    'answers.known',
    'an unknown capability is answered with 410',
    onAnswer(
      (_, { status }) => status === 404,
      () => problem(410, 'not_found'),
    ),
    'capability',
  ),
  responseDefect(
    'answers.problems',
    'the media type of a problem is application/json',
    onAnswer(isProblem, (response) => withHeaders(response, { 'content-type': 'application/json' })),
    'capability',
  ),
  responseDefect(
    'answers.problems',
    'the code of a problem is unknown',
    onAnswer(isProblem, (response) =>
      jsonAnswer(response, { type: 'about:blank', title: '', status: 404, code: 'gone' }),
    ),
    'capability',
  ),
  responseDefect(
    'answers.problems',
    'the `status` of a problem differs from the HTTP status',
    onAnswer(isProblem, async (response) => jsonAnswer(response, { ...bodyIn(await response.text()), status: 400 })),
    'capability',
  ),
  responseDefect(
    'answers.checkouts',
    'the answer to a write lacks a member',
    onCheckout(isWrite, (body) => without(body, 'server_time')),
    'invoice.created',
  ),
  responseDefect(
    'answers.no_store',
    'a 304 may be cached',
    onAnswer(
      (_, { status }) => status === 304,
      (response) => withHeaders(response, { 'cache-control': 'private, max-age=5' }),
    ),
    'etag',
  ),
  responseDefect(
    'answers.retry_after',
    'a 202 has no Retry-After',
    onAnswer(
      (_, { status }) => status === 202,
      (response) => withHeaders(response, { 'retry-after': undefined }),
    ),
    'lost',
  ),
  responseDefect(
    'answers.terms',
    'the answer to a write has no description',
    onCheckout(isWrite, (body) => ({ ...body, description: null })),
    'invoice.created',
  ),
  responseDefect(
    'answers.amount',
    'the amount of the invoice differs by a kopeck',
    onInvoice(isAny, (made) => ({ ...made, amount: '1500.01' })),
    'invoice.created',
  ),
  responseDefect(
    'answers.clock',
    'expires_in_ms is in seconds',
    onInvoice(isAny, (made) => ({ ...made, expires_in_ms: Math.round(Number(made['expires_in_ms']) / 1000) })),
    'invoice.created',
  ),
  responseDefect(
    'answers.paid_final',
    'a paid checkout becomes pending',
    replaceStatusAfter('paid', 2, 'pending'),
    'paid',
  ),
  responseDefect(
    'answers.token',
    'an answer includes the access token',
    onCheckout(isWrite, (body) => ({ ...body, debug: 'token-of-the-tested-backend' })),
    'invoice.created',
  ),
  responseDefect(
    'answers.hook_secret',
    'an answer includes a member named hook_secret',
    onCheckout(isRead, (body) => ({ ...body, hook_secret: 'x' })),
    'checkout.answers',
  ),
  responseDefect(
    'answers.inner_text',
    'an answer includes a stack trace',
    onAnswer(isProblem, async (response) =>
      jsonAnswer(response, {
        ...bodyIn(await response.text()),
        detail: 'Error\n    at Object.<anonymous> (/app/index.js:10:5)',
      }),
    ),
    'capability',
  ),
];

export const serviceDefects: readonly SeededDefect[] = [...statusDefects, ...outageDefects, ...anyResponseDefects];

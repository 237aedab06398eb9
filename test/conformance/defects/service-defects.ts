import {
  capabilityOf,
  seedDefect,
  isAnyRequest,
  isBody,
  isWebhook,
  isRead,
  isWrite,
  withJsonBody,
  parseBody,
  onResponse,
  onWriteBody,
  onCheckout,
  onInvoice,
  problem,
  withHeaders,
  omitMember,
  type Body,
  type SeededDefect,
} from './seeded-defect.ts';
import type { Defect } from '../run-conformance-in-process.ts';

/** Creates a defect that replaces one status of a checkout with another. */
const replaceStatus = (from: string, to: string) =>
  onCheckout(isAnyRequest, (body) => (body['status'] === from ? { ...body, status: to } : body));

/** Creates a defect that replaces the status in reads with `to` after more than `after` reads had `status`. */
const replaceStatusAfter = (status: string, after: number, to: string) => () => {
  let readCount = 0;
  return onCheckout(isRead, (body) => {
    if (body['status'] === status) readCount += 1;
    return readCount > after ? { ...body, status: to } : body;
  })();
};

/** Creates a defect that answers writes with 409 after a read had the status. */
const refuseWritesAfter = (status: string) => (): Defect => {
  let hasReadStatus = false;
  return async (request, next) => {
    if (isWrite(request) && hasReadStatus) return problem(409, 'invoice_pending');
    const response = await next(request);
    if (isRead(request)) hasReadStatus ||= parseBody(await response.clone().text())['status'] === status;
    return response;
  };
};

/** A defect that makes a checkout paid when a notification contains PAID. */
const trustNotifications = (): Defect => {
  const paidCapabilities = new Set<string>();
  return async (request, next) => {
    if (isWebhook(request) && (await request.clone().text()).includes('PAID'))
      paidCapabilities.add(capabilityOf(request));
    const response = await next(request);
    if (!isRead(request) || !paidCapabilities.has(capabilityOf(request))) return response;
    return withJsonBody(response, { ...parseBody(await response.text()), status: 'paid' });
  };
};

/** Whether the response to a write leaves its result in doubt. */
const isInDoubt = (request: Request, { status }: Response): boolean =>
  isWrite(request) && (status === 202 || status === 503);

/** Creates a defect that replaces responses to writes with the HTTP status `from`. */
const replaceResponse = (from: number, createResponse: (body: Body) => Response) =>
  onResponse(
    (request, { status }) => isWrite(request) && status === from,
    async (response) => createResponse(parseBody(await response.text())),
  );

const option = { id: 'pm', type: 'CARD', available: true, limits: {}, banks: [] };
const isProblem = (_: Request, { status }: Response): boolean => status >= 400;

const statusDefects: readonly SeededDefect[] = [
  seedDefect('hook.good_secret', 'a notification that is not JSON is refused', () => async (request, next) => {
    if (!isWebhook(request)) return next(request);
    const isJson = (await request.clone().text()).startsWith('{');
    return isJson ? next(request) : problem(400, 'invalid_request');
  }),
  seedDefect('hook.forged', 'the status in a notification is trusted', trustNotifications),
  seedDefect(
    'hook.merged',
    'each notification causes a FetchInvoices call',
    () =>
      async (request, next, { callService }) => {
        if (isWebhook(request)) await callService('FetchInvoices');
        return next(request);
      },
  ),
  seedDefect('polls.no_call', 'each poll causes a FetchInvoices call', () => async (request, next, { callService }) => {
    if (isRead(request)) await callService('FetchInvoices');
    return next(request);
  }),
  seedDefect(
    'polls.no_call',
    'each poll with ?options=1 causes a FetchPaymentOptions call',
    () =>
      async (request, next, { callService }) => {
        if (request.url.includes('?options=1')) await callService('FetchPaymentOptions');
        return next(request);
      },
  ),
  seedDefect('paid.seen', 'a payment is never detected', replaceStatus('paid', 'pending')),
  seedDefect(
    'paid.options',
    'a paid checkout lists payment options',
    onCheckout(isRead, (body) => (body['status'] === 'paid' ? { ...body, options: [option] } : body)),
  ),
  seedDefect(
    'paid.refused',
    'a paid checkout creates an invoice',
    replaceResponse(409, () => Response.json({}, { status: 201 })),
  ),
  seedDefect('paid.final', 'a later status overwrites paid', replaceStatusAfter('paid', 2, 'failed')),
  seedDefect('failed.seen', 'a failed invoice is shown as expired', replaceStatus('failed', 'expired')),
  seedDefect('failed.again', 'a failed invoice prevents a new one', refuseWritesAfter('failed')),
  seedDefect('expired.seen', 'an invoice never expires', replaceStatus('expired', 'pending')),
  seedDefect(
    'expired.deadline',
    'an invoice expires before its deadline',
    onCheckout(isRead, (body) => (isBody(body['invoice']) ? { ...body, status: 'expired' } : body)),
  ),
  seedDefect('expired.again', 'an expired invoice prevents a new one', refuseWritesAfter('expired')),
  seedDefect('expired.paid', 'an expired invoice is no longer polled', replaceStatus('paid', 'expired')),
  seedDefect('replaced.paid', 'a replaced invoice is no longer polled', replaceStatus('paid', 'pending')),
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
  seedDefect(
    'unknown_status.goes_on',
    'an invoice with an unknown status is no longer polled',
    replaceStatus('paid', 'pending'),
  ),
];

const outageDefects: readonly SeededDefect[] = [
  seedDefect(
    'outage.write',
    'a write during an outage is answered with 500',
    onResponse(isInDoubt, () => problem(500, 'internal', { trace_id: 't' })),
  ),
  seedDefect(
    'outage.write',
    'the response to a write during an outage has no Retry-After',
    onResponse(isInDoubt, (response) => withHeaders(response, { 'retry-after': undefined })),
  ),
  seedDefect(
    'outage.stale',
    'a checkout is not stale during an outage',
    onCheckout(isRead, (body) => ({ ...body, stale: false })),
  ),
  seedDefect('outage.ends', 'a key that was used in an outage is refused afterwards', () => {
    const keysInDoubt = new Set<string>();
    return async (request, next) => {
      const key = request.headers.get('idempotency-key') ?? '';
      if (keysInDoubt.has(key)) return problem(409, 'idempotency_mismatch');
      const response = await next(request);
      if (isInDoubt(request, response)) keysInDoubt.add(key);
      return response;
    };
  }),
  seedDefect(
    'lost.unknown',
    'a create in doubt is answered with 503',
    replaceResponse(202, () => problem(503, 'try_again')),
  ),
  seedDefect(
    'lost.pending',
    'the checkout stays open while a create is in doubt',
    onCheckout(isRead, (body) => (body['invoice'] === null ? { ...body, status: 'open' } : body)),
  ),
  seedDefect(
    'lost.other_method',
    'another method is accepted while a create is in doubt',
    onWriteBody((body) => ({ ...body, replace: true })),
  ),
  seedDefect(
    'lost.found',
    'reads show another invoice than the repeated write',
    onInvoice(isRead, (invoice) => ({ ...invoice, id: 'inv_other' })),
  ),
  seedDefect('amount.wrong', 'an invoice with a wrong amount is offered', () => {
    let lastReadBody: Body = {};
    return async (request, next) => {
      const response = await next(request);
      const body = parseBody(await response.clone().text());
      if (isRead(request)) lastReadBody = body;
      if (!isWrite(request) || response.status < 400) return response;
      const invoice = { id: 'inv_wrong', amount: '1500.01' };
      return Response.json({ ...lastReadBody, status: 'pending', invoice }, { status: 201 });
    };
  }),
  seedDefect('amount.wrong', 'a later read shows an invoice with a wrong amount', () => {
    let hasWritten = false;
    return async (request, next) => {
      hasWritten ||= isWrite(request);
      const response = await next(request);
      if (!isRead(request) || !hasWritten) return response;
      const invoice = { id: 'inv_wrong', amount: '1500.01' };
      return withJsonBody(response, { ...parseBody(await response.text()), invoice });
    };
  }),
];

const anyResponseDefects: readonly SeededDefect[] = [
  seedDefect(
    'answers.known',
    'an unknown capability is answered with 410',
    onResponse(
      (_, { status }) => status === 404,
      () => problem(410, 'not_found'),
    ),
    'capability',
  ),
  seedDefect(
    'answers.problems',
    'the media type of a problem is application/json',
    onResponse(isProblem, (response) => withHeaders(response, { 'content-type': 'application/json' })),
    'capability',
  ),
  seedDefect(
    'answers.problems',
    'the code of a problem is unknown',
    onResponse(isProblem, (response) =>
      withJsonBody(response, { type: 'about:blank', title: '', status: 404, code: 'gone' }),
    ),
    'capability',
  ),
  seedDefect(
    'answers.problems',
    'the `status` of a problem differs from the HTTP status',
    onResponse(isProblem, async (response) =>
      withJsonBody(response, { ...parseBody(await response.text()), status: 400 }),
    ),
    'capability',
  ),
  seedDefect(
    'answers.checkouts',
    'the response to a write lacks a member',
    onCheckout(isWrite, (body) => omitMember(body, 'server_time')),
    'invoice.created',
  ),
  seedDefect(
    'answers.no_store',
    'a 304 may be cached',
    onResponse(
      (_, { status }) => status === 304,
      (response) => withHeaders(response, { 'cache-control': 'private, max-age=5' }),
    ),
    'etag',
  ),
  seedDefect(
    'answers.retry_after',
    'a 202 has no Retry-After',
    onResponse(
      (_, { status }) => status === 202,
      (response) => withHeaders(response, { 'retry-after': undefined }),
    ),
    'lost',
  ),
  seedDefect(
    'answers.terms',
    'the response to a write has no description',
    onCheckout(isWrite, (body) => ({ ...body, description: null })),
    'invoice.created',
  ),
  seedDefect(
    'answers.amount',
    'the amount of the invoice differs by a kopeck',
    onInvoice(isAnyRequest, (invoice) => ({ ...invoice, amount: '1500.01' })),
    'invoice.created',
  ),
  seedDefect(
    'answers.clock',
    'expires_in_ms is in seconds',
    onInvoice(isAnyRequest, (invoice) => ({
      ...invoice,
      expires_in_ms: Math.round(Number(invoice['expires_in_ms']) / 1000),
    })),
    'invoice.created',
  ),
  seedDefect('answers.paid_final', 'a paid checkout becomes pending', replaceStatusAfter('paid', 2, 'pending'), 'paid'),
  seedDefect(
    'answers.token',
    'a response includes the access token',
    onCheckout(isWrite, (body) => ({ ...body, debug: 'token-of-the-tested-backend' })),
    'invoice.created',
  ),
  seedDefect(
    'answers.hook_secret',
    'a response includes a member named hook_secret',
    onCheckout(isRead, (body) => ({ ...body, hook_secret: 'x' })),
    'checkout.answers',
  ),
  seedDefect(
    'answers.inner_text',
    'a response includes a stack trace',
    onResponse(isProblem, async (response) =>
      withJsonBody(response, {
        ...parseBody(await response.text()),
        detail: 'Error\n    at Object.<anonymous> (/app/index.js:10:5)',
      }),
    ),
    'capability',
  ),
];

/** Backends that handle the results of the invoice service wrongly, or break a rule of every response. */
export const serviceDefects: readonly SeededDefect[] = [...statusDefects, ...outageDefects, ...anyResponseDefects];

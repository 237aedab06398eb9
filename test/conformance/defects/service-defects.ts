import {
  after,
  backend,
  answerInsteadOf,
  readsWith,
  capabilityOf,
  isAnyRequest,
  isBody,
  isInDoubt,
  isWebhook,
  isRead,
  isWrite,
  withJsonBody,
  offerInsteadOfRefusal,
  parseBody,
  replaceStatus,
  onResponse,
  onWriteBody,
  onCheckout,
  onInvoice,
  problem,
  withHeaders,
  omitMember,
  type Body,
  type DefectTable,
} from './seeded-defect.ts';
import type { Defect } from '../run-conformance-in-process.ts';

/** Creates a defect that replaces the status in reads with `to` after two reads had the status paid. */
const replacePaidLater = (to: string) => () => {
  let readCount = 0;
  return onCheckout(isRead, (body) => {
    if (body['status'] === 'paid') readCount += 1;
    return readCount > 2 ? { ...body, status: to } : body;
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

/** Creates a defect that replaces responses to writes with the HTTP status `from`. */
const replaceResponse = (from: number, createResponse: (body: Body) => Response) =>
  onResponse(
    (request, { status }) => isWrite(request) && status === from,
    async (response) => createResponse(parseBody(await response.text())),
  );

const option = { id: 'pm', type: 'CARD', available: true, limits: {}, banks: [] };
const isProblem = (_: Request, { status }: Response): boolean => status >= 400;

const statusDefects: DefectTable = {
  'hook.good_secret': {
    'a notification that is not JSON is refused': () => async (request, next) => {
      if (!isWebhook(request)) return next(request);
      const isJson = (await request.clone().text()).startsWith('{');
      return isJson ? next(request) : problem(400, 'invalid_request');
    },
  },
  'hook.forged': {
    'the status in a notification is trusted': trustNotifications,
  },
  'hook.merged': {
    'each notification causes a FetchInvoices call':
      () =>
      async (request, next, { callService }) => {
        if (isWebhook(request)) await callService('FetchInvoices');
        return next(request);
      },
  },
  'polls.no_call': {
    'each poll causes a FetchInvoices call':
      () =>
      async (request, next, { callService }) => {
        if (isRead(request)) await callService('FetchInvoices');
        return next(request);
      },
    'each poll with ?options=1 causes a FetchPaymentOptions call':
      () =>
      async (request, next, { callService }) => {
        if (request.url.includes('?options=1')) await callService('FetchPaymentOptions');
        return next(request);
      },
  },
  'paid.seen': {
    'a payment is never detected': replaceStatus('paid', 'pending'),
  },
  'paid.options': {
    'a paid checkout lists payment options': onCheckout(isRead, (body) =>
      body['status'] === 'paid' ? { ...body, options: [option] } : body,
    ),
  },
  'paid.refused': {
    'a paid checkout creates an invoice': replaceResponse(409, () => Response.json({}, { status: 201 })),
  },
  'paid.final': {
    'a later status overwrites paid': replacePaidLater('failed'),
  },
  'failed.seen': {
    'a failed invoice is shown as expired': replaceStatus('failed', 'expired'),
  },
  'failed.again': {
    'a failed invoice prevents a new one': refuseWritesAfter('failed'),
  },
  'expired.seen': {
    'an invoice never expires': replaceStatus('expired', 'pending'),
  },
  'expired.deadline': {
    'an invoice expires before its deadline': onCheckout(isRead, (body) =>
      isBody(body['invoice']) ? { ...body, status: 'expired' } : body,
    ),
  },
  'expired.again': {
    'an expired invoice prevents a new one': refuseWritesAfter('expired'),
  },
  'expired.paid': {
    'an expired invoice is no longer polled': replaceStatus('paid', 'expired'),
  },
  'replaced.paid': {
    'a replaced invoice is no longer polled': replaceStatus('paid', 'pending'),
  },
  'unknown_status.pending': {
    'a status that starts with PAID counts as paid': backend(() => ({
      server: { statuses: { paid: ['PAID', 'PAID_PARTIALLY'], failed: ['FAILED'], expired: [] } },
    })),
    'an unknown status counts as failed': backend(() => ({
      server: { statuses: { paid: ['PAID'], failed: ['FAILED', 'ON_HOLD', '7'], expired: ['EXPIRED'] } },
    })),
  },
  'unknown_status.goes_on': {
    'an invoice with an unknown status is no longer polled': replaceStatus('paid', 'pending'),
  },
};

const outageDefects: DefectTable = {
  'outage.write': {
    'a write during an outage is answered with 500': onResponse(isInDoubt, () =>
      problem(500, 'internal', { trace_id: 't' }),
    ),
    'the response to a write during an outage has no Retry-After': onResponse(isInDoubt, (response) =>
      withHeaders(response, { 'retry-after': undefined }),
    ),
  },
  'outage.stale': {
    'a checkout is not stale during an outage': readsWith({ stale: false }),
  },
  'outage.ends': {
    'a key that was used in an outage is refused afterwards': () => {
      const keysInDoubt = new Set<string>();
      return async (request, next) => {
        const key = request.headers.get('idempotency-key') ?? '';
        if (keysInDoubt.has(key)) return problem(409, 'idempotency_mismatch');
        const response = await next(request);
        if (isInDoubt(request, response)) keysInDoubt.add(key);
        return response;
      };
    },
  },
  'lost.unknown': {
    'a create in doubt is answered with 503': replaceResponse(202, () => problem(503, 'try_again')),
  },
  'lost.pending': {
    'the checkout stays open while a create is in doubt': onCheckout(isRead, (body) =>
      body['invoice'] === null ? { ...body, status: 'open' } : body,
    ),
  },
  'lost.other_method': {
    'another method is accepted while a create is in doubt': onWriteBody((body) => ({ ...body, replace: true })),
  },
  'lost.found': {
    'reads show another invoice than the repeated write': onInvoice(isRead, (invoice) => ({
      ...invoice,
      id: 'inv_other',
    })),
  },
  'amount.wrong': {
    'an invoice with a wrong amount is offered': offerInsteadOfRefusal({ id: 'inv_wrong', amount: '1500.01' }),
    'a later read shows an invoice with a wrong amount': () => {
      let hasWritten = false;
      return async (request, next) => {
        hasWritten ||= isWrite(request);
        const response = await next(request);
        if (!isRead(request) || !hasWritten) return response;
        const invoice = { id: 'inv_wrong', amount: '1500.01' };
        return withJsonBody(response, { ...parseBody(await response.text()), invoice });
      };
    },
  },
};

const anyResponseDefects: DefectTable = {
  'answers.known': {
    'an unknown capability is answered with 410': after(['capability'], answerInsteadOf(404, 410, 'not_found')),
  },
  'answers.problems': {
    'the media type of a problem is application/json': after(
      ['capability'],
      onResponse(isProblem, (response) => withHeaders(response, { 'content-type': 'application/json' })),
    ),
    'the code of a problem is unknown': after(
      ['capability'],
      onResponse(isProblem, (response) =>
        withJsonBody(response, { type: 'about:blank', title: '', status: 404, code: 'gone' }),
      ),
    ),
    'the `status` of a problem differs from the HTTP status': after(
      ['capability'],
      onResponse(isProblem, async (response) =>
        withJsonBody(response, { ...parseBody(await response.text()), status: 400 }),
      ),
    ),
  },
  'answers.checkouts': {
    'the response to a write lacks a member': after(
      ['invoice.created'],
      onCheckout(isWrite, (body) => omitMember(body, 'server_time')),
    ),
  },
  'answers.no_store': {
    'a 304 may be cached': after(
      ['etag'],
      onResponse(
        (_, { status }) => status === 304,
        (response) => withHeaders(response, { 'cache-control': 'private, max-age=5' }),
      ),
    ),
  },
  'answers.retry_after': {
    'a 202 has no Retry-After': after(
      ['lost'],
      onResponse(
        (_, { status }) => status === 202,
        (response) => withHeaders(response, { 'retry-after': undefined }),
      ),
    ),
  },
  'answers.terms': {
    'the response to a write has no description': after(
      ['invoice.created'],
      onCheckout(isWrite, (body) => ({ ...body, description: null })),
    ),
  },
  'answers.amount': {
    'the amount of the invoice differs by a kopeck': after(
      ['invoice.created'],
      onInvoice(isAnyRequest, (invoice) => ({ ...invoice, amount: '1500.01' })),
    ),
  },
  'answers.clock': {
    'expires_in_ms is in seconds': after(
      ['invoice.created'],
      onInvoice(isAnyRequest, (invoice) => ({
        ...invoice,
        expires_in_ms: Math.round(Number(invoice['expires_in_ms']) / 1000),
      })),
    ),
  },
  'answers.paid_final': {
    'a paid checkout becomes pending': after(['paid'], replacePaidLater('pending')),
  },
  'answers.token': {
    'a response includes the access token': after(
      ['invoice.created'],
      onCheckout(isWrite, (body) => ({ ...body, debug: 'token-of-the-tested-backend' })),
    ),
  },
  'answers.hook_secret': {
    'a response includes a member named hook_secret': after(['checkout.answers'], readsWith({ hook_secret: 'x' })),
  },
  'answers.inner_text': {
    'a response includes a stack trace': after(
      ['capability'],
      onResponse(isProblem, async (response) =>
        withJsonBody(response, {
          ...parseBody(await response.text()),
          detail: 'Error\n    at Object.<anonymous> (/app/index.js:10:5)',
        }),
      ),
    ),
  },
};

/** Backends that handle the results of the invoice service wrongly, or break a rule of every response. */
export const serviceDefects: readonly DefectTable[] = [statusDefects, outageDefects, anyResponseDefects];

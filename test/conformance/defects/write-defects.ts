import { randomUUID } from 'node:crypto';
import {
  after,
  answerInsteadOf,
  requestWithHeaders,
  requestWithUrl,
  parseBody,
  isAnyRequest,
  isBody,
  isWebhook,
  isRead,
  isWrite,
  withJsonBody,
  onResponse,
  onWriteBody,
  onCheckout,
  onInvoice,
  onRequest,
  withHeaders,
  omitMember,
  withStatus,
  type DefectTable,
} from './seeded-defect.ts';

const keyOf = ({ headers }: Request): string => headers.get('idempotency-key') ?? '';
const hasTypedAmount = (body: Readonly<Record<string, unknown>>): boolean => body['amount'] === null;

const availableOptionsOf = (options: unknown): readonly unknown[] =>
  Array.isArray(options) ? options.filter((option) => isBody(option) && option['available'] === true) : [];

/** A defect that ignores idempotency keys: each write gets a new key. */
const ignoreKeys = onRequest(isWrite, (request) => requestWithHeaders(request, { 'idempotency-key': randomUUID() }));

/** A defect that creates another invoice for a repeated key. */
const newInvoiceForRepeatedKey = () => {
  const keysSeen = new Set<string>();
  return onCheckout(isWrite, (body, request) => {
    const isRepeated = keysSeen.has(keyOf(request));
    keysSeen.add(keyOf(request));
    return isRepeated && isBody(body['invoice'])
      ? { ...body, invoice: { ...body['invoice'], id: `inv_${randomUUID()}` } }
      : body;
  })();
};

/** A defect that creates a new invoice for each write. */
const newInvoiceForEachWrite = onResponse(isWrite, async (response) => {
  const body = parseBody(await response.text());
  const invoice = isBody(body['invoice']) ? { ...body['invoice'], id: `inv_${randomUUID()}` } : body['invoice'];
  return withJsonBody(withStatus(response, response.status === 200 ? 201 : response.status), { ...body, invoice });
});

/** A defect that finds the response to a write by its key alone, whatever the order. */
const shareKeysBetweenOrders = () => {
  const responseTexts = new Map<string, string>();
  return onResponse(isWrite, async (response, request) => {
    const text = responseTexts.get(keyOf(request)) ?? (await response.text());
    responseTexts.set(keyOf(request), text);
    return new Response(text, { status: response.status, headers: response.headers });
  })();
};

const refusedWriteDefects: DefectTable = {
  'request.key': {
    'a missing Idempotency-Key is replaced by a random one': onRequest(
      (request) => isWrite(request) && keyOf(request) === '',
      (request) => requestWithHeaders(request, { 'idempotency-key': randomUUID() }),
    ),
  },
  'request.json': {
    'a body that is not JSON is answered with 500': answerInsteadOf(400, 500, 'internal', isWrite),
  },
  'request.members': {
    'members of the wrong type are converted': onWriteBody((body) => ({
      ...body,
      ...('replace' in body && { replace: Boolean(body['replace']) }),
    })),
  },
  'request.media_type': {
    'a body of any media type is accepted as JSON': onRequest(isWrite, (request) =>
      requestWithHeaders(request, { 'content-type': 'application/json' }),
    ),
  },
  'request.unknown_method': {
    'an unknown payment method is answered with 400': answerInsteadOf(422, 400, 'invalid_request', isWrite),
  },
  'request.method_unavailable': {
    'an unavailable payment method is accepted': onWriteBody((body) =>
      body['payment_method_id'] === 'pm_foreign_card' ? { ...body, payment_method_id: 'pm_sbp' } : body,
    ),
  },
  'request.cross_site': {
    'Origin is ignored': onRequest(isWrite, (request) => requestWithHeaders(request, { origin: undefined })),
    'Sec-Fetch-Site is ignored': onRequest(isWrite, (request) =>
      requestWithHeaders(request, { 'sec-fetch-site': undefined }),
    ),
  },
  'request.cors': {
    'pages of all origins may read the responses': onResponse(isAnyRequest, (response) =>
      withHeaders(response, { 'access-control-allow-origin': '*' }),
    ),
  },
  'request.nothing_made': {
    'a refused write creates an invoice': after(['request.cross_site'], () => async (request, next) => {
      if (request.headers.has('origin')) await next(requestWithHeaders(request.clone(), { origin: undefined }));
      return next(request);
    }),
  },
};

const createInvoiceDefects: DefectTable = {
  'invoice.created': {
    'a new invoice is answered with 200': onResponse(isWrite, (response) =>
      withStatus(response, response.status === 201 ? 200 : response.status),
    ),
    'the checkout has the status open and an invoice': onCheckout(isWrite, (body) => ({ ...body, status: 'open' })),
  },
  'invoice.requisites': {
    'the invoice has no requisites': onInvoice(isAnyRequest, ({ id, amount }) => ({ id, amount })),
  },
  'answers.qr': {
    'the QR code is that of another link': after(
      ['invoice.created', 'invoice.replace'],
      onInvoice(isAnyRequest, (invoice) => ({
        ...invoice,
        ...('nspk_url' in invoice && { nspk_url: `${String(invoice['nspk_url'])}&more=1` }),
      })),
    ),
  },
  'invoice.read': {
    'a later read shows other requisites': onInvoice(isRead, (invoice) => ({
      ...invoice,
      sbp: { phone: '+70000000000' },
    })),
  },
  'invoice.countdown': {
    'the time left never decreases': onInvoice(isAnyRequest, (invoice) => ({ ...invoice, expires_in_ms: 900_000 })),
  },
  'invoice.same_key': {
    'a repeated key creates another invoice': newInvoiceForRepeatedKey,
  },
  'invoice.key_other_body': {
    'idempotency keys are ignored': ignoreKeys,
  },
  'invoice.same_method': {
    'another key with the same method is refused': answerInsteadOf(200, 409, 'invoice_pending', isWrite),
  },
  'invoice.pending': {
    'another method replaces the invoice without `replace`': onWriteBody((body) => ({ ...body, replace: true })),
  },
  'invoice.options': {
    '?options=1 is ignored': onRequest(isRead, (request) =>
      requestWithUrl(request, request.url.replace('?options=1', '')),
    ),
  },
  'hook.wrong_secret': {
    'a wrong secret is accepted': onResponse(isWebhook, () => new Response(null, { status: 204 })),
  },
  'invoice.replace': {
    '`replace` in the body is ignored': onWriteBody((body) => omitMember(body, 'replace')),
  },
  'invoice.replace_again': {
    'a repeated key replaces the invoice again': newInvoiceForRepeatedKey,
  },
  'concurrent.same_key': {
    'each of several simultaneous writes with one key creates an invoice': newInvoiceForEachWrite,
  },
  'concurrent.other_keys': {
    'each of several simultaneous writes from several tabs creates an invoice': newInvoiceForEachWrite,
  },
  'order.tampering': {
    'the browser sets the amount': () => async (request, next) => {
      const { amount } = isWrite(request) ? parseBody(await request.clone().text()) : {};
      const response = await next(request);
      if (amount === undefined) return response;
      const body = parseBody(await response.text());
      const invoice = isBody(body['invoice']) ? { ...body['invoice'], amount } : null;
      return withJsonBody(response, { ...body, amount, invoice });
    },
  },
  'order.isolated': {
    'a key finds the invoice of another order': shareKeysBetweenOrders,
  },
};

const typedAmountDefects: DefectTable = {
  'typed.shape': {
    'there are no payment options before the amount is typed': onCheckout(isRead, (body) =>
      hasTypedAmount(body) ? { ...body, options: [] } : body,
    ),
  },
  'typed.filter': {
    '?amount= is ignored': onRequest(isRead, (request) => requestWithUrl(request, request.url.replace(/\?.*/, ''))),
    'what a typed amount excludes is not listed': onCheckout(
      ({ url }) => url.includes('?amount='),
      (body) => ({ ...body, options: availableOptionsOf(body['options']) }),
    ),
  },
  'typed.malformed': {
    'a malformed amount is answered with 500': answerInsteadOf(400, 500, 'internal', isRead),
  },
  'typed.required': {
    'a missing amount is answered with 400': answerInsteadOf(422, 400, 'invalid_request', isWrite),
  },
  'typed.limits': {
    'the problem amount_out_of_limits does not include the limits': answerInsteadOf(
      422,
      422,
      'amount_out_of_limits',
      isWrite,
    ),
    'limits are compared as strings': onWriteBody((body) => ({
      ...body,
      ...(String(body['amount']) < '6' && { amount: '100.00' }),
    })),
  },
  'typed.positive': {
    'a negative amount is accepted': onWriteBody((body) => ({ ...body, amount: '100.00' })),
  },
  'typed.created': {
    'the amount of the invoice is rounded': onInvoice(isWrite, (invoice) => ({ ...invoice, amount: '101' })),
  },
  'typed.mismatch': {
    'idempotency keys are ignored': ignoreKeys,
  },
};

/** Backends that break a rule of writes. */
export const writeDefects: readonly DefectTable[] = [refusedWriteDefects, createInvoiceDefects, typedAmountDefects];

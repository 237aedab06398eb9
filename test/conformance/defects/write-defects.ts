import { randomUUID } from 'node:crypto';
import {
  requestWithHeaders,
  requestWithUrl,
  bodyIn,
  responseDefect,
  isAny,
  isBody,
  isHook,
  isRead,
  isWrite,
  jsonAnswer,
  onAnswer,
  onBody,
  onCheckout,
  onInvoice,
  onRequest,
  problem,
  withHeaders,
  without,
  withStatus,
  type SeededDefect,
} from './seeded-defect.ts';

const keyOf = ({ headers }: Request): string => headers.get('idempotency-key') ?? '';
const isTyped = (body: Readonly<Record<string, unknown>>): boolean => body['amount'] === null;

/** Ignores idempotency keys: each write has a new key. */
const ignoreKeys = onRequest(isWrite, (request) => requestWithHeaders(request, { 'idempotency-key': randomUUID() }));

/** Creates another invoice for a repeated key. */
const newInvoiceForRepeatedKey = () => {
  const seen = new Set<string>();
  return onCheckout(isWrite, (body, request) => {
    const isRepeated = seen.has(keyOf(request));
    seen.add(keyOf(request));
    return isRepeated && isBody(body['invoice'])
      ? { ...body, invoice: { ...body['invoice'], id: `inv_${randomUUID()}` } }
      : body;
  })();
};

/** Creates a new invoice for each write. */
const newInvoiceForEachWrite = onAnswer(isWrite, async (response) => {
  const body = bodyIn(await response.text());
  const made = isBody(body['invoice']) ? { ...body['invoice'], id: `inv_${randomUUID()}` } : body['invoice'];
  return jsonAnswer(withStatus(response, response.status === 200 ? 201 : response.status), { ...body, invoice: made });
});

/** Finds the answer to a write by its key alone, whatever the order. */
const sharedKeys = () => {
  const answers = new Map<string, string>();
  return onAnswer(isWrite, async (response, request) => {
    const text = answers.get(keyOf(request)) ?? (await response.text());
    answers.set(keyOf(request), text);
    return new Response(text, { status: response.status, headers: response.headers });
  })();
};

/** Replaces the answers to writes that have an HTTP status with a problem. */
const replaceWithProblem = (from: number, status: number, code: Parameters<typeof problem>[1]) =>
  onAnswer(
    (request, response) => isWrite(request) && response.status === from,
    () => problem(status, code),
  );

const refusedWriteDefects: readonly SeededDefect[] = [
  responseDefect(
    'request.key',
    'a missing Idempotency-Key is replaced by a random one',
    onRequest(
      (request) => isWrite(request) && keyOf(request) === '',
      (request) => requestWithHeaders(request, { 'idempotency-key': randomUUID() }),
    ),
  ),
  responseDefect(
    'request.json',
    'a body that is not JSON is answered with 500',
    replaceWithProblem(400, 500, 'internal'),
  ),
  responseDefect(
    'request.members',
    'members of the wrong type are converted',
    onBody((body) => ({ ...body, ...('replace' in body && { replace: Boolean(body['replace']) }) })),
  ),
  responseDefect(
    'request.media_type',
    'a body of any media type is accepted as JSON',
    onRequest(isWrite, (request) => requestWithHeaders(request, { 'content-type': 'application/json' })),
  ),
  responseDefect(
    'request.large',
    'a large body is accepted',
    onBody((body) => body), // drops the spaces that make it large
  ),
  responseDefect('request.large', 'the connection is reset when the body is large', () => (request, next) => {
    if (isWrite(request)) return Promise.reject(new TypeError('fetch failed', { cause: new Error('read ECONNRESET') }));
    return next(request);
  }),
  responseDefect(
    'request.unknown_method',
    'an unknown payment method is answered with 400',
    replaceWithProblem(422, 400, 'invalid_request'),
  ),
  responseDefect(
    'request.method_unavailable',
    'an unavailable payment method is accepted',
    onBody((body) =>
      body['payment_method_id'] === 'pm_foreign_card' ? { ...body, payment_method_id: 'pm_sbp' } : body,
    ),
  ),
  responseDefect(
    'request.cross_site',
    'Origin is ignored',
    onRequest(isWrite, (request) => requestWithHeaders(request, { origin: undefined })),
  ),
  responseDefect(
    'request.cross_site',
    'Sec-Fetch-Site is ignored',
    onRequest(isWrite, (request) => requestWithHeaders(request, { 'sec-fetch-site': undefined })),
  ),
  responseDefect(
    'request.cors',
    'pages of all origins may read the answers',
    onAnswer(isAny, (response) => withHeaders(response, { 'access-control-allow-origin': '*' })),
  ),
  responseDefect(
    'request.nothing_made',
    'a refused write creates an invoice',
    () => async (request, next) => {
      if (request.headers.has('origin')) await next(requestWithHeaders(request.clone(), { origin: undefined }));
      return next(request);
    },
    'request.cross_site',
  ),
];

const createInvoiceDefects: readonly SeededDefect[] = [
  responseDefect(
    'invoice.created',
    'a new invoice is answered with 200',
    onAnswer(isWrite, (response) => withStatus(response, response.status === 201 ? 200 : response.status)),
  ),
  responseDefect(
    'invoice.created',
    'the checkout stays open beside its invoice',
    onCheckout(isWrite, (body) => ({ ...body, status: 'open' })),
  ),
  responseDefect(
    'invoice.requisites',
    'the invoice has no requisites',
    onInvoice(isAny, ({ id, amount }) => ({ id, amount })),
  ),
  responseDefect(
    'invoice.read',
    'a later read shows other requisites',
    onInvoice(isRead, (made) => ({ ...made, sbp: { phone: '+70000000000' } })),
  ),
  responseDefect(
    'invoice.countdown',
    'the time left never decreases',
    onInvoice(isAny, (made) => ({ ...made, expires_in_ms: 900_000 })),
  ),
  responseDefect('invoice.same_key', 'a repeated key creates another invoice', newInvoiceForRepeatedKey),
  responseDefect('invoice.key_other_body', 'idempotency keys are ignored', ignoreKeys),
  responseDefect(
    'invoice.same_method',
    'another key with the same method is refused',
    replaceWithProblem(200, 409, 'invoice_pending'),
  ),
  responseDefect(
    'invoice.pending',
    'another method replaces the invoice without `replace`',
    onBody((body) => ({ ...body, replace: true })),
  ),
  responseDefect(
    'invoice.options',
    '?options=1 is ignored',
    onRequest(isRead, (request) => requestWithUrl(request, request.url.replace('?options=1', ''))),
  ),
  responseDefect(
    'hook.wrong_secret',
    'a wrong secret is accepted',
    onAnswer(isHook, () => new Response(null, { status: 204 })),
  ),
  responseDefect(
    'invoice.replace',
    '`replace` is ignored',
    onBody((body) => without(body, 'replace')),
  ),
  responseDefect('invoice.replace_again', 'a repeated key replaces the invoice again', newInvoiceForRepeatedKey),
  responseDefect('concurrent.same_key', 'each of several simultaneous writes with one key creates an invoice', () =>
    newInvoiceForEachWrite(),
  ),
  responseDefect('concurrent.other_keys', 'each of several simultaneous tabs creates an invoice', () =>
    newInvoiceForEachWrite(),
  ),
  responseDefect('order.tampering', 'the browser sets the amount', () => async (request, next) => {
    const { amount } = isWrite(request) ? bodyIn(await request.clone().text()) : {};
    const response = await next(request);
    if (amount === undefined) return response;
    const body = bodyIn(await response.text());
    const made = isBody(body['invoice']) ? { ...body['invoice'], amount } : null;
    return jsonAnswer(response, { ...body, amount, invoice: made });
  }),
  responseDefect('order.isolated', 'a key finds the invoice of another order', sharedKeys),
];

const typedAmountDefects: readonly SeededDefect[] = [
  responseDefect(
    'typed.shape',
    'there are no payment options before the amount is typed',
    onCheckout(isRead, (body) => (isTyped(body) ? { ...body, options: [] } : body)),
  ),
  responseDefect(
    'typed.filter',
    '?amount= is ignored',
    onRequest(isRead, (request) => requestWithUrl(request, request.url.replace(/\?.*/, ''))),
  ),
  responseDefect(
    'typed.malformed',
    'a malformed amount is answered with 500',
    onAnswer(
      (request, { status }) => isRead(request) && status === 400,
      () => problem(500, 'internal', { trace_id: 't' }),
    ),
  ),
  responseDefect(
    'typed.required',
    'a missing amount is answered with 400',
    replaceWithProblem(422, 400, 'invalid_request'),
  ),
  responseDefect(
    'typed.limits',
    'the answer does not include the limits',
    replaceWithProblem(422, 422, 'amount_out_of_limits'),
  ),
  responseDefect(
    'typed.limits',
    'limits are compared as strings',
    onBody((body) => ({ ...body, ...(String(body['amount']) < '6' && { amount: '100.00' }) })),
  ),
  responseDefect(
    'typed.positive',
    'a negative amount is accepted',
    onBody((body) => ({ ...body, amount: '100.00' })),
  ),
  responseDefect(
    'typed.created',
    'the amount of the invoice is rounded',
    onInvoice(isWrite, (made) => ({ ...made, amount: '101' })),
  ),
  responseDefect('typed.mismatch', 'idempotency keys are ignored', ignoreKeys),
];

export const writeDefects: readonly SeededDefect[] = [
  ...refusedWriteDefects,
  ...createInvoiceDefects,
  ...typedAmountDefects,
];

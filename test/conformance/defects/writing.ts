import { randomUUID } from 'node:crypto';
import {
  asking,
  at,
  bodyIn,
  edge,
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
  type Seeded,
} from './make.ts';

const keyOf = ({ headers }: Request): string => headers.get('idempotency-key') ?? '';
const isTyped = (body: Readonly<Record<string, unknown>>): boolean => body['amount'] === null;

/** Idempotency keys are not looked at: each write counts as a new one. */
const keyless = onRequest(isWrite, (request) => asking(request, { 'idempotency-key': randomUUID() }));

/** A key that comes again makes another invoice. */
const repeating = () => {
  const seen = new Set<string>();
  return onCheckout(isWrite, (body, request) => {
    const isRepeated = seen.has(keyOf(request));
    seen.add(keyOf(request));
    return isRepeated && isBody(body['invoice'])
      ? { ...body, invoice: { ...body['invoice'], id: `inv_${randomUUID()}` } }
      : body;
  })();
};

/** Each write makes an invoice of its own. */
const eager = onAnswer(isWrite, async (response) => {
  const body = bodyIn(await response.text());
  const made = isBody(body['invoice']) ? { ...body['invoice'], id: `inv_${randomUUID()}` } : body['invoice'];
  return jsonAnswer(withStatus(response, response.status === 200 ? 201 : response.status), { ...body, invoice: made });
});

/** Keys are looked up for all orders together. */
const sharedKeys = () => {
  const answers = new Map<string, string>();
  return onAnswer(isWrite, async (response, request) => {
    const text = answers.get(keyOf(request)) ?? (await response.text());
    answers.set(keyOf(request), text);
    return new Response(text, { status: response.status, headers: response.headers });
  })();
};

const writesCode = (from: number, status: number, code: Parameters<typeof problem>[1]) =>
  onAnswer(
    (request, response) => isWrite(request) && response.status === from,
    () => problem(status, code),
  );

const refusing: readonly Seeded[] = [
  edge(
    'request.key',
    'a missing key is made up',
    onRequest(
      (request) => isWrite(request) && keyOf(request) === '',
      (request) => asking(request, { 'idempotency-key': randomUUID() }),
    ),
  ),
  edge('request.json', 'a body that is no JSON is an internal error', writesCode(400, 500, 'internal')),
  edge(
    'request.members',
    'members are turned into the type that was meant',
    onBody((body) => ({ ...body, ...('replace' in body && { replace: Boolean(body['replace']) }) })),
  ),
  edge(
    'request.media_type',
    'any media type is read as JSON',
    onRequest(isWrite, (request) => asking(request, { 'content-type': 'application/json' })),
  ),
  edge(
    'request.large',
    'a large body is read',
    onBody((body) => without(body, 'padding')),
  ),
  edge('request.large', 'the connection is cut at a large body', () => (request, next) => {
    if (isWrite(request)) return Promise.reject(new TypeError('fetch failed', { cause: new Error('read ECONNRESET') }));
    return next(request);
  }),
  edge(
    'request.unknown_method',
    'a method that does not exist is an invalid request',
    writesCode(422, 400, 'invalid_request'),
  ),
  edge(
    'request.method_unavailable',
    'availability is not looked at',
    onBody((body) =>
      body['payment_method_id'] === 'pm_foreign_card' ? { ...body, payment_method_id: 'pm_sbp' } : body,
    ),
  ),
  edge(
    'request.cross_site',
    'the origin is not looked at',
    onRequest(isWrite, (request) => asking(request, { origin: undefined })),
  ),
  edge(
    'request.cross_site',
    'Sec-Fetch-Site is not looked at',
    onRequest(isWrite, (request) => asking(request, { 'sec-fetch-site': undefined })),
  ),
  edge(
    'request.cors',
    'pages of all sites may read',
    onAnswer(isAny, (response) => withHeaders(response, { 'access-control-allow-origin': '*' })),
  ),
  edge(
    'request.nothing_made',
    'a refused write has done its work',
    () => async (request, next) => {
      if (request.headers.has('origin')) await next(asking(request.clone(), { origin: undefined }));
      return next(request);
    },
    'request.cross_site',
  ),
];

const creating: readonly Seeded[] = [
  edge(
    'invoice.created',
    'a new invoice is answered with 200',
    onAnswer(isWrite, (response) => withStatus(response, response.status === 201 ? 200 : response.status)),
  ),
  edge(
    'invoice.created',
    'the checkout stays open beside its invoice',
    onCheckout(isWrite, (body) => ({ ...body, status: 'open' })),
  ),
  edge(
    'invoice.requisites',
    'the requisites are dropped',
    onInvoice(isAny, ({ id, amount }) => ({ id, amount })),
  ),
  edge(
    'invoice.read',
    'a later read shows another account',
    onInvoice(isRead, (made) => ({ ...made, sbp: { phone: '+70000000000' } })),
  ),
  edge(
    'invoice.countdown',
    'the time that is left is that of the creation',
    onInvoice(isAny, (made) => ({ ...made, expires_in_ms: 900_000 })),
  ),
  edge('invoice.same_key', 'the same key makes another invoice', repeating),
  edge('invoice.key_other_body', 'keys are not kept', keyless),
  edge('invoice.same_method', 'a second tab is refused', writesCode(200, 409, 'invoice_pending')),
  edge(
    'invoice.pending',
    'another method replaces without being asked to',
    onBody((body) => ({ ...body, replace: true })),
  ),
  edge(
    'invoice.options',
    '?options=1 is not looked at',
    onRequest(isRead, (request) => at(request, request.url.replace('?options=1', ''))),
  ),
  edge(
    'hook.wrong_secret',
    'any secret is good',
    onAnswer(isHook, () => new Response(null, { status: 204 })),
  ),
  edge(
    'invoice.replace',
    'replace is not looked at',
    onBody((body) => without(body, 'replace')),
  ),
  edge('invoice.replace_again', 'a repeated replacement makes another invoice', repeating),
  edge('concurrent.same_key', 'writes at once with one key each make an invoice', () => eager()),
  edge('concurrent.other_keys', 'tabs at once each make an invoice', () => eager()),
  edge('order.tampering', 'the browser sets the amount', () => async (request, next) => {
    const { amount } = isWrite(request) ? bodyIn(await request.clone().text()) : {};
    const response = await next(request);
    if (amount === undefined) return response;
    const body = bodyIn(await response.text());
    const made = isBody(body['invoice']) ? { ...body['invoice'], amount } : null;
    return jsonAnswer(response, { ...body, amount, invoice: made });
  }),
  edge('order.isolated', 'a key finds the invoice of another order', sharedKeys),
];

const typing: readonly Seeded[] = [
  edge(
    'typed.shape',
    'there are no options before the amount is typed',
    onCheckout(isRead, (body) => (isTyped(body) ? { ...body, options: [] } : body)),
  ),
  edge(
    'typed.filter',
    '?amount= is not looked at',
    onRequest(isRead, (request) => at(request, request.url.replace(/\?.*/, ''))),
  ),
  edge(
    'typed.malformed',
    'an amount that does not parse is an internal error',
    onAnswer(
      (request, { status }) => isRead(request) && status === 400,
      () => problem(500, 'internal', { trace_id: 't' }),
    ),
  ),
  edge('typed.required', 'a missing amount is an invalid request', writesCode(422, 400, 'invalid_request')),
  edge('typed.limits', 'the limits are not named', writesCode(422, 422, 'amount_out_of_limits')),
  edge(
    'typed.limits',
    'limits are compared as text',
    onBody((body) => ({ ...body, ...(String(body['amount']) < '6' && { amount: '100.00' }) })),
  ),
  edge(
    'typed.positive',
    'the sign is lost',
    onBody((body) => ({ ...body, amount: '100.00' })),
  ),
  edge(
    'typed.created',
    'the invoice is over a rounded amount',
    onInvoice(isWrite, (made) => ({ ...made, amount: '101' })),
  ),
  edge('typed.mismatch', 'keys are not kept', keyless),
];

export const writingDefects: readonly Seeded[] = [...refusing, ...creating, ...typing];

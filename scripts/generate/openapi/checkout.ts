// The OpenAPI document of the checkout API, from the schemas and the calls of src/checkout-api.
import {
  calls,
  checkout,
  createInvoiceBody,
  maxWaitSeconds,
  problem,
  type Call,
  type KnownAnswer,
} from '../../../src/checkout-api.ts';
import { createHeaders, headers, optionalHeader, preflightHeaders } from './checkout-headers.ts';
import { createComponents, createHead, createReference, createServer, type Json, type Notes } from './document.ts';

/** Descriptions that the types of the schemas do not contain (docs/checkout-api.md). */
const notes: Notes = {
  Timestamp: { format: 'date-time' },
  'Checkout.id': {
    description:
      'The public name of the checkout, for the shop, the log and support. It opens nothing: the capability is in the address alone.',
    examples: ['co_…'],
  },
  'Checkout.status': {
    description:
      'Decided by the backend. `paid` and `failed` come only from a fetch of the invoice at the service; `paid` is final; `closed`: no new invoice is created, and none can still be paid; a status that is not known is `pending`.',
  },
  'Checkout.amount': { description: 'null: the payer types it, within `amount_limits`.' },
  'Checkout.currency': { description: 'ISO 4217, set by the merchant; null: no symbol is shown.' },
  'Checkout.reference': { description: "The order's number as the payer may quote it to the shop." },
  'Checkout.expires_at': { description: 'After this moment no new invoice is created; null: there is no such moment.' },
  'Checkout.paid_at': { description: 'When the backend learnt of the payment; null while it is not paid.' },
  'Checkout.test': { description: 'true: no money moves, and the element shows a test badge.' },
  'Checkout.options': { description: 'What the payer may choose, filtered by the amount; empty once paid or closed.' },
  'Checkout.invoice': {
    description:
      'The current invoice. null with `pending`: it is not known yet whether the service created an invoice.',
  },
  'Checkout.poll_after_ms': { description: 'The advice of the backend for the next poll, in milliseconds.' },
  'Checkout.stale': { description: 'true: the service does not answer, this is the last known state.' },
  InvoiceMethod: { description: 'The payment method of the invoice. Absent when it is not known.' },
  'CheckoutInvoice.service_status': { description: "The service's own word, for logs and support." },
  'CheckoutInvoice.expires_in_ms': {
    description: 'Milliseconds left by the clock of the backend when it answered; 0 once the deadline has passed.',
  },
  'CreateInvoiceBody.amount': { description: 'Only for a checkout whose amount the payer types.' },
  'CreateInvoiceBody.replace': { description: 'true: another invoice in place of one that may still be paid.' },
};

const parameters: Readonly<Record<string, Json>> = {
  checkout: {
    name: 'checkout',
    in: 'path',
    required: true,
    description: "The capability that the merchant's server created for one order.",
    schema: { type: 'string' },
  },
  secret: {
    name: 'secret',
    in: 'path',
    required: true,
    description: 'Part of the address that the backend gave to the service as `url_config.hook_url`.',
    schema: { type: 'string' },
  },
  amount: {
    name: 'amount',
    in: 'query',
    description: 'Filters the options, only for a checkout whose amount the payer types.',
    schema: createReference('schemas', 'Decimal'),
  },
  options: {
    name: 'options',
    in: 'query',
    description: '`1` asks for the options while an invoice waits.',
    schema: { type: 'string', enum: ['1'] },
  },
  check: {
    name: 'check',
    in: 'query',
    description:
      '`1`: the payer says that he has paid. The backend asks the service now, and answers with the checkout within 10 s.',
    schema: { type: 'string', enum: ['1'] },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of the last answer: 304 when nothing that the payer sees has changed.',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: `\`wait=25\` (RFC 7240) with If-None-Match holds the answer until something changes or that many seconds have passed. May be ignored; clamped to 0-${maxWaitSeconds}.`,
    schema: { type: 'string', pattern: '^wait=[0-9]+$' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      'A new one for each choice of the payer, the same one in each repeat. The element sends a UUID; a backend accepts any 1 to 200 visible ASCII characters.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      pattern: String.raw`^[\x21-\x7e]+$`,
      examples: ['0b0f9a3e-6a6b-4f0e-8f0a-3a1b2c3d4e5f'],
    },
  },
  Origin: {
    name: 'Origin',
    in: 'header',
    description:
      "Sent by browsers. A write needs the endpoint's own origin or an allowed one, else it is answered with 403; an answer to an allowed one has CORS headers.",
    schema: { type: 'string', examples: ['https://shop.example'] },
  },
  'Sec-Fetch-Site': {
    name: 'Sec-Fetch-Site',
    in: 'header',
    description:
      'Sent by browsers; pages cannot set it. `same-origin` passes whatever `Origin` says; `cross-site` needs an allowed `Origin`.',
    schema: { type: 'string', enum: ['cross-site', 'same-origin', 'same-site', 'none'] },
  },
};

const callDescriptions: Readonly<
  Record<
    keyof typeof calls,
    { readonly summary: string; readonly description: string; readonly parameters: readonly string[] }
  >
> = {
  readCheckout: {
    summary: 'The checkout as it stands',
    description:
      'Everything that the widget shows. It may be held until something changes, and never causes a call to the service, unless `check` or `options` asks for one.',
    parameters: ['checkout', 'amount', 'options', 'check', 'If-None-Match', 'Prefer', 'Origin'],
  },
  createInvoice: {
    summary: 'Request an invoice',
    description: 'The payer has chosen a method. It is safe to repeat with the same `Idempotency-Key`.',
    parameters: ['checkout', 'Idempotency-Key', 'Origin', 'Sec-Fetch-Site'],
  },
  notify: {
    summary: 'A notification of the service',
    description:
      'Makes the backend fetch the invoice. Another address may be given to the service as `url_config.hook_url`: ours has the order instead of the capability.',
    parameters: ['checkout', 'secret'],
  },
};

function createContent({ body, codes }: Pick<KnownAnswer, 'body' | 'codes'>): Json | undefined {
  if (body === 'nothing') return undefined;
  if (body === 'checkout') return { 'application/json': { schema: createReference('schemas', 'Checkout') } };
  const code = codes.length === 1 ? { const: codes[0] } : { enum: codes };
  const schema = { allOf: [createReference('schemas', 'Problem'), { type: 'object', properties: { code } }] };
  return { 'application/problem+json': { schema } };
}

/** The headers of a response that may have been held. */
const heldHeaders = ({ headers: names }: KnownAnswer): readonly string[] =>
  names.includes('ETag') && names.includes('Cache-Control') ? ['Preference-Applied'] : [];

function createResponse(response: KnownAnswer): Json {
  const content = createContent(response);
  return {
    description: response.when,
    headers: createHeaders([...response.headers, ...heldHeaders(response)]),
    ...(content && { content }),
  };
}

function createRequestBody(name: keyof typeof calls): Json {
  if (name === 'readCheckout') return {};
  const schema = name === 'createInvoice' ? createReference('schemas', 'CreateInvoiceBody') : {};
  const description =
    name === 'notify' ? { description: "Not described by the service's specification, and ignored." } : {};
  return {
    requestBody: { ...description, required: name === 'createInvoice', content: { 'application/json': { schema } } },
  };
}

/** The response to another method on a path. It is listed with each operation, because OpenAPI has no other place for it. */
const methodNotAllowed: Json = {
  description: 'The path has other methods.',
  headers: createHeaders(['Allow']),
  content: createContent({ body: 'problem', codes: ['invalid_request'] }),
};

function createOperation(name: keyof typeof calls, operationId: string): Json {
  const responses: readonly KnownAnswer[] = calls[name].answers;
  const { description } = callDescriptions[name];
  return {
    operationId,
    summary: callDescriptions[name].summary,
    description,
    tags: ['checkout'],
    parameters: callDescriptions[name].parameters.map((parameter) => createReference('parameters', parameter)),
    ...createRequestBody(name),
    responses: {
      ...Object.fromEntries(responses.map((response) => [String(response.status), createResponse(response)])),
      '405': methodNotAllowed,
    },
  };
}

function createPathItem(name: keyof typeof calls): [string, Json] {
  const { method, path }: Call = calls[name];
  const operation = createOperation(name, name);
  return [
    path,
    {
      [method.toLowerCase()]: operation,
      ...(method === 'GET' && { head: createHeadOperation(name) }),
      options: createPreflight(name),
    },
  ];
}

/** Creates the HEAD operation: that of GET without response bodies, and without the response to another method. */
function createHeadOperation(name: keyof typeof calls): Json {
  const answers: readonly KnownAnswer[] = calls[name].answers;
  return {
    ...createOperation(name, 'headCheckout'),
    summary: 'As GET, without a body',
    responses: Object.fromEntries(
      answers.map((one) => [String(one.status), createResponse({ ...one, body: 'nothing' })]),
    ),
  };
}

/** Creates the OPTIONS operation: the preflight of a page of another origin. */
function createPreflight(name: keyof typeof calls): Json {
  const { parameters: names, summary } = callDescriptions[name];
  return {
    operationId: `${name}Preflight`,
    summary: `The preflight of: ${summary}`,
    description: 'A browser asks whether a page of another origin may send the request.',
    tags: ['checkout'],
    parameters: names
      .filter((one) => parameters[one]?.['in'] === 'path')
      .map((one) => createReference('parameters', one)),
    responses: {
      '204': {
        description: 'With an allowed origin: what it may send.',
        headers: { ...createHeaders(preflightHeaders), Allow: optionalHeader('Allow') },
      },
      '404': createResponse({
        status: 404,
        when: 'There is nothing here.',
        body: 'problem',
        codes: ['not_found'],
        headers: [],
      }),
    },
  };
}

/** The calls of the checkout API, below the endpoint. */
export const checkoutPaths = Object.fromEntries([
  createPathItem('readCheckout'),
  createPathItem('createInvoice'),
  createPathItem('notify'),
]);
export const checkoutTag = { name: 'checkout', description: 'One checkout, and the invoices of it.' };
export const checkoutComponents = {
  schemas: createComponents({ checkout, createInvoiceBody, problem }, notes),
  parameters,
  headers,
};

/** The checkout API as an OpenAPI 3.1 document. */
export function checkoutDocument(version: string): Json {
  return {
    ...createHead(
      'The checkout API',
      version,
      "The API between the widget and the merchant's backend. Amounts are decimal strings, which are passed on unchanged; times are RFC 3339.",
      [createServer('endpoint', 'https://shop.example/checkout', 'Where it is mounted.')],
    ),
    security: [],
    tags: [checkoutTag],
    paths: checkoutPaths,
    components: checkoutComponents,
  };
}

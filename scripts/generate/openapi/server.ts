// The OpenAPI document of the standalone server: the admin API, the webhook of outcomes, and the checkout API.
import { z } from 'zod';
import { problemKinds } from '../../../src/standalone/problem-responses.ts';
import { toSnakeCaseName } from '../../../src/standalone/snake-case-json.ts';
import { checkoutId, createListParameters, feedParameters, idParameter } from './admin-parameters.ts';
import { adminSchemas } from './admin-schemas.ts';
import { checkoutComponents, checkoutPaths, checkoutTag } from './checkout.ts';
import { optionalHeader } from './checkout-headers.ts';
import { createComponents, createHead, createReference, createServer, type Json, type Notes } from './document.ts';

type Code = keyof typeof problemKinds;

/** Descriptions that the types of the schemas do not contain (docs/standalone-server.md). */
const notes: Notes = {
  'CreateCheckoutParams.orderId': { description: 'An order has one checkout: a repeated create answers with it.' },
  'CreateCheckoutParams.currency': { description: 'ISO 4217; null: no symbol is shown.' },
  'CreateCheckoutParams.expiresAt': { description: 'From this moment on no new invoice is created.' },
  'CreateCheckoutParams.methods': {
    description: 'The ids or types of the methods, in the order in which they are shown.',
  },
  'MerchantCheckout.id': {
    description: 'It opens nothing, and is what outcomes and the log name.',
    examples: ['co_…'],
  },
  'MerchantInvoice.needs_decision': { description: 'Whether a person has to decide by `resolve`.' },
  'LinkedCheckout.capability': { description: "What the payer's page gets: whoever has it can see and pay the order." },
  'LinkedCheckout.url': { description: 'The address of the pay page.' },
  StoredOutcome: { description: 'An outcome with the state of its delivery.' },
  'StoredOutcome.next_delivery_at': { description: 'null when it is delivered, or its delivery was given up.' },
  Outcome: { description: 'What has become of a payment. `paid` always means: deliver the order.' },
  'Outcome.id': { description: 'Repeated deliveries have the same one.' },
  'FeedOutcome.cursor': { description: 'Pass it as `after` to read on.' },
};

/** The names of requests as JSON has them. Metadata is the shop's own, and has no properties here. */
function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const inner = inSnakeCase(member);
      if (name === 'required') return [name, names.parse(inner).map(toSnakeCaseName)];
      if (name !== 'properties') return [name, inner];
      return [
        name,
        Object.fromEntries(Object.entries(members.parse(inner)).map(([key, one]) => [toSnakeCaseName(key), one])),
      ];
    }),
  );
}
const names = z.array(z.string());
const members = z.record(z.string(), z.looseObject({}));

const { ListQuery: listQuery, ...schemas } = members.parse(inSnakeCase(createComponents(adminSchemas, notes)));
const listParameters = createListParameters(members.parse(listQuery?.['properties']));

/** A call of the admin API. */
interface AdminCall {
  readonly id: string;
  readonly summary: string;
  readonly parameters?: readonly Json[];
  /** The component of the body. */
  readonly body?: string;
  /** The component of the answers that are no problems, and their HTTP statuses. */
  readonly answer: string;
  readonly statuses?: Readonly<Record<number, string>>;
  /** Beside those that each call may be answered with. */
  readonly codes?: readonly Code[];
}

const known = (id: string, summary: string, codes: readonly Code[] = []): AdminCall => ({
  id,
  summary,
  parameters: checkoutId,
  answer: 'CheckoutDetails',
  codes: ['not_found', ...codes],
});

const adminCalls: Readonly<Record<string, Readonly<Record<string, AdminCall>>>> = {
  '/admin/checkouts': {
    get: {
      id: 'listCheckouts',
      summary: 'A page of checkouts, newest first',
      parameters: listParameters,
      answer: 'CheckoutPage',
      codes: ['invalid_request'],
    },
    post: {
      id: 'createCheckout',
      summary: "An order's checkout, made once, when the order is",
      body: 'CreateCheckoutParams',
      answer: 'LinkedCheckout',
      statuses: { 200: 'The checkout that the order has.', 201: 'A new checkout.' },
      codes: ['order_conflict'],
    },
  },
  '/admin/checkouts/{id}': {
    get: known('getCheckout', 'A checkout with its invoices and outcomes'),
    patch: {
      ...known('updateCheckout', 'Change an open checkout', ['already_paid', 'checkout_closed', 'invoice_pending']),
      body: 'UpdateCheckoutParams',
    },
  },
  '/admin/checkouts/{id}/check': { post: known('checkCheckout', 'Fetch its invoices at the service now') },
  '/admin/checkouts/{id}/close': { post: known('closeCheckout', 'No new invoice; what is issued stays watched') },
  '/admin/checkouts/{id}/reopen': { post: known('reopenCheckout', 'Open a closed checkout again') },
  '/admin/checkouts/{id}/link': {
    post: {
      ...known('linkCheckout', 'The capability and the address of the pay page again', ['checkout_closed']),
      answer: 'LinkedCheckout',
    },
  },
  '/admin/checkouts/{id}/resolve': {
    post: {
      ...known('resolveInvoice', 'A decision where the money cannot be judged', ['nothing_to_resolve']),
      body: 'ResolveParams',
    },
  },
  '/admin/outcomes': {
    get: {
      id: 'readOutcomes',
      summary: 'The feed: the outcomes of all checkouts in one order without gaps',
      parameters: feedParameters,
      answer: 'OutcomePage',
      codes: ['invalid_request', 'cursor_unknown'],
    },
  },
  '/admin/outcomes/{id}/redeliver': {
    post: {
      id: 'redeliverOutcome',
      summary: 'Deliver an outcome once more, also one whose delivery was given up',
      parameters: [idParameter('outcome')],
      answer: 'QueuedOutcome',
      statuses: { 202: 'It is delivered soon.' },
      codes: ['not_found'],
    },
  },
};

const everyCall: readonly Code[] = ['unauthorized', 'origin_not_allowed', 'rate_limited', 'internal', 'try_again'];
const everyBody: Readonly<Record<string, string>> = {
  400: 'The body is not valid: `detail` names the member.',
  408: 'The body did not arrive in time.',
  413: 'The body is too large.',
  415: 'The body is not `application/json`.',
};

/** The headers of each answer of the admin API, and those of a status. */
const headersOf = (status: number): Json => ({
  'Cache-Control': createReference('headers', 'Cache-Control'),
  ...(status === 401 && { 'WWW-Authenticate': { required: true, schema: { type: 'string', const: 'Bearer' } } }),
  ...(status === 405 && { Allow: createReference('headers', 'Allow') }),
  ...(status === 429 && { 'Retry-After': createReference('headers', 'Retry-After') }),
  ...(status === 503 && { 'Retry-After': optionalHeader('Retry-After') }),
});

const jsonContent = (name: string): Json => ({ 'application/json': { schema: createReference('schemas', name) } });

function problemResponse(status: number, description: string, codes: readonly Code[]): Json {
  const code = codes.length === 1 ? { const: codes[0] } : { enum: codes };
  const schema = { allOf: [createReference('schemas', 'AdminProblem'), { type: 'object', properties: { code } }] };
  return { description, headers: headersOf(status), content: { 'application/problem+json': { schema } } };
}

/** The problems of a call by their HTTP status. */
function problemResponses(codes: readonly Code[]): Json {
  const statuses = new Set(codes.map((code) => problemKinds[code][0]));
  const responseOf = (status: number): Json => {
    const some = codes.filter((code) => problemKinds[code][0] === status);
    return problemResponse(status, some.map((code) => `${problemKinds[code][1]}.`).join(' '), some);
  };
  return Object.fromEntries([...statuses].map((status) => [status, responseOf(status)]));
}

function createOperation({
  id,
  summary,
  parameters,
  body,
  answer,
  statuses = { 200: 'Done.' },
  codes = [],
}: AdminCall): Json {
  const invalid = (texts: Readonly<Record<string, string>>): Json =>
    Object.fromEntries(
      Object.entries(texts).map(([status, when]) => [
        status,
        problemResponse(Number(status), when, ['invalid_request']),
      ]),
    );
  return {
    operationId: id,
    summary,
    description: 'See docs/standalone-server.md.',
    tags: ['admin'],
    ...(parameters && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: jsonContent(body) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(statuses).map(([status, description]) => [
          status,
          { description, headers: headersOf(Number(status)), content: jsonContent(answer) },
        ]),
      ),
      ...invalid({ ...(body !== undefined && everyBody), 405: 'The path has other methods.' }),
      ...problemResponses([...codes, ...everyCall]),
    },
  };
}

const webhookHeader = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** The request that the shop gets (standardwebhooks.com). */
const outcomeWebhook: Json = {
  operationId: 'receiveOutcome',
  summary: 'The outcome of a payment',
  description:
    'Sent to `OUTCOME_URL` at least once, in order per checkout. Any answer but 2xx within 10 s is followed by a repeat, for three days.',
  tags: ['outcomes'],
  security: [],
  parameters: [
    webhookHeader('webhook-id', 'The `id` of the outcome: a repeat has the same one.'),
    webhookHeader('webhook-timestamp', 'Seconds since 1970.'),
    webhookHeader('webhook-signature', 'By the Standard Webhooks specification, with the secret in `OUTCOME_SECRET`.'),
  ],
  requestBody: { required: true, content: jsonContent('OutcomeEvent') },
  responses: { '2XX': { description: 'The shop has it.' }, default: { description: 'It is delivered again.' } },
};

const example = 'https://pay.shop.example';

/** The calls of the checkout API, which need no token. They are never on the port of the admin API. */
const publicPaths = Object.entries(z.record(z.string(), members).parse(checkoutPaths)).map(([path, operations]) => [
  `/checkout${path}`,
  {
    servers: [createServer('public', example, '`PUBLIC_URL`.')],
    ...Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, { ...operation, security: [] }]),
    ),
  },
]);

/** What the standalone server serves as `/openapi.json`. */
export function serverDocument(version: string): Json {
  return {
    ...createHead(
      'The checkout server',
      version,
      'The admin API, which the shop calls, the webhook that it gets, and the checkout API, which the widget calls. Amounts are decimal strings; times are RFC 3339.',
      [createServer('admin', example, 'The address of the admin API: `PUBLIC_URL`, or that of `ADMIN_PORT`.')],
    ),
    security: [{ adminToken: [] }],
    tags: [
      { name: 'admin', description: 'For the shop, with the admin token.' },
      { name: 'outcomes', description: 'What has become of payments.' },
      checkoutTag,
    ],
    paths: {
      ...Object.fromEntries(
        Object.entries(adminCalls).map(([path, operations]) => [
          path,
          Object.fromEntries(Object.entries(operations).map(([method, call]) => [method, createOperation(call)])),
        ]),
      ),
      ...Object.fromEntries(publicPaths),
    },
    webhooks: { outcome: { post: outcomeWebhook } },
    components: {
      ...checkoutComponents,
      schemas: { ...schemas, ...checkoutComponents.schemas },
      securitySchemes: { adminToken: { type: 'http', scheme: 'bearer', description: 'One of `ADMIN_TOKEN`.' } },
    },
  };
}

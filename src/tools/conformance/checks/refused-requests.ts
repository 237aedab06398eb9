import { randomUUID } from 'node:crypto';
import { maxHeaderLength, maxIdentifierLength, maxRequestBytes } from '../../../base/text-limits.ts';
import {
  NoResponse,
  problemOf,
  type CreateOverrides,
  type Exchange,
  type RequestOverrides,
} from '../backend-client.ts';
import { check, refuses, type Check, type CheckContext, type CheckGroup } from '../check.ts';
import { createBodyFor, expect, expectProblem, expectState, NotRun, type CreateBody } from '../expect.ts';
import { readOpenCheckout } from './get-checkout.ts';

/** Builds the body of a valid write, for checks that make another part of the request invalid. */
const buildValidBody = async (context: CheckContext): Promise<CreateBody> =>
  createBodyFor(await readOpenCheckout(context));

/** The run of a check in which a valid write with each of the overrides is refused with `invalid_request`. */
const refusesInvalid = (status: number, ...invalidOverrides: readonly CreateOverrides[]): Check['run'] =>
  refuses(status, 'invalid_request', async (context) => {
    const body = await buildValidBody(context);
    return invalidOverrides.map((overrides) => [body, overrides]);
  });

const unknownMethodBody: CreateBody = { payment_method_id: 'pm_that_does_not_exist' };

/**
 * Throws a `Violation` unless a write for a payment method that does not exist is answered with 422. The 422 shows that the
 * backend accepted the rest of the request; no invoice is created.
 */
async function expectAccepted(context: CheckContext, overrides: CreateOverrides): Promise<Exchange> {
  const exchange = await context.create(unknownMethodBody, overrides);
  expectProblem(exchange, [422], ['method_unavailable']);
  return exchange;
}

const notJsonObjects: readonly (string | Uint8Array<ArrayBuffer>)[] = [
  '',
  '{',
  'null',
  '[]',
  '"text"',
  '{"payment_method_id":"pm_x"} x',
  '['.repeat(5000),
  new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), // not UTF-8
];

const otherTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'text/plain; application/json',
  'application/jsonp',
];
const refusesOtherTypes = refusesInvalid(415, ...otherTypes.map((type) => ({ headers: { 'content-type': type } })));

/** Bodies that each have one wrong or missing member, with the name of that member. */
const bodiesWithWrongMember = (validBody: object): readonly (readonly [name: string, body: object])[] => [
  ['payment_method_id', {}],
  ['payment_method_id', { payment_method_id: 1 }],
  ['payment_method_id', { payment_method_id: '' }],
  ['payment_method_id', { payment_method_id: { $ne: null } }],
  ['replace', { ...validBody, replace: 'yes' }],
  ['amount', { ...validBody, amount: 100 }],
  ['amount', { ...validBody, amount: '1e3' }],
];

/** Sends a text of a length in one place of a request. */
type SendText = (context: CheckContext, text: string) => Promise<Exchange>;

const send = (path: '' | '/invoice', overrides: RequestOverrides, { run, capability }: CheckContext) =>
  run.backend.sendOther(capability, path, overrides);

/** A write for a payment method that does not exist, with other headers or another body. */
const sendWrite = (context: CheckContext, { headers, body = JSON.stringify(unknownMethodBody) }: RequestOverrides) =>
  send('/invoice', { method: 'POST', headers: { ...writeHeaders(), ...headers }, body }, context);

const writeHeaders = () => ({ 'content-type': 'application/json', 'idempotency-key': randomUUID() });

const sendHeader =
  (name: string): SendText =>
  (context, text) =>
    send('', { headers: { [name]: text } }, context);

/** What many web servers answer to a head that is too long, unless they close the connection. */
const headRefusals = [400, 404, 413, 414, 431];

/** Where a text stands, its longest length, and the answers at that length, one over it, and to a million characters. */
const textLengths: readonly (readonly [
  place: string,
  send: SendText,
  longest: number,
  atLongest: number,
  tooLong: number,
  million: readonly number[],
])[] = [
  ...['accept-language', 'if-none-match', 'prefer'].map(
    (name) => [name, sendHeader(name), maxHeaderLength, 200, 200, [200, ...headRefusals]] as const,
  ),
  [
    'idempotency-key',
    (context, key) => sendWrite(context, { headers: { 'idempotency-key': key } }),
    maxIdentifierLength,
    422,
    400,
    headRefusals,
  ],
  [
    'payment_method_id',
    (context, payment_method_id) => sendWrite(context, { body: JSON.stringify({ payment_method_id }) }),
    maxIdentifierLength,
    422,
    400,
    [413],
  ],
  [
    'body',
    (context, text) => sendWrite(context, { body: JSON.stringify(unknownMethodBody).padEnd(text.length) }),
    maxRequestBytes,
    422,
    413,
    [413],
  ],
  ['checkout', ({ run }, text) => run.backend.readRaw(text, false), maxIdentifierLength, 404, 404, headRefusals],
];

/** Throws a `Violation` unless a row of `textLengths` is answered as it says. */
async function expectAnswers(context: CheckContext, ...row: (typeof textLengths)[number]): Promise<void> {
  const [place, sendText, longest, atLongest, tooLong, million] = row;
  for (const [length, statuses] of [
    [longest, [atLongest]],
    [longest + 1, [tooLong]],
    [1_000_000, million],
  ] as const) {
    const exchange = await sendText(context, 'x'.repeat(length)).catch((error: unknown) => {
      if (error instanceof NoResponse && statuses.length > 1) return undefined; // the head was refused
      throw error;
    });
    const isExpected = exchange === undefined || statuses.includes(exchange.status);
    const expected = `HTTP ${statuses.join(' or ')} to ${length} characters of ${place}`;
    expect(isExpected, expected, exchange ?? 'no response');
  }
}

const unlistedOrigin = 'https://elsewhere.example';

/** The request headers of the API as a preflight lists them: a browser sends their names in lower case. */
const preflightHeaders = ['content-type', 'idempotency-key', 'if-none-match', 'prefer'];

/** Sends the preflight that a browser sends before a page of another origin may write. */
function sendPreflight({ run: { backend }, capability }: CheckContext, origin: string): Promise<Exchange> {
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': preflightHeaders.join(','),
  };
  return backend.sendOther(capability, '/invoice', { method: 'OPTIONS', headers });
}

function requireAllowedOrigin({ run: { allowedOrigin } }: CheckContext): string {
  if (allowedOrigin === undefined)
    throw new NotRun('it needs an origin that the backend allows: give --allowed-origin');
  return allowedOrigin;
}

/** Throws a `Violation` unless the header, which is a list, has all of the items, in any letter case. */
function expectListed(exchange: Exchange, name: string, ...expectedItems: readonly string[]): void {
  const value = exchange.headers.get(name) ?? 'none';
  const items = value.split(',').map((item) => item.trim().toLowerCase());
  const hasAll = expectedItems.every((item) => items.includes(item));
  expect(hasAll, `${name} with ${expectedItems.join(', ')}`, value, exchange);
}

/** Throws a `Violation` unless the response allows pages of exactly this origin to read it. */
function expectOrigin(exchange: Exchange, origin: string): void {
  const allowed = exchange.headers.get('access-control-allow-origin') ?? 'none';
  expect(allowed === origin, `Access-Control-Allow-Origin: ${origin}`, allowed, exchange);
  expectListed(exchange, 'vary', 'origin');
}

/** Checks of which origins' pages may read and write. */
const crossOriginChecks: readonly Check[] = [
  check(
    'request.cross_site',
    'refuses a write that a page of another site sends',
    'Compare Origin with your own origin and the allowed origins, and refuse Sec-Fetch-Site: cross-site: 403 invalid_request.',
    refusesInvalid(
      403,
      { headers: { origin: unlistedOrigin } },
      { headers: { origin: 'null' } },
      { headers: { 'sec-fetch-site': 'cross-site' } },
    ),
  ),
  check(
    'request.same_origin',
    'accepts a write from a page of its own origin, and a write that no browser sent',
    'Accept Sec-Fetch-Site: same-origin, which only the browser can set, and a write with neither Origin nor Sec-Fetch-Site.',
    async (context) => {
      const { origin } = new URL(context.run.backend.endpoint);
      const site = { 'sec-fetch-site': 'same-origin' };
      for (const headers of [{}, { origin }, site, { origin, ...site }]) await expectAccepted(context, { headers });
    },
  ),
  check(
    'request.cors',
    'allows only pages of listed origins to read its responses',
    'Answer Access-Control-Allow-Origin only to listed origins: never *, never the echo of any Origin.',
    async (context) => {
      for (const exchange of [
        await context.read({ origin: unlistedOrigin }),
        await sendPreflight(context, unlistedOrigin),
      ]) {
        const allowed = exchange.headers.get('access-control-allow-origin') ?? '';
        const isRefused = allowed !== '*' && allowed !== unlistedOrigin;
        expect(isRefused, 'no access for an unlisted origin', `Access-Control-Allow-Origin: ${allowed}`);
      }
    },
  ),
  check(
    'cors.allowed',
    'lets pages of an allowed origin create invoices, and read checkouts with their ETag and Retry-After headers',
    'Answer exactly this origin in Access-Control-Allow-Origin, Vary: Origin, and expose ETag and Retry-After; with errors too.',
    async (context) => {
      const origin = requireAllowedOrigin(context);
      const headers = { origin, 'sec-fetch-site': 'cross-site' };
      for (const exchange of [await context.read(headers), await expectAccepted(context, { headers })]) {
        expectOrigin(exchange, origin);
        expectListed(exchange, 'access-control-expose-headers', 'etag', 'retry-after');
      }
    },
  ),
  check(
    'cors.preflight',
    'answers the preflight of an allowed origin with 204, the methods and the headers of the API',
    'Answer OPTIONS with 204, Access-Control-Allow-Methods with GET and POST, and Access-Control-Allow-Headers with content-type, idempotency-key, if-none-match and prefer.',
    async (context) => {
      const origin = requireAllowedOrigin(context);
      const exchange = await sendPreflight(context, origin);
      expect(exchange.status === 204, 'HTTP 204', exchange);
      expectOrigin(exchange, origin);
      expectListed(exchange, 'access-control-allow-methods', 'get', 'post');
      expectListed(exchange, 'access-control-allow-headers', ...preflightHeaders);
    },
  ),
];

export const refusedRequestChecks: CheckGroup = {
  title: 'Refused requests',
  checkoutKind: 'first',
  checks: [
    check(
      'request.key',
      'refuses a write whose Idempotency-Key is missing, empty or not visible ASCII',
      'Answer 400 invalid_request before anything is stored.',
      refusesInvalid(400, ...[null, '', 'a key', 'cl\u00e9'].map((key) => ({ key }))),
    ),
    check(
      'request.json',
      'refuses a body that is not a JSON object',
      'Answer 400 invalid_request; catch the errors of the JSON parser, also for deep nesting and invalid UTF-8.',
      refusesInvalid(400, ...notJsonObjects.map((body) => ({ body }))),
    ),
    check(
      'request.members',
      'refuses members of the wrong type',
      'Check the body against the schema CreateInvoiceBody: strings are strings, amounts are decimal strings, replace is true or false.',
      refuses(400, 'invalid_request', async (context) =>
        bodiesWithWrongMember(await buildValidBody(context)).map(([, body]) => [body]),
      ),
    ),
    check(
      'request.detail',
      'names the member that is wrong in `detail`',
      'Begin `detail` with the path of the first wrong member: "replace: must be true or false".',
      async (context) => {
        for (const [name, body] of bodiesWithWrongMember(await buildValidBody(context))) {
          const exchange = await context.create(body);
          const text = problemOf(exchange)?.detail ?? 'none';
          expect(text.includes(name), `\`detail\` with ${name}`, text, exchange);
        }
      },
    ),
    check(
      'request.media_type',
      'refuses a body that is not application/json',
      'Answer 415 invalid_request: forms and text/plain are the types that pages of other sites can send without a preflight. Parameters such as charset are accepted.',
      async (context) => {
        await refusesOtherTypes(context);
        await expectAccepted(context, { headers: { 'content-type': 'application/json; charset=utf-8' } });
      },
    ),
    check(
      'request.lengths',
      'answers texts at their longest, texts that are one longer, and texts of a million characters, as the API says',
      'Count the bytes of a body as they arrive. Refuse more than 16,384 with 413, and a key or an id of over 200 characters with 400: a key that the database truncates collides with others. Ignore other headers that are too long.',
      async (context) => {
        for (const row of textLengths) await expectAnswers(context, ...row);
        await context.readCheckout();
      },
    ),
    check(
      'request.unknown_method',
      'refuses a payment method that it does not offer',
      'Look payment_method_id up among the options of this checkout; answer 422 method_unavailable.',
      refuses(422, 'method_unavailable', async (context) => {
        await readOpenCheckout(context);
        return [`pm_${randomUUID()}`, 'x'].map((payment_method_id) => [{ payment_method_id }]);
      }),
    ),
    check(
      'request.method_unavailable',
      'refuses a payment method that is not available',
      'Answer 422 method_unavailable when `available` is false.',
      refuses(422, 'method_unavailable', async (context) => {
        const unavailable = (await readOpenCheckout(context)).options.find(({ available }) => !available);
        if (unavailable === undefined) throw new NotRun('every payment option of this checkout is available');
        return [[{ payment_method_id: unavailable.id }]];
      }),
    ),
    ...crossOriginChecks,
    check(
      'request.nothing_made',
      'creates no invoice for any of the refused writes',
      'Check the whole request before calling the invoice service.',
      async (context) => {
        await readOpenCheckout(context);
        expectState(await context.readCheckout(), 'open', { invoice: false });
      },
    ),
  ],
};

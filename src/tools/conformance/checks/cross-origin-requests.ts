import type { Check, CheckContext } from '../check.ts';
import { expect, NotRun } from '../expect.ts';
import type { Exchange } from '../backend-client.ts';
import { expectAccepted, expectInvalid } from '../expect-refusal.ts';

const unlistedOrigin = 'https://elsewhere.example';

const crossSiteWriteCheck: Check = {
  id: 'request.cross_site',
  clause: 'Rules of HTTP: a write whose Origin is not allowed',
  rule: 'refuses a write that a page of another site sends',
  fix: 'Compare Origin with your own origin and the allowed origins, and refuse Sec-Fetch-Site: cross-site: 403 invalid_request.',
  run: (context) =>
    expectInvalid(
      context,
      [{ origin: unlistedOrigin }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }].map((headers) => ({
        headers,
      })),
      403,
    ),
};

const sameOriginWriteCheck: Check = {
  id: 'request.same_origin',
  clause: 'Rules of HTTP: Sec-Fetch-Site: same-origin',
  rule: 'accepts a write from a page of its own origin, and a write that no browser sent',
  fix: 'Accept Sec-Fetch-Site: same-origin, which only the browser can set, and a write with neither Origin nor Sec-Fetch-Site.',
  async run(context) {
    const { origin } = new URL(context.backend.endpoint);
    const site = { 'sec-fetch-site': 'same-origin' };
    for (const headers of [{}, { origin }, site, { origin, ...site }]) await expectAccepted(context, { headers });
  },
};

const unlistedOriginReadCheck: Check = {
  id: 'request.cors',
  clause: 'Rules of HTTP: a read from a page whose origin is not allowed',
  rule: 'allows only pages of listed origins to read its responses',
  fix: 'Answer Access-Control-Allow-Origin only to listed origins: never *, never the echo of any Origin.',
  async run(context) {
    for (const exchange of [
      await context.backend.read(context.capability, { origin: unlistedOrigin }),
      await sendPreflight(context, unlistedOrigin),
    ]) {
      const allowed = exchange.headers.get('access-control-allow-origin');
      expect(
        allowed !== '*' && allowed !== unlistedOrigin,
        'no access for an unlisted origin',
        `Access-Control-Allow-Origin: ${allowed ?? ''}`,
      );
    }
  },
};

/** The request headers of the API as a preflight lists them: a browser sends their names in lower case. */
const preflightHeaders = ['content-type', 'idempotency-key', 'if-none-match', 'prefer'];

/** Sends the preflight that a browser sends before a page of another origin may write. */
function sendPreflight({ backend, capability }: CheckContext, origin: string): Promise<Exchange> {
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': preflightHeaders.join(','),
  };
  return backend.sendOther(capability, '/invoice', { method: 'OPTIONS', headers });
}

function requireAllowedOrigin({ allowedOrigin: origin }: CheckContext): string {
  if (origin === undefined) throw new NotRun('it needs an origin that the backend allows: give --allowed-origin');
  return origin;
}

/** Throws a `Violation` unless the response allows pages of exactly this origin to read it. */
function expectOrigin(exchange: Exchange, origin: string): void {
  const allowed = exchange.headers.get('access-control-allow-origin') ?? 'none';
  expect(allowed === origin, `Access-Control-Allow-Origin: ${origin}`, allowed, exchange);
  expect(
    listHeaderItems(exchange, 'vary').includes('origin'),
    'Vary: Origin',
    exchange.headers.get('vary') ?? 'none',
    exchange,
  );
}

/** The items of a header that is a list, in lower case. */
function listHeaderItems({ headers }: Exchange, name: string): readonly string[] {
  return (headers.get(name) ?? '').split(',').map((item) => item.trim().toLowerCase());
}

function expectListed(exchange: Exchange, name: string, expectedItems: readonly string[]): void {
  const missingItems = expectedItems.filter((item) => !listHeaderItems(exchange, name).includes(item));
  expect(
    missingItems.length === 0,
    `${name} with ${expectedItems.join(', ')}`,
    exchange.headers.get(name) ?? 'none',
    exchange,
  );
}

const allowedOriginCheck: Check = {
  id: 'cors.allowed',
  clause: 'Rules of HTTP: an allowed origin',
  rule: 'lets pages of an allowed origin create invoices, and read checkouts with their ETag and Retry-After headers',
  fix: 'Answer exactly this origin in Access-Control-Allow-Origin, Vary: Origin, and expose ETag and Retry-After; with errors too.',
  async run(context) {
    const origin = requireAllowedOrigin(context);
    const read = await context.backend.read(context.capability, { origin, 'sec-fetch-site': 'cross-site' });
    const write = await expectAccepted(context, { headers: { origin, 'sec-fetch-site': 'cross-site' } });
    for (const exchange of [read, write]) {
      expectOrigin(exchange, origin);
      expectListed(exchange, 'access-control-expose-headers', ['etag', 'retry-after']);
    }
  },
};

const preflightCheck: Check = {
  id: 'cors.preflight',
  clause: 'Rules of HTTP: preflight 204 for GET, POST and the headers',
  rule: 'answers the preflight of an allowed origin with 204, the methods and the headers of the API',
  fix: 'Answer OPTIONS with 204, Access-Control-Allow-Methods with GET and POST, and Access-Control-Allow-Headers with content-type, idempotency-key, if-none-match and prefer.',
  async run(context) {
    const origin = requireAllowedOrigin(context);
    const exchange = await sendPreflight(context, origin);
    expect(exchange.status === 204, 'HTTP 204', exchange);
    expectOrigin(exchange, origin);
    expectListed(exchange, 'access-control-allow-methods', ['get', 'post']);
    expectListed(exchange, 'access-control-allow-headers', preflightHeaders);
  },
};

/** Checks of which origins' pages may read and write. */
export const crossOriginChecks: readonly Check[] = [
  crossSiteWriteCheck,
  sameOriginWriteCheck,
  unlistedOriginReadCheck,
  allowedOriginCheck,
  preflightCheck,
];

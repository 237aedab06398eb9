import type { Check, CheckContext } from '../check.ts';
import { expect, NotRun } from '../violation.ts';
import type { Exchange } from '../backend-client.ts';
import { expectAccepted, expectInvalid } from '../expect-refusal.ts';

const foreign = 'https://elsewhere.example';

const crossSite: Check = {
  id: 'request.cross_site',
  clause: 'Rules of HTTP: a write whose Origin is not allowed',
  rule: 'refuses a write that a page of another site sends',
  fix: 'Compare Origin with your own and the listed ones, and refuse Sec-Fetch-Site: cross-site: 403 invalid_request.',
  run: (context) =>
    expectInvalid(
      context,
      [{ origin: foreign }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }].map((headers) => ({ headers })),
      403,
    ),
};

const sameOrigin: Check = {
  id: 'request.same_origin',
  clause: 'Rules of HTTP: Sec-Fetch-Site: same-origin',
  rule: 'accepts a write of a page of its own origin, and one from outside of a browser',
  fix: 'Accept Sec-Fetch-Site: same-origin, which only the browser can set, and a write with neither Origin nor Sec-Fetch-Site.',
  async run(context) {
    const { origin } = new URL(context.backend.endpoint);
    const site = { 'sec-fetch-site': 'same-origin' };
    for (const headers of [{}, { origin }, site, { origin, ...site }]) await expectAccepted(context, { headers });
  },
};

const cors: Check = {
  id: 'request.cors',
  clause: 'Rules of HTTP: a read from a page whose origin is not allowed',
  rule: 'allows only pages of listed origins to read its answers',
  fix: 'Answer Access-Control-Allow-Origin only to listed origins: never *, never the echo of any Origin.',
  async run(context) {
    for (const exchange of [
      await context.backend.read(context.checkout, { origin: foreign }),
      await preflight(context, foreign),
    ]) {
      const allowed = exchange.headers.get('access-control-allow-origin');
      expect(allowed !== '*' && allowed !== foreign, 'no access for an unlisted origin', `${allowed ?? ''} is allowed`);
    }
  },
};

/** The request headers of the API as a preflight lists them: a browser sends their names in lower case. */
const preflightHeaders = ['content-type', 'idempotency-key', 'if-none-match', 'prefer'];

/** Sends the preflight that a browser sends before a page of another origin may write. */
function preflight({ backend, checkout }: CheckContext, origin: string): Promise<Exchange> {
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': preflightHeaders.join(','),
  };
  return backend.sendOther(checkout, '/invoice', { method: 'OPTIONS', headers });
}

function allowedOrigin({ allowedOrigin: origin }: CheckContext): string {
  if (origin === undefined) throw new NotRun('it needs an origin that the backend allows: give --allowed-origin');
  return origin;
}

/** Throws a `Violation` unless the answer allows pages of exactly this origin to read it. */
function expectOrigin(exchange: Exchange, origin: string): void {
  const allowed = exchange.headers.get('access-control-allow-origin') ?? 'none';
  expect(allowed === origin, `Access-Control-Allow-Origin: ${origin}`, allowed, exchange);
  expect(listOf(exchange, 'vary').includes('origin'), 'Vary: Origin', exchange.headers.get('vary') ?? 'none', exchange);
}

/** The items of a header that is a list, in lower case. */
function listOf({ headers }: Exchange, name: string): readonly string[] {
  return (headers.get(name) ?? '').split(',').map((item) => item.trim().toLowerCase());
}

function expectListed(exchange: Exchange, name: string, wanted: readonly string[]): void {
  const missing = wanted.filter((item) => !listOf(exchange, name).includes(item));
  expect(missing.length === 0, `${name} with ${wanted.join(', ')}`, exchange.headers.get(name) ?? 'none', exchange);
}

const allowed: Check = {
  id: 'cors.allowed',
  clause: 'Rules of HTTP: an allowed origin',
  rule: 'lets pages of an allowed origin read a checkout with its headers, and write',
  fix: 'Answer exactly this origin in Access-Control-Allow-Origin, Vary: Origin, and expose ETag and Retry-After; also with errors.',
  async run(context) {
    const origin = allowedOrigin(context);
    const read = await context.backend.read(context.checkout, { origin, 'sec-fetch-site': 'cross-site' });
    const write = await expectAccepted(context, { headers: { origin, 'sec-fetch-site': 'cross-site' } });
    for (const exchange of [read, write]) {
      expectOrigin(exchange, origin);
      expectListed(exchange, 'access-control-expose-headers', ['etag', 'retry-after']);
    }
  },
};

const preflighted: Check = {
  id: 'cors.preflight',
  clause: 'Rules of HTTP: preflight 204 for GET, POST and the headers',
  rule: 'answers the preflight of an allowed origin with 204, the methods and the headers of the API',
  fix: 'Answer OPTIONS with 204, Access-Control-Allow-Methods with GET and POST, and Access-Control-Allow-Headers with content-type, idempotency-key, if-none-match and prefer.',
  async run(context) {
    const origin = allowedOrigin(context);
    const exchange = await preflight(context, origin);
    expect(exchange.status === 204, 'HTTP 204', exchange);
    expectOrigin(exchange, origin);
    expectListed(exchange, 'access-control-allow-methods', ['get', 'post']);
    expectListed(exchange, 'access-control-allow-headers', preflightHeaders);
  },
};

/** Checks of the origins whose pages may read and write. */
export const originChecks: readonly Check[] = [crossSite, sameOrigin, cors, allowed, preflighted];

import { hash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { steadyClock } from '../base/clock.ts';
import { readJsonBody } from '../base/read-limited-body.ts';
import { retryAfter } from '../base/retry-after.ts';
import type {
  CheckoutServer,
  Clock,
  Log,
  CreateCheckoutParams,
  LinkedCheckout,
  OutcomesQuery,
  ResolveParams,
  UpdateCheckoutParams,
} from '../server.ts';
import { createAddressLimit } from '../server-internals.ts';
import { parseTimestamp } from '../service-api.ts';
import {
  findOtherName,
  isSnakeCase,
  toCamelCase,
  toCamelCaseName,
  toSnakeCase,
  toSnakeCaseName,
} from './snake-case-json.ts';
import { acceptedEncoding, compressAs, quickQuality } from './compress.ts';
import { pageHeaders } from './security-headers.ts';
import { isFromOtherOrigin, problem, type App } from './problem-responses.ts';

/** The longest `wait` of the feed, in seconds. */
export const maxWaitSeconds = 30;
/** How many requests with a wrong token an address may send in a burst, and per minute. */
const wrongTokenAllowance = { burst: 10, perMinute: 10 };

export interface AdminApiOptions {
  readonly checkouts: Pick<
    CheckoutServer,
    'create' | 'get' | 'list' | 'update' | 'check' | 'close' | 'reopen' | 'link' | 'resolve' | 'outcomes' | 'redeliver'
  >;
  /** The accepted tokens: two while one replaces the other. */
  readonly tokens: readonly string[];
  /** The address of the pay pages. */
  readonly publicUrl: string;
  /** The currencies that a payment can be made in on the operator's page, the first of which is preselected. */
  readonly currencies: readonly string[];
  /** Whether the payments are tests, which the operator's page says. */
  readonly isTest: boolean;
  /** Whether the operator's page shows the QR code of a pay page. */
  readonly pageQr: boolean;
  /** The file of the operator's page, the package's `dist/operator/operator-page.js`. */
  readonly operatorPage: string;
  /** The file of the OpenAPI document, the package's `docs/openapi/server.json`. */
  readonly openApi: string;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Nothing but the page's own script and the admin API. Lit adopts style sheets, which no directive forbids. */
const operatorHeaders = pageHeaders([
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
]);

const operatorPageHtml = ({
  currencies,
  isTest,
  pageQr,
}: Pick<AdminApiOptions, 'currencies' | 'isTest' | 'pageQr'>): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="data:," />
    <title>Payments</title>
    <script type="module" src="admin/operator-page.js"></script>
  </head>
  <body><operator-page currencies="${currencies.join(' ')}"${isTest ? ' test' : ''}${pageQr ? '' : ' no-qr'}></operator-page><noscript>This page needs JavaScript.</noscript></body>
</html>
`;

/**
 * Adds the admin API, which the shop's own server and the operator's page call (docs/standalone-server.md). It has no CORS for
 * browsers, and refuses requests that come from pages of another site or origin.
 */
export function addAdminRoutes(
  app: App,
  { checkouts, tokens, publicUrl, operatorPage, openApi, log, clock = steadyClock, ...page }: AdminApiOptions,
) {
  const authorize = createAuthorization(tokens, clock, log);

  // Whoever opens the operator's page sees a form for the admin token; everything else comes from the admin API.
  app.get('/admin', (c) => c.html(operatorPageHtml(page), 200, operatorHeaders));
  app.get('/admin/', (c) => c.redirect('../admin')); // relative, because a proxy may serve it under a path
  const addFile = (path: string, file: string, type: string): void => {
    app.get(path, async (c) => {
      const { body, encoding } = await compressAs(acceptedEncoding(c.req.raw), await readFile(file), quickQuality);
      return c.body(body, 200, { ...operatorHeaders, ...encoding, 'content-type': type });
    });
  };
  addFile('/admin/operator-page.js', operatorPage, 'text/javascript; charset=utf-8');
  addFile('/openapi.json', openApi, 'application/json');

  app.use('/admin/*', async (c, next) => {
    if (isFromOtherOrigin(c.req.raw)) throw problem('origin_not_allowed');
    const tokenNumber = authorize(c.req.raw, c.env.address);
    await next();
    c.res.headers.set('cache-control', 'no-store');
    log('info', 'admin_call', {
      method: c.req.method,
      path: c.req.path.replaceAll(/chk_[\w-]+/g, 'chk_…'), // a capability opens the checkout to whoever reads the log
      status: c.res.status,
      token: tokenNumber,
      address: c.env.address,
    });
  });

  const withUrl = (checkout: LinkedCheckout) => ({ ...checkout, url: `${publicUrl}/pay/${checkout.capability}` });
  const answer = (checkout: object): Response => Response.json(toSnakeCase(checkout));

  app.get('/admin/checkouts', async (c) => {
    const query = readQuery(c.req.queries(), [
      'order_id',
      'search',
      'undelivered',
      'needs_decision',
      'kind',
      'status',
      'created_after',
      'created_before',
      'limit',
      'cursor',
    ]);
    return Response.json(toSnakeCase(await checkouts.list(query)));
  });

  app.post('/admin/checkouts', async (c) => {
    const params = await readParams<CreateCheckoutParams>(c.req.raw, clock);
    const { isNew, ...checkout } = await checkouts.create(params);
    return Response.json(toSnakeCase(withUrl(checkout)), { status: isNew ? 201 : 200 });
  });

  app.get('/admin/checkouts/:id', async (c) => {
    const checkout = await checkouts.get(c.req.param('id'));
    if (checkout === undefined) throw problem('not_found');
    return answer(checkout);
  });

  app.patch('/admin/checkouts/:id', async (c) => {
    const changes = await readParams<UpdateCheckoutParams>(c.req.raw, clock);
    return answer(await checkouts.update(c.req.param('id'), changes));
  });

  app.post('/admin/checkouts/:id/check', async (c) => answer(await checkouts.check(c.req.param('id'))));

  app.post('/admin/checkouts/:id/close', async (c) => answer(await checkouts.close(c.req.param('id'))));

  app.post('/admin/checkouts/:id/reopen', async (c) => answer(await checkouts.reopen(c.req.param('id'))));

  app.post('/admin/checkouts/:id/link', async (c) => answer(withUrl(await checkouts.link(c.req.param('id')))));

  app.post('/admin/checkouts/:id/resolve', async (c) => {
    const params = await readParams<ResolveParams>(c.req.raw, clock);
    return answer(await checkouts.resolve(c.req.param('id'), params));
  });

  app.get('/admin/outcomes', async (c) => {
    const { wait, ...query } = readQuery(c.req.queries(), ['after', 'limit', 'wait']);
    const waitMs = typeof wait === 'number' ? Math.min(wait, maxWaitSeconds) * 1000 : wait;
    const page = await checkouts.outcomes(
      outcomesQuerySchema.parse({ ...query, ...(wait !== undefined && { waitMs }) }),
    );
    return Response.json(toSnakeCase(page));
  });

  app.post('/admin/outcomes/:id/redeliver', async (c) => {
    const id = c.req.param('id');
    await checkouts.redeliver(id);
    return Response.json({ id, status: 'queued' }, { status: 202 });
  });
}

/**
 * Compares the bearer token in constant time, and returns the position of the token in the list, from 1. A wrong token is
 * answered with 401 and logged, and with 429 when an address sends many. The right token is accepted even then: behind a proxy that is
 * not configured, all clients have one address, and wrong tokens of other clients must not lock the shop out.
 */
function createAuthorization(tokens: readonly string[], clock: Clock, log: Log) {
  const expectedDigests = tokens.map((token) => sha256(`Bearer ${token}`));
  const wrongTokenLimit = createAddressLimit(wrongTokenAllowance, clock);
  return ({ headers }: Request, address: string | undefined): number => {
    const digest = sha256((headers.get('authorization') ?? '').replace(/^bearer +/i, 'Bearer '));
    const matches = expectedDigests.map((expected) => timingSafeEqual(digest, expected));
    if (matches.includes(true)) return matches.indexOf(true) + 1;
    const waitMs = wrongTokenLimit.wait(address);
    if (waitMs !== undefined) throw problem('rate_limited', { headers: retryAfter(waitMs) });
    wrongTokenLimit.take(address);
    log('warn', 'admin_token_refused', { address });
    throw problem('unauthorized', { headers: { 'www-authenticate': 'Bearer' } });
  };
}

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/** `outcomes` validates the members. */
const outcomesQuerySchema = z.custom<OutcomesQuery>();

/** Reads the body of a request as the parameters of a call, which validates them. Here only the body's form is checked. */
async function readParams<T extends object>(request: Request, clock: Clock): Promise<T> {
  const body = await readJsonBody(request, clock);
  const otherName = findOtherName(body);
  if (otherName !== undefined) {
    const meant = toSnakeCaseName(otherName);
    throw invalidRequest(
      `${otherName}: is unknown${meant.split('.').every(isSnakeCase) ? `: did you mean ${meant}?` : ''}`,
    );
  }
  const paramsSchema = z.custom<T>((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
  const params = paramsSchema.safeParse(parseExpiresAt(toCamelCase(body)));
  if (!params.success) throw invalidRequest('body: must be a JSON object');
  return params.data;
}

/** Converts `expiresAt` from RFC 3339, as it is in JSON, to milliseconds since 1970. */
function parseExpiresAt(params: unknown): unknown {
  if (typeof params !== 'object' || params === null || !('expiresAt' in params) || params.expiresAt === null)
    return params;
  return { ...params, expiresAt: readTime('expires_at', params.expiresAt) };
}

/** Milliseconds since 1970. */
function readTime(name: string, value: unknown): number {
  const ms = typeof value === 'string' ? parseTimestamp(value) : undefined;
  if (ms === undefined) throw invalidRequest(`${name}: must be an RFC 3339 time such as 2026-11-20T10:00:00Z`);
  return ms;
}

/**
 * Reads a query as the parameter of a call: names to camelCase, RFC 3339 times and whole numbers to numbers. The call validates
 * the result. An empty member is refused: it comes of a variable that is not set, and would select everything. So is one that is
 * given twice, of which one would be ignored.
 */
function readQuery(
  query: Readonly<Record<string, readonly string[]>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const repeated = Object.entries(query).find(([, texts]) => texts.length > 1);
  if (repeated !== undefined) throw invalidRequest(`${repeated[0]}: must be given once`);
  const members = Object.entries(query).map(([name, [text = '']]) => [name, text] as const);
  const unknown = members.find(([name]) => !names.includes(name));
  if (unknown !== undefined) throw invalidRequest(`${unknown[0]}: is unknown`);
  const empty = members.find(([, text]) => text === '');
  if (empty !== undefined) throw invalidRequest(`${empty[0]}: must not be empty`);
  const toValue = (name: string, text: string): unknown => {
    const isFlag = name === 'undelivered' || name === 'needs_decision';
    if (isFlag && text !== '1') throw invalidRequest(`${name}: must be 1`);
    if (isFlag) return true;
    if (name.startsWith('created_')) return readTime(name, text);
    const isWhole = /^\d{1,9}$/.test(text);
    if (name === 'wait' && !isWhole) throw invalidRequest(`${name}: must be a whole number of seconds from 0`);
    return (name === 'limit' || name === 'wait') && isWhole ? Number(text) : text;
  };
  return Object.fromEntries(members.map(([name, text]) => [toCamelCaseName(name), toValue(name, text)]));
}

function invalidRequest(detail: string): Error {
  return problem('invalid_request', { detail });
}

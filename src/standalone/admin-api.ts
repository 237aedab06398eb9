import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { systemClock, withTimeout } from '../base/clock.ts';
import { BodyError, readBody } from '../base/read-limited-body.ts';
import {
  CheckoutConflictError,
  CheckoutParamsError,
  createAddressLimit,
  type CheckoutServer,
  type CheckoutStore,
  type Clock,
  type Log,
  type CreateCheckoutParams,
} from '../server.ts';
import { parseTimestamp } from '../service-api.ts';
import { findCamelCase, toCamelCase, toSnakeCase, withJsonNames } from './snake-case-json.ts';
import { problem, type App } from './problem.ts';

const maxBodyBytes = 16 * 1024;
const bodyTimeoutMs = 10_000;
/** How many requests with a wrong token an address may send in a burst, and per minute. */
const wrongTokenAllowance = { burst: 20, perMinute: 20 };

export interface AdminApiOptions {
  readonly checkouts: Pick<CheckoutServer, 'create' | 'get' | 'list' | 'close'>;
  /** The outbox of the store. */
  readonly outcomes: Pick<CheckoutStore, 'listOutcomes' | 'redeliverOutcome'>;
  /** The accepted tokens: two while one replaces the other. */
  readonly tokens: readonly string[];
  readonly log: Log;
  readonly clock?: Clock;
}

/** Adds the admin API, which the shop's own server calls (docs/standalone-server.md). It has no CORS for browsers. */
export function addAdminRoutes(app: App, { checkouts, outcomes, tokens, log, clock = systemClock }: AdminApiOptions) {
  const authorize = createAuthorization(tokens, clock);

  app.use('/admin/*', async (c, next) => {
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

  const findCheckout = async (id: string): Promise<Response> => {
    const checkout = await checkouts.get(id);
    if (checkout === undefined) throw problem('not_found');
    return Response.json(toSnakeCase({ ...checkout, outcomes: await outcomes.listOutcomes(id) }));
  };

  app.get('/admin/checkouts', async (c) => {
    const orderId = c.req.query('order_id') ?? '';
    if (orderId === '') throw invalidRequest('order_id: must be in the query');
    return Response.json({ checkouts: toSnakeCase(await checkouts.list({ orderId })) });
  });

  app.post('/admin/checkouts', async (c) => {
    const params = await readParams(c.req.raw, clock);
    const { isNew, ...checkout } = await checkouts.create(params).catch(throwProblem);
    return Response.json(toSnakeCase(checkout), { status: isNew ? 201 : 200 });
  });

  app.get('/admin/checkouts/:id', (c) => findCheckout(c.req.param('id')));

  app.post('/admin/checkouts/:id/close', async (c) => {
    await checkouts.close(c.req.param('id'));
    return findCheckout(c.req.param('id'));
  });

  app.post('/admin/outcomes/:id/retry', async (c) => {
    const id = c.req.param('id');
    // The due time is 0, because the clock of the database may be behind this machine's clock.
    if (!(await outcomes.redeliverOutcome(id, 0))) throw problem('not_found');
    return Response.json({ id, status: 'queued' }, { status: 202 });
  });
}

/**
 * Compares the bearer token in constant time, and returns the position of the token in the list, from 1. A wrong token is
 * answered with 401, and with 429 when an address sends many. The right token is accepted even then: behind a proxy that is
 * not configured, all clients have one address, and wrong tokens of other clients must not lock the shop out.
 */
function createAuthorization(tokens: readonly string[], clock: Clock) {
  const expectedDigests = tokens.map((token) => sha256(`Bearer ${token}`));
  const wrongTokenLimit = createAddressLimit(wrongTokenAllowance, clock);
  return ({ headers }: Request, address: string | undefined): number => {
    const digest = sha256((headers.get('authorization') ?? '').replace(/^bearer +/i, 'Bearer '));
    const matches = expectedDigests.map((expected) => timingSafeEqual(digest, expected));
    if (matches.includes(true)) return matches.indexOf(true) + 1;
    const waitMs = wrongTokenLimit.wait(address);
    if (waitMs !== undefined)
      throw problem('rate_limited', { headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) } });
    wrongTokenLimit.take(address);
    throw problem('unauthorized', { headers: { 'www-authenticate': 'Bearer' } });
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Only checks that the body is an object: `checkouts.create` validates the parameters. */
const paramsSchema = z.custom<CreateCheckoutParams>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** Reads the body of a request as the parameters of `create`. */
async function readParams(request: Request, clock: Clock): Promise<CreateCheckoutParams> {
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? ''))
    throw problem('invalid_request', { status: 415, detail: 'content-type: must be application/json' });
  const body = parseJson(await readText(request, clock));
  const camelCaseName = findCamelCase(body);
  if (camelCaseName !== undefined)
    throw invalidRequest(`${camelCaseName.name}: is unknown: did you mean ${camelCaseName.suggestion}?`);
  const params = paramsSchema.safeParse(parseExpiresAt(toCamelCase(body)));
  if (!params.success) throw invalidRequest('body: must be a JSON object');
  return params.data;
}

/** Converts `expiresAt` from RFC 3339, as it is in JSON, to milliseconds since 1970. */
function parseExpiresAt(params: unknown): unknown {
  if (typeof params !== 'object' || params === null || !('expiresAt' in params) || params.expiresAt === null)
    return params;
  const expiresAt = typeof params.expiresAt === 'string' ? parseTimestamp(params.expiresAt) : undefined;
  if (expiresAt === undefined)
    throw invalidRequest('expires_at: must be an RFC 3339 time such as 2026-11-20T10:00:00Z');
  return { ...params, expiresAt };
}

async function readText(request: Request, clock: Clock): Promise<string> {
  try {
    const body = new Response(request.body);
    return await withTimeout(clock, bodyTimeoutMs, (signal) => readBody(body, maxBodyBytes, signal, true));
  } catch (error) {
    if (error instanceof BodyError && error.reason === 'too_large')
      throw problem('invalid_request', { status: 413, detail: `body: must have at most ${maxBodyBytes} bytes` });
    if (error instanceof BodyError && error.reason === 'not_utf8') throw invalidRequest('body: must be UTF-8');
    throw problem('invalid_request', { status: 408, detail: 'body: was cut short, or took too long' });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest('body: must be JSON');
  }
}

function invalidRequest(detail: string): Error {
  return problem('invalid_request', { detail });
}

/** Converts errors of `checkouts.create` to problems, with the parameter names of JSON. */
function throwProblem(error: unknown): never {
  if (error instanceof CheckoutParamsError) throw invalidRequest(withJsonNames(error.message));
  if (error instanceof CheckoutConflictError) throw problem('order_conflict', { detail: withJsonNames(error.message) });
  throw error;
}

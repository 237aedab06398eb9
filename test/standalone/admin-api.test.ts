import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { adminRoutes } from '../../src/standalone/admin-api.ts';
import { createRouter } from '../../src/standalone/router.ts';
import { StoreUnavailableError } from '../../src/server.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

const token = 'a-token-of-24-characters';
const checkoutJson = z.object({ id: z.string(), status: z.string(), order_id: z.string() }).loose();

/** @param aheadMs how far the clock of the admin API's machine is ahead of the database's */
function open(shared?: TestCheckoutServer['store'], aheadMs = 0) {
  const harness = new TestCheckoutServer(shared && { store: shared });
  const { server: checkouts, store: outcomes } = harness;
  const clock = { ...harness.clock, now: () => harness.clock.now() + aheadMs };
  const lines: string[] = [];
  const handle = createRouter(adminRoutes({ checkouts, outcomes, token, clock }), (_, event) => lines.push(event));
  const send = async (method: string, path: string, { body, headers = {}, address = '192.0.2.1' }: Sent = {}) => {
    const init = {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && {
        body: typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body),
      }),
    };
    const response = await handle(new Request(`http://127.0.0.1:8080${path}`, init), { address });
    const text = await response.text();
    const json: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, json };
  };
  return { harness, send, lines };
}

interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly address?: string;
}

const order = { order_id: '1001', amount: '1500.00', currency: 'RUB' };
/** A body that is not UTF-8. */
const inWindows1251 = new Blob([
  Buffer.from(JSON.stringify({ ...order, description: '\xc7\xe0\xea\xe0\xe7' }), 'latin1'),
]);
const problemOf = ({ json }: { readonly json: unknown }) =>
  z.object({ status: z.number(), code: z.string(), detail: z.string().optional() }).parse(json);

test('creates a checkout with 201, and answers 200 with the same one for the same parameters', async () => {
  const { send } = open();
  const first = await send('POST', '/admin/checkouts', { body: order });
  assert.equal(first.status, 201);
  assert.equal(first.headers.get('cache-control'), 'no-store');
  assert.equal(first.headers.get('access-control-allow-origin'), null);
  const { id, status, order_id } = checkoutJson.parse(first.json);
  assert.match(id, /^chk_/);
  assert.deepEqual([status, order_id], ['open', '1001']);
  const again = await send('POST', '/admin/checkouts', { body: { ...order, amount: '1500' } });
  assert.deepEqual([again.status, checkoutJson.parse(again.json).id], [200, id]);
});

test('answers one of several concurrent creates with 201 and the others with 200, also with two servers', async () => {
  const { send, harness } = open();
  const second = open(harness.store);
  const senders = [send, second.send, send];
  const answers = await Promise.all(senders.map((one) => one('POST', '/admin/checkouts', { body: order })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 201]);
  assert.equal(new Set(answers.map(({ json }) => checkoutJson.parse(json).id)).size, 1);
});

test('answers 409 order_conflict with the name of the parameter when the order has a checkout with other parameters', async () => {
  const { send } = open();
  await send('POST', '/admin/checkouts', { body: { ...order, success_url: 'https://shop.example/a' } });
  const other = await send('POST', '/admin/checkouts', { body: { ...order, success_url: 'https://shop.example/b' } });
  const { status, code, detail } = problemOf(other);
  assert.deepEqual([other.status, status, code], [409, 409, 'order_conflict']);
  assert.match(detail ?? '', /^success_url: /);
});

for (const [body, path] of [
  [{ ...order, amount: 1500 }, 'amount'],
  [{ ...order, amount: undefined }, 'amount'],
  [{ amount: '1.00', currency: 'RUB' }, 'order_id'],
  [{ ...order, orderId: '1' }, 'orderId'],
  [{ ...order, ammount: '1' }, 'ammount'],
  [{ ...order, amount: undefined, amount_limits: { min_amount: 'x' } }, 'amount_limits.min_amount'],
  [{ ...order, amount: undefined, amount_limits: { minAmount: '1' } }, 'amount_limits.minAmount'],
  [{ ...order, success_url: 'http://other.example/' }, 'success_url'],
  [{ ...order, expires_at: 'tomorrow' }, 'expires_at'],
  [{ ...order, expires_at: 1795000000000 }, 'expires_at'],
  [[], 'body'],
  ['{', 'body'],
  [inWindows1251, 'body'],
] as const)
  test(`answers 400 that names ${path} for ${body instanceof Blob ? 'a body in windows-1251' : JSON.stringify(body)}`, async () => {
    const response = await open().send('POST', '/admin/checkouts', { body });
    const { code, detail } = problemOf(response);
    assert.deepEqual([response.status, code, detail?.split(':')[0]], [400, 'invalid_request', path]);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
  });

test('accepts every parameter, times as RFC 3339, and does not change the names in metadata', async () => {
  const { send, harness } = open();
  const expires_at = new Date(harness.clock.now() + 3_600_000).toISOString();
  const more = {
    reference: 'R-1',
    expires_at,
    metadata: { aB_c: 1 },
    description: 'Tea',
    fail_url: 'https://a.example/',
  };
  const { status, json } = await send('POST', '/admin/checkouts', { body: { ...order, ...more } });
  assert.equal(status, 201);
  const known = Object.fromEntries(Object.entries(checkoutJson.parse(json)).filter(([name]) => name in more));
  assert.deepEqual(known, more);
});

test('gets, lists and closes checkouts, and answers 404 for an unknown one', async () => {
  const { send } = open();
  const { id } = checkoutJson.parse((await send('POST', '/admin/checkouts', { body: order })).json);
  const got = checkoutJson
    .extend({ outcomes: z.array(z.unknown()) })
    .parse((await send('GET', `/admin/checkouts/${id}`)).json);
  assert.deepEqual([got.id, got.outcomes], [id, []]);
  const listed = z.object({ checkouts: z.array(checkoutJson) });
  const list = async (query: string) => listed.parse((await send('GET', `/admin/checkouts?${query}`)).json).checkouts;
  assert.deepEqual(
    (await list('order_id=1001')).map((one) => one.id),
    [id],
  );
  assert.deepEqual(await list('order_id=other'), []);
  assert.equal((await send('GET', '/admin/checkouts')).status, 400);
  const closed = await send('POST', `/admin/checkouts/${id}/close`);
  assert.deepEqual([closed.status, typeof checkoutJson.parse(closed.json)['closed_at']], [200, 'string']);
  for (const path of ['/admin/checkouts/chk_none', '/admin/else']) assert.equal((await send('GET', path)).status, 404);
  assert.equal((await send('POST', '/admin/checkouts/chk_none/close')).status, 404);
});

for (const authorization of ['', 'Bearer', 'Bearer wrong', `Basic ${token}`, `Bearer ${token} `.repeat(2)])
  test(`answers 401 to “${authorization}”, also for an unknown checkout`, async () => {
    const { send } = open();
    for (const path of ['/admin/checkouts', '/admin/checkouts/chk_none']) {
      const response = await send('GET', path, { headers: { authorization } });
      assert.deepEqual([response.status, problemOf(response).code], [401, 'unauthorized']);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer');
    }
  });

test('answers 429 after many wrong tokens of one address, and still accepts the right token', async () => {
  const { send } = open();
  const wrong = (address: string) =>
    send('GET', '/admin/checkouts', { headers: { authorization: 'Bearer no' }, address });
  for (let n = 0; n < 20; n += 1) assert.equal((await wrong('192.0.2.1')).status, 401);
  const refused = await wrong('192.0.2.1');
  assert.deepEqual([refused.status, problemOf(refused).code], [429, 'rate_limited']);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal((await wrong('192.0.2.2')).status, 401);
  assert.equal((await send('POST', '/admin/checkouts', { body: order })).status, 201);
});

test('refuses other methods, other content types and large bodies', async () => {
  const { send } = open();
  const put = await send('PUT', '/admin/checkouts');
  assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, HEAD, POST']);
  const text = await send('POST', '/admin/checkouts', { body: order, headers: { 'content-type': 'text/plain' } });
  assert.equal(text.status, 415);
  const large = await send('POST', '/admin/checkouts', { body: { ...order, description: 'x'.repeat(17_000) } });
  assert.equal(large.status, 413);
});

test('answers 503 while the database does not answer, and 500 without details for other failures', async () => {
  const { harness, send, lines } = open();
  harness.store.loadByOrder = () => Promise.reject(new StoreUnavailableError('timeout'));
  const away = await send('POST', '/admin/checkouts', { body: order });
  assert.deepEqual([away.status, problemOf(away).code, away.headers.get('retry-after')], [503, 'try_again', '2']);
  harness.store.loadByOrder = () => Promise.reject(new Error('secret row'));
  const failed = await send('POST', '/admin/checkouts', { body: order });
  assert.deepEqual([failed.status, problemOf(failed).code, lines], [500, 'internal', ['internal']]);
  assert.doesNotMatch(JSON.stringify(failed.json), /secret/);
});

for (const aheadMs of [0, 3_600_000])
  test(`delivers an outcome again after a retry request, with a clock that is ${aheadMs} ms ahead of the database's`, async () => {
    const { harness, send } = open(undefined, aheadMs);
    harness.id = await harness.createCheckout();
    harness.server.start();
    await harness.createInvoice();
    harness.service.setStatus('PAID');
    await harness.advance(10_000);
    const [outcome] = harness.outcomes;
    assert.ok(outcome);
    assert.equal((await send('POST', `/admin/outcomes/${encodeURIComponent(outcome.id)}/retry`)).status, 202);
    await harness.advance(2000);
    assert.deepEqual(
      harness.outcomes.map(({ id }) => id),
      [outcome.id, outcome.id],
    );
    assert.equal((await send('POST', '/admin/outcomes/none/retry')).status, 404);
  });

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { z } from 'zod';
import { StoreUnavailableError } from '../../src/server.ts';
import { defaultTiming } from '../../src/server-internals.ts';
import { outcomeKinds } from '../../src/server/ports/outcome-outbox.ts';
import { checkoutJson, openAdminApi, order, parseProblem, secondToken, token } from './open-admin-api.ts';

/** A body that is not UTF-8. */
const inWindows1251 = new Blob([
  Buffer.from(JSON.stringify({ ...order, description: '\xc7\xe0\xea\xe0\xe7' }), 'latin1'),
]);
test('POST /admin/checkouts creates a checkout with 201, and answers 200 with that checkout to the same parameters', async () => {
  const { send } = openAdminApi();
  const firstResponse = await send('POST', '/admin/checkouts', { body: order });
  assert.equal(firstResponse.status, 201);
  assert.equal(firstResponse.headers.get('cache-control'), 'no-store');
  assert.equal(firstResponse.headers.get('access-control-allow-origin'), null);
  const { id, status, order_id } = checkoutJson.parse(firstResponse.json);
  assert.match(id, /^co_/);
  assert.deepEqual([status, order_id], ['open', '1001']);
  const secondResponse = await send('POST', '/admin/checkouts', { body: { ...order, amount: '1500' } });
  assert.deepEqual([secondResponse.status, checkoutJson.parse(secondResponse.json).id], [200, id]);
});

test('a create for other money than the order’s checkout is answered with 409 order_conflict that names the parameter', async () => {
  const { send } = openAdminApi();
  await send('POST', '/admin/checkouts', { body: order });
  for (const [change, name] of [
    [{ amount: '1500.01' }, 'amount'],
    [{ amount: undefined, amount_limits: { min_amount: '1' } }, 'amount_limits'],
  ] as const) {
    const response = await send('POST', '/admin/checkouts', { body: { ...order, ...change } });
    const { status, code, detail = '' } = parseProblem(response);
    assert.deepEqual([response.status, status, code], [409, 409, 'order_conflict']);
    assert.ok(detail.startsWith(`${name}: `), detail);
  }
  const updated = await send('POST', '/admin/checkouts', { body: { ...order, description: 'Tea' } });
  assert.equal(updated.status, 200);
});

test('a problem names what a client of HTTP can send, and no call of the library', async () => {
  const { send } = openAdminApi();
  const { id } = checkoutJson.parse((await send('POST', '/admin/checkouts', { body: order })).json);
  const detailOf = async (method: string, path: string, body?: unknown): Promise<string | undefined> =>
    parseProblem(await send(method, path, body === undefined ? {} : { body })).detail;
  assert.equal(
    await detailOf('POST', '/admin/checkouts', { ...order, amount: '1' }),
    'amount: the order has a checkout with another value; GET /admin/checkouts?order_id= has its id, and PATCH /admin/checkouts/{id} changes it',
  );
  assert.equal(await detailOf('GET', '/admin/outcomes?wait=soon'), 'wait: must be a whole number of seconds from 0');
  assert.equal(await detailOf('GET', '/admin/checkouts?cursor=a'), 'cursor: must be next_cursor of a page');
  await send('POST', `/admin/checkouts/${id}/close`);
  assert.equal(
    await detailOf('PATCH', `/admin/checkouts/${id}`, { amount: '1' }),
    'id: the checkout is closed; POST /admin/checkouts/{id}/reopen opens it',
  );
});

for (const [body, path] of [
  [{ ...order, amount: 1500 }, 'amount'],
  [{ amount: '1.00', currency: 'RUB' }, 'order_id'],
  [{ ...order, orderId: '1' }, 'orderId'],
  [{ ...order, ammount: '1' }, 'ammount'],
  [{ ...order, amount: undefined, amount_limits: { min_amount: 'x' } }, 'amount_limits.min_amount'],
  [{ ...order, amount: undefined, amount_limits: { minAmount: '1' } }, 'amount_limits.minAmount'],
  [{ ...order, expires_at: 'tomorrow' }, 'expires_at'],
  [[], 'body'],
  ['{', 'body'],
  [inWindows1251, 'body'],
] as const)
  test(`a create is answered with 400 that names ${path} for ${body instanceof Blob ? 'a body in windows-1251' : JSON.stringify(body)}`, async () => {
    const response = await openAdminApi().send('POST', '/admin/checkouts', { body });
    const { code, detail } = parseProblem(response);
    assert.deepEqual([response.status, code, detail?.split(':')[0]], [400, 'invalid_request', path]);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
  });

test('a create accepts every parameter with times as RFC 3339, and does not change the names in metadata', async () => {
  const { send, harness } = openAdminApi();
  const expires_at = new Date(harness.clock.now() + 3_600_000).toISOString();
  const otherParams = {
    reference: 'R-1',
    expires_at,
    metadata: { aB_c: 1 },
    description: 'Tea',
    fail_url: 'https://a.example/',
  };
  const { status, json } = await send('POST', '/admin/checkouts', { body: { ...order, ...otherParams } });
  assert.equal(status, 201);
  const returnedParams = Object.fromEntries(
    Object.entries(checkoutJson.parse(json)).filter(([name]) => name in otherParams),
  );
  assert.deepEqual(returnedParams, otherParams);
});

test('the admin API gets, lists, closes and reopens checkouts, and answers 404 for an unknown checkout', async () => {
  const { send } = openAdminApi();
  const { id } = checkoutJson.parse((await send('POST', '/admin/checkouts', { body: order })).json);
  const receivedCheckout = checkoutJson
    .extend({ outcomes: z.array(z.unknown()) })
    .parse((await send('GET', `/admin/checkouts/${id}`)).json);
  assert.deepEqual([receivedCheckout.id, receivedCheckout.outcomes], [id, []]);
  const listSchema = z.object({ checkouts: z.array(checkoutJson) });
  const list = async (query: string) =>
    listSchema.parse((await send('GET', `/admin/checkouts?${query}`)).json).checkouts;
  assert.deepEqual(
    (await list('order_id=1001')).map((checkout) => checkout.id),
    [id],
  );
  assert.deepEqual(await list('order_id=other'), []);
  assert.equal((await send('GET', '/admin/checkouts?orderId=1001')).status, 400);
  assert.equal((await list('')).length, 1);
  for (const name of [
    'order_id',
    'search',
    'status',
    'undelivered',
    'needs_decision',
    'kind',
    'created_after',
    'created_before',
    'limit',
    'cursor',
  ]) {
    const { status, detail } = parseProblem(await send('GET', `/admin/checkouts?${name}=`));
    assert.deepEqual([status, detail], [400, `${name}: must not be empty`]);
  }
  for (const [query, detail] of [
    ['order_id=1001&order_id=1002', 'order_id: must be given once'],
    ['created_after=1795000000000', 'created_after: must be an RFC 3339 time such as 2026-11-20T10:00:00Z'],
    ['undelivered=true', 'undelivered: must be 1'],
    ['needs_decision=0', 'needs_decision: must be 1'],
    ['kind=paid_twice', `kind: must be one of ${outcomeKinds.join(', ')}`],
  ] as const)
    assert.equal(parseProblem(await send('GET', `/admin/checkouts?${query}`)).detail, detail);
  const closeResponse = await send('POST', `/admin/checkouts/${id}/close`);
  assert.deepEqual([closeResponse.status, typeof checkoutJson.parse(closeResponse.json)['closed_at']], [200, 'string']);
  const created = await send('POST', '/admin/checkouts', { body: order });
  assert.deepEqual([created.status, checkoutJson.parse(created.json).status], [200, 'closed'], 'it stays closed');
  const reopened = await send('POST', `/admin/checkouts/${id}/reopen`);
  assert.deepEqual([reopened.status, checkoutJson.parse(reopened.json).status], [200, 'open']);
  for (const path of ['/admin/checkouts/chk_none', '/admin/else']) assert.equal((await send('GET', path)).status, 404);
  for (const action of ['close', 'reopen', 'link', 'check', 'resolve']) {
    const answer = await send('POST', `/admin/checkouts/chk_none/${action}`, { body: { as: 'void', note: 'seen' } });
    assert.equal(answer.status, 404);
    assert.match(JSON.stringify(answer.json), /"detail":"id: is a capability/);
  }
});

test('a member of an unknown name is told by the name that it has', async () => {
  const { send } = openAdminApi();
  for (const [name, detail] of [
    ['orderId', 'orderId: is unknown: did you mean order_id?'],
    ['amount_Limits', 'amount_Limits: is unknown'],
    ['__proto__', '__proto__: is unknown'],
    ['order__id', 'order__id: is unknown'],
    ['_order_id', '_order_id: is unknown'],
    ['shop_id', 'shop_id: is unknown'],
  ] as const) {
    const body = new Blob([`{"${name}":1,${JSON.stringify(order).slice(1)}`]);
    assert.equal(parseProblem(await send('POST', '/admin/checkouts', { body })).detail, detail);
  }
});

for (const authorization of ['', 'Bearer', 'Bearer wrong', `Basic ${token}`, `Bearer ${token} `.repeat(2)])
  test(`the authorization “${authorization}” is answered with 401, for known and unknown paths`, async () => {
    const { send } = openAdminApi();
    for (const path of ['/admin/checkouts', '/admin/checkouts/chk_none']) {
      const response = await send('GET', path, { headers: { authorization } });
      assert.deepEqual([response.status, parseProblem(response).code], [401, 'unauthorized']);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer');
    }
  });

test('many wrong tokens from one address are answered with 429, and the right token is still accepted', async () => {
  const { send } = openAdminApi();
  const sendWrongToken = (address: string) =>
    send('GET', '/admin/checkouts', { headers: { authorization: 'Bearer no' }, address });
  for (let n = 0; n < 10; n += 1) assert.equal((await sendWrongToken('192.0.2.1')).status, 401);
  const refusedResponse = await sendWrongToken('192.0.2.1');
  assert.deepEqual([refusedResponse.status, parseProblem(refusedResponse).code], [429, 'rate_limited']);
  assert.ok(Number(refusedResponse.headers.get('retry-after')) > 0);
  assert.equal((await sendWrongToken('192.0.2.2')).status, 401);
  assert.equal((await send('POST', '/admin/checkouts', { body: order })).status, 201);
});

test('the admin API refuses other methods with 405, other content types with 415 and large bodies with 413', async () => {
  const { send } = openAdminApi();
  const putResponse = await send('PUT', '/admin/checkouts');
  assert.deepEqual([putResponse.status, putResponse.headers.get('allow')], [405, 'GET, HEAD, POST']);
  const textResponse = await send('POST', '/admin/checkouts', {
    body: order,
    headers: { 'content-type': 'text/plain' },
  });
  assert.equal(textResponse.status, 415);
  const largeResponse = await send('POST', '/admin/checkouts', { body: { ...order, description: 'x'.repeat(17_000) } });
  assert.equal(largeResponse.status, 413);
});

test('a request is answered with 503 while the database does not answer, and with 500 without details for other errors', async () => {
  const { harness, send, lines } = openAdminApi();
  harness.store.loadByOrder = () => Promise.reject(new StoreUnavailableError('timeout'));
  const unavailableResponse = await send('POST', '/admin/checkouts', { body: order });
  assert.deepEqual(
    [
      unavailableResponse.status,
      parseProblem(unavailableResponse).code,
      unavailableResponse.headers.get('retry-after'),
    ],
    [503, 'try_again', '2'],
  );
  harness.store.loadByOrder = () => Promise.reject(new StoreUnavailableError('overloaded', { retryAfterMs: 7001 }));
  const overloadedResponse = await send('POST', '/admin/checkouts', { body: order });
  assert.equal(overloadedResponse.headers.get('retry-after'), '8', 'as the queue of the database says');
  harness.store.loadByOrder = () => Promise.reject(new Error('secret row'));
  const failedResponse = await send('POST', '/admin/checkouts', { body: order });
  assert.deepEqual([failedResponse.status, parseProblem(failedResponse).code, lines], [500, 'internal', ['internal']]);
  assert.doesNotMatch(JSON.stringify(failedResponse.json), /secret/);
});

test("a retry request delivers an outcome again, also when the server's clock is ahead of the database's clock", async () => {
  const { harness, send } = openAdminApi(3_600_000);
  harness.id = await harness.createCheckout();
  harness.server.start();
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(10_000);
  const [outcome] = harness.outcomes;
  assert.ok(outcome);
  assert.equal((await send('POST', `/admin/outcomes/${encodeURIComponent(outcome.id)}/redeliver`)).status, 202);
  await harness.advance(2000);
  assert.deepEqual(
    harness.outcomes.map(({ id }) => id),
    [outcome.id, outcome.id],
  );
  assert.equal((await send('POST', '/admin/outcomes/none/redeliver')).status, 404);
});

test('each of two tokens is accepted while one replaces the other', async () => {
  const { send } = openAdminApi();
  for (const accepted of [token, secondToken])
    assert.equal(
      (await send('GET', '/admin/checkouts?order_id=1', { headers: { authorization: `Bearer ${accepted}` } })).status,
      200,
    );
});

test('POST /admin/checkouts/{id}/link hands out the same address again, writes it into the history and logs no capability', async () => {
  const { send, harness, facts } = openAdminApi();
  const linked = checkoutJson.extend({ capability: z.string(), url: z.string() });
  const created = linked.parse((await send('POST', '/admin/checkouts', { body: order })).json);
  const path = `/admin/checkouts/${created.id}/link`;
  const again = await send('POST', path);
  assert.deepEqual([again.status, linked.parse(again.json)], [200, created]);
  assert.equal(again.headers.get('cache-control'), 'no-store');
  const history = z.object({ actions: z.array(z.object({ action: z.string() })) });
  const read = await send('GET', `/admin/checkouts/${created.id}`);
  assert.deepEqual(history.parse(read.json).actions.map(({ action }) => action), ['link']); // prettier-ignore
  assert.doesNotMatch(JSON.stringify([read.json, facts, harness.logEntries]), /chk_/);
  assert.equal((await send('GET', path)).status, 405, 'a link is not read by following an address');
  harness.fakeClock.stall(defaultTiming.lifetimeMs + 1);
  const renewed = linked.parse((await send('POST', path)).json);
  assert.notEqual(renewed.capability, created.capability, 'an expired capability is replaced');
  assert.ok(renewed.url.endsWith(renewed.capability));
  await send('POST', `/admin/checkouts/${created.id}/close`);
  assert.equal(parseProblem(await send('POST', path)).code, 'checkout_closed');
});

test('each call is a line in the log, with the number of its token and without a capability; one with a wrong token has a line of its own', async () => {
  const { send, facts, lines } = openAdminApi();
  const { id } = checkoutJson.parse((await send('POST', '/admin/checkouts', { body: order })).json);
  await send('POST', `/admin/checkouts/${id}/close`, { headers: { authorization: `Bearer ${secondToken}` } });
  await send('GET', '/admin/checkouts/chk_none');
  await send('GET', '/admin/checkouts', { headers: { authorization: 'Bearer wrong' } });
  const call = { event: 'admin_call', address: '192.0.2.1' };
  assert.deepEqual(facts, [
    { ...call, method: 'POST', path: '/admin/checkouts', status: 201, token: 1 },
    { ...call, method: 'POST', path: `/admin/checkouts/${id}/close`, status: 200, token: 2 },
    { ...call, method: 'GET', path: '/admin/checkouts/chk_…', status: 404, token: 1 },
  ]);
  assert.deepEqual(lines, ['admin_token_refused']);
});

test('GET /openapi.json answers without a token with the OpenAPI document of the package', async () => {
  const { status, headers, json } = await openAdminApi().send('GET', '/openapi.json', {
    headers: { authorization: '' },
  });
  assert.deepEqual([status, headers.get('content-type')], [200, 'application/json']);
  assert.deepEqual(json, JSON.parse(await readFile('docs/openapi/server.json', 'utf8')));
});

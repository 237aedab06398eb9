import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, type CheckoutStore } from '../../../src/server.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

const secret = 'A'.repeat(24);

test('every unknown or malformed capability is answered with one and the same 404', async () => {
  const harness = await TestCheckoutServer.open();
  const bodies = new Set<string>();
  const unknown = `chk_${secret}`;
  const paths = [
    `/${unknown}`,
    `/${harness.id.slice(0, -1)}`,
    `/${harness.capability}x`,
    `/${harness.capability}/`,
    `/${harness.capability}/invoices`,
    `/${harness.capability}/../${unknown}`,
    `/${harness.id.toUpperCase()}`,
    `/${harness.capability}%00`,
    '/chk_',
    '/',
    '',
    '/%E0%A4%A',
    '/chk_<script>alert(1)</script>',
    `/chk_${'A'.repeat(5000)}`,
  ];
  for (const path of paths) {
    const response = await harness.request(path);
    assert.equal(response.status, 404, path);
    bodies.add(await response.text());
  }
  const response = await harness.request(`/${unknown}/invoice`, { method: 'POST' });
  bodies.add(await response.text());
  assert.equal(bodies.size, 1);
  assert.deepEqual(JSON.parse([...bodies][0] ?? ''), {
    type: 'about:blank',
    title: 'There is no such checkout',
    status: 404,
    code: 'not_found',
  });
});

test('a capability in another letter case is answered with 404, even when the store ignores the case', async () => {
  const store = createMemoryStore();
  const ids = new Map<string, string>();
  const caseInsensitiveStore: CheckoutStore = {
    ...store,
    insert: async (record) => {
      ids.set(record.id.toLowerCase(), record.id);
      return store.insert(record);
    },
    load: async (id) => store.load(ids.get(id.toLowerCase()) ?? ''),
  };
  const harness = await TestCheckoutServer.open({}, { store: caseInsensitiveStore });
  await harness.createInvoice();
  const { hookSecret } = await harness.loadRecord();
  assert.equal((await harness.getCheckout()).status, 200);
  assert.equal(await harness.sendWebhook(hookSecret), 204);
  const path = `/chk_${harness.capability.slice(4).toUpperCase()}`;
  const post = { method: 'POST', headers: { 'content-type': 'application/json', 'idempotency-key': 'key-2' } };
  const create = { ...post, body: JSON.stringify({ payment_method_id: 'pm_card' }) };
  assert.equal((await harness.request(path)).status, 404);
  assert.equal((await harness.request(`${path}/invoice`, create)).status, 404);
  assert.equal((await harness.request(`${path}/hook/${hookSecret}`, { method: 'POST', body: '{}' })).status, 404);
});

test('the handler serves a checkout under any mount path', async () => {
  const harness = await TestCheckoutServer.open();
  for (const base of ['https://shop.example', 'https://shop.example/a/b/checkout', 'http://127.0.0.1:8080/x'])
    assert.equal(
      (await harness.server.handle(new Request(`${base}/${harness.capability}`), { address: undefined })).status,
      200,
    );
});

for (const [title, headers, isAllowed] of [
  ['the merchant’s own page', { origin: 'https://shop.example', 'sec-fetch-site': 'same-origin' }, true],
  ['an old browser on the merchant’s page', { origin: 'https://shop.example' }, true],
  [
    'the merchant’s own page behind a proxy with another host name',
    { origin: 'https://other', 'sec-fetch-site': 'same-origin' },
    true,
  ],
  ['no page at all', {}, true],
  ['a listed origin', { origin: 'https://m.shop.example', 'sec-fetch-site': 'same-site' }, true],
  ['a listed origin of another site', { origin: 'https://m.shop.example', 'sec-fetch-site': 'cross-site' }, true],
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, false],
  ['another site in an old browser', { origin: 'https://evil.example' }, false],
  ['another host of the same site', { origin: 'https://evil.shop.example', 'sec-fetch-site': 'same-site' }, false],
  ['a page without an origin', { origin: 'null' }, false],
  ['a form of another site', { 'sec-fetch-site': 'cross-site' }, false],
  [
    'the merchant’s origin in a cross-site request',
    { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' },
    false,
  ],
  ['the merchant’s host on another port', { origin: 'https://shop.example:8443' }, false],
] as const)
  test(`a write from ${title} is ${isAllowed ? 'served' : 'refused'}`, async () => {
    const harness = await TestCheckoutServer.open({}, { allowedOrigins: ['https://m.shop.example'] });
    const response = await harness.createInvoice({ headers: { ...headers } });
    assert.equal(response.status, isAllowed ? 201 : 403);
    if (!isAllowed) assert.equal(response.problem.code, 'invalid_request');
    assert.equal(harness.service.createRequests.length, isAllowed ? 1 : 0);
  });

test('only pages of listed origins may read responses and their exposed headers', async () => {
  const harness = await TestCheckoutServer.open({}, { allowedOrigins: ['https://m.shop.example'] });
  const listed = await harness.getCheckout({ origin: 'https://m.shop.example' });
  assert.equal(listed.headers.get('access-control-allow-origin'), 'https://m.shop.example');
  assert.equal(listed.headers.get('access-control-expose-headers'), 'ETag, Retry-After, Preference-Applied');
  assert.equal(listed.headers.get('vary'), 'Origin');
  assert.equal(listed.headers.get('access-control-allow-credentials'), null);
  for (const origin of ['https://evil.example', 'null', 'https://m.shop.example.evil.example'])
    assert.equal((await harness.getCheckout({ origin })).headers.get('access-control-allow-origin'), null);
  const preflight = await harness.request(`/${harness.capability}/invoice`, {
    method: 'OPTIONS',
    headers: { origin: 'https://m.shop.example', 'access-control-request-method': 'POST' },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET, HEAD, POST');
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Idempotency-Key/);
  const problem = await harness.request('/nothing', { headers: { origin: 'https://m.shop.example' } });
  assert.equal(problem.headers.get('access-control-allow-origin'), 'https://m.shop.example');
});

test('a server with an invalid origin or endpoint cannot be created', () => {
  for (const origin of ['shop.example', 'https://shop.example/', '*', 'https://shop.example/path'])
    assert.throws(() => new TestCheckoutServer({ allowedOrigins: [origin] }), TypeError);
  for (const invalidEndpoint of ['/checkout', 'ftp://shop.example', ''])
    assert.throws(() => new TestCheckoutServer({ endpoint: invalidEndpoint }), TypeError);
});

for (const type of [undefined, 'text/plain', 'application/x-www-form-urlencoded', 'text/json', 'application/jsonp'])
  test(`a create with ${type === undefined ? 'a body without a type' : `a body of the type ${type}`} is answered with 415`, async () => {
    const harness = await TestCheckoutServer.open();
    const headers = { 'idempotency-key': 'k', ...(type === undefined ? {} : { 'content-type': type }) };
    const response = await harness.parseResponse(
      harness.request(`/${harness.capability}/invoice`, { method: 'POST', headers, body: '{}' }),
    );
    assert.equal(response.status, 415);
    assert.equal(response.problem.code, 'invalid_request');
  });

for (const [body, field] of [
  ['', 'body'],
  ['{', 'body'],
  ['null', 'body'],
  ['[]', 'body'],
  ['{}', 'payment_method_id'],
  ['{"payment_method_id":5}', 'payment_method_id'],
  ['{"payment_method_id":""}', 'payment_method_id'],
  [`{"payment_method_id":"${'x'.repeat(201)}"}`, 'payment_method_id'],
  ['{"payment_method_id":"pm_card","amount":1500}', 'amount'],
  ['{"payment_method_id":"pm_card","replace":"yes"}', 'replace'],
] as const)
  test(`a create with ${body === '' ? 'an empty body' : `the body ${body.slice(0, 50)}`} is answered with 400, which names ${field}`, async () => {
    const harness = await TestCheckoutServer.open();
    const { status, problem } = await harness.createInvoice({ body });
    assert.equal(status, 400);
    assert.equal(problem.code, 'invalid_request');
    assert.match(problem.detail ?? '', new RegExp(`^${field}: `));
  });

for (const key of ['', ' ', 'a b', 'ключ', 'x'.repeat(201)])
  test(`a create with the idempotency key ${JSON.stringify(key.slice(0, 10))} is answered with 400`, async () => {
    const harness = await TestCheckoutServer.open();
    const headers = new Headers({ 'content-type': 'application/json' });
    if (/^[\x20-\x7e]*$/.test(key)) headers.set('idempotency-key', key);
    const body = '{"payment_method_id":"pm_card"}';
    const response = await harness.parseResponse(
      harness.request(`/${harness.capability}/invoice`, { method: 'POST', headers, body }),
    );
    assert.equal(response.status, 400);
    assert.match(response.problem.detail ?? '', /^idempotency-key: /);
  });

test('a body that is too large is answered with 413, with and without Content-Length', async () => {
  const harness = await TestCheckoutServer.open();
  const body = JSON.stringify({ payment_method_id: 'pm_card', padding: 'x'.repeat(20_000) });
  assert.equal((await harness.createInvoice({ body })).status, 413);
  const { readable, writable } = new TransformStream<Uint8Array>();
  const writer = writable.getWriter();
  const writeEndlessly = async (): Promise<void> => {
    for (;;) await writer.write(new Uint8Array(4096).fill(32));
  };
  void writeEndlessly().catch(() => undefined);
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
    body: readable,
    duplex: 'half',
  };
  assert.equal((await harness.parseResponse(harness.request(`/${harness.capability}/invoice`, init))).status, 413);
});

test('a body that does not arrive is answered with 408', async () => {
  const harness = await TestCheckoutServer.open();
  const { readable } = new TransformStream<Uint8Array>();
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
    body: readable,
    duplex: 'half',
  };
  const response = harness.parseResponse(harness.request(`/${harness.capability}/invoice`, init));
  await harness.advance(10_000);
  assert.equal((await response).status, 408);
});

test('a method that a path does not allow is answered with 405 and the allowed methods, and HEAD is served as GET without a body', async () => {
  const harness = await TestCheckoutServer.open();
  for (const [method, path, allow] of [
    ['DELETE', `/${harness.capability}`, 'GET, HEAD, OPTIONS'],
    ['POST', `/${harness.capability}`, 'GET, HEAD, OPTIONS'],
    ['GET', `/${harness.capability}/invoice`, 'POST, OPTIONS'],
    ['PUT', `/${harness.capability}/hook/${secret}`, 'POST, OPTIONS'],
  ] as const) {
    const response = await harness.parseResponse(harness.request(path, { method }));
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), allow);
  }
  const head = await harness.request(`/${harness.capability}`, { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(head.headers.get('etag'), (await harness.getCheckout()).etag);
  assert.equal(await head.text(), '');
});

test('an error of the store is answered with 500, a trace id and no internal text, and is logged with the same trace id', async () => {
  const harness = await TestCheckoutServer.open();
  harness.store.load = () => Promise.reject(new Error('password of the database: hunter2'));
  const { status, problem } = await harness.getCheckout();
  assert.equal(status, 500);
  assert.equal(problem.code, 'internal');
  assert.ok(!JSON.stringify(problem).includes('hunter2'));
  const line = harness.logEntries.find(({ event }) => event === 'internal');
  assert.equal({ trace_id: '', ...line?.facts }.trace_id, problem.trace_id);
  assert.ok(!JSON.stringify(harness.logEntries).includes('hunter2'));
});

test('a request succeeds although the log throws', async () => {
  const harness = await TestCheckoutServer.open({}, { log: () => assert.fail('the log is full') });
  assert.equal((await harness.createInvoice()).status, 201);
});

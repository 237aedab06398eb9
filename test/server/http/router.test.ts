import assert from 'node:assert/strict';
import { test, describe } from 'node:test';
import { retryAfter } from '../../../src/base/retry-after.ts';
import { problem, problemCodes, statusOfProblem } from '../../../src/checkout-api.ts';
import { problemResponse, ProblemError } from '../../../src/server/http/responses.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { matchRoute, createOriginRules } from '../../../src/server/http/router.ts';

const listedOrigin = 'https://m.shop.example';
const secret = 'A'.repeat(24);

test('every response has the headers for caching, content types and CORS', async () => {
  const harness = await TestCheckoutServer.open({}, { allowedOrigins: [listedOrigin] });
  const { etag } = await harness.getCheckout();
  for (const [method, path, headers, status] of [
    ['GET', `/${harness.capability}`, {}, 200],
    ['GET', `/${harness.capability}`, { 'if-none-match': etag }, 304],
    ['HEAD', `/${harness.capability}`, {}, 200],
    ['OPTIONS', `/${harness.capability}`, {}, 204],
    ['GET', '/nothing', {}, 404],
    ['HEAD', '/nothing', {}, 404],
    ['DELETE', `/${harness.capability}`, {}, 405],
    ['POST', `/${harness.capability}/invoice`, { 'content-type': 'text/plain', 'idempotency-key': 'k' }, 415],
  ] as const) {
    const response = await harness.request(path, { method, headers: { origin: listedOrigin, ...headers } });
    assert.equal(response.status, status, `${method} ${path}`);
    if (status === 200) assert.equal(response.headers.get('content-type'), 'application/json', method);
    const names = ['cache-control', 'x-content-type-options', 'vary', 'access-control-allow-origin'];
    assert.deepEqual(
      names.map((name) => response.headers.get(name)),
      ['no-store', 'nosniff', 'Origin', listedOrigin],
      `${method} ${path}`,
    );
  }
});

test('OPTIONS is answered with the allowed methods and no body, without the store', async () => {
  const harness = await TestCheckoutServer.open();
  harness.store.load = () => assert.fail('the store is called');
  for (const [path, allow] of [
    ['', 'GET, HEAD, OPTIONS'],
    ['/invoice', 'POST, OPTIONS'],
    [`/hook/${secret}`, 'POST, OPTIONS'],
  ] as const) {
    const response = await harness.request(`/${harness.capability}${path}`, { method: 'OPTIONS' });
    assert.deepEqual([response.status, response.headers.get('allow'), await response.text()], [204, allow, '']);
  }
});

test('a preflight for a malformed capability is answered like a preflight for an unknown capability, so that a page can read the 404', async () => {
  const harness = await TestCheckoutServer.open({}, { allowedOrigins: [listedOrigin] });
  const preflight = { origin: listedOrigin, 'access-control-request-method': 'POST' };
  for (const path of [`/chk_${'A'.repeat(24)}`, '/chk_cut', '/chk_cut/invoice']) {
    const { status, headers } = await harness.request(path, { method: 'OPTIONS', headers: preflight });
    const names = ['access-control-allow-origin', 'access-control-allow-methods'].map((name) => headers.get(name));
    assert.deepEqual([status, ...names], [204, listedOrigin, 'GET, HEAD, POST'], path);
  }
  assert.equal((await harness.request('/chk_cut', { method: 'OPTIONS' })).status, 404);
});

test('each unexpected error is logged once, with its own trace id', async () => {
  const harness = await TestCheckoutServer.open();
  harness.store.load = () => Promise.reject(new RangeError('inner'));
  const traceIds = [(await harness.getCheckout()).problem.trace_id, (await harness.getCheckout()).problem.trace_id];
  const lines = harness.logEntries.filter(({ level, event }) => level === 'error' && event === 'internal');
  assert.deepEqual(
    lines.map(({ facts }) => ({ trace_id: '', error: '', ...facts })).map(({ trace_id, error }) => [trace_id, error]),
    traceIds.map((traceId) => [traceId, 'RangeError']),
  );
  assert.notEqual(traceIds[0], traceIds[1]);
  assert.doesNotMatch(JSON.stringify([harness.logEntries, (await harness.getCheckout()).problem]), /inner/);
});

test('a request succeeds although the log throws', async () => {
  const harness = await TestCheckoutServer.open({}, { log: () => assert.fail('the log is full') });
  assert.equal((await harness.createInvoice()).status, 201);
});

test('a create for an unknown checkout is answered with 404, also when the request itself is refused', async () => {
  const harness = await TestCheckoutServer.open();
  for (const headers of [{}, { 'content-type': 'application/json' }]) {
    const init = { method: 'POST', headers, body: '{' };
    const response = await harness.parseResponse(harness.request(`/chk_${secret}/invoice`, init));
    assert.deepEqual([response.status, response.problem.code], [404, 'not_found']);
  }
});

const shortestId = `chk_${'aB3_-'.repeat(4)}zZ`;
const longestId = `chk_${'A'.repeat(100)}`;
const shortestSecret = 'aZ09_-aZ09';
const longestSecret = 'b'.repeat(100);

for (const [path, expected] of [
  [`/shop/checkout/${shortestId}`, { kind: 'checkout', capability: shortestId }],
  [`/${longestId}/${shortestId}`, { kind: 'checkout', capability: shortestId }],
  [`/${longestId}/invoice`, { kind: 'invoice', capability: longestId }],
  [`/${shortestId}/hook/${shortestSecret}`, { kind: 'hook', capability: shortestId, secret: shortestSecret }],
  [`/checkout/hook/0LfQsNC60LDQtyAx/${longestSecret}`, { kind: 'hook', orderId: 'заказ 1', secret: longestSecret }],
  [`/hook/b3JkZXItMQ/${shortestSecret.slice(1)}`, undefined],
  [`/hook//${shortestSecret}`, undefined],
  [`/hook/AAAA/${shortestSecret}`, undefined],
  [shortestId, undefined],
  [`/${shortestId.slice(0, -1)}`, undefined],
  [`/${longestId}A`, undefined],
  [`/x${shortestId}`, undefined],
  [`/${shortestId}/`, undefined],
  [`/${shortestId}/invoices`, undefined],
  [`/${shortestId}/hook/${longestSecret}b`, undefined],
  [`/${shortestId}/hook`, undefined],
  [`/${shortestId}/invoice/hook/${shortestSecret}`, undefined],
  [`/${shortestId}\n`, undefined],
  [`/${shortestId}%20`, undefined],
] as const)
  test(`${JSON.stringify(path.length > 60 ? `…${path.slice(-60)}` : path)} matches ${expected === undefined ? 'no route' : `the route ${expected.kind}`}`, () => {
    assert.deepEqual(matchRoute(path), expected);
  });

const rules = createOriginRules('https://shop.example/checkout', ['https://m.shop.example', 'http://localhost:5173']);
const request = (headers: Record<string, string>, method = 'POST', url = 'https://shop.example/checkout'): Request =>
  new Request(url, { method, headers });

describe('a write', () => {
  for (const [origin, site, isAllowed] of [
    [undefined, undefined, true],
    [undefined, 'none', true],
    [undefined, 'same-origin', true],
    [undefined, 'same-site', false],
    ['https://shop.example', undefined, true],
    ['https://shop.example', 'same-site', true],
    ['https://shop.example', 'cross-site', false],
    ['https://elsewhere.example', 'none', false],
    ['https://elsewhere.example', 'same-origin', true],
    ['https://m.shop.example', 'cross-site', true],
    ['null', undefined, false],
  ] as const)
    test(`${origin === undefined ? 'without Origin' : `with Origin: ${origin}`} and ${site === undefined ? 'without Sec-Fetch-Site' : `with Sec-Fetch-Site: ${site}`} is ${isAllowed ? 'served' : 'refused'}`, () => {
      const headers = { ...(origin && { origin }), ...(site && { 'sec-fetch-site': site }) };
      assert.equal(rules.isWriteAllowed(request(headers)), isAllowed);
    });

  test('is served from the origin of the request’s URL and from that of the endpoint, when the two differ', () => {
    const url = 'http://127.0.0.1:8080/checkout';
    assert.equal(rules.isWriteAllowed(request({ origin: 'https://shop.example' }, 'POST', url)), true);
    assert.equal(rules.isWriteAllowed(request({ origin: 'http://127.0.0.1:8080' }, 'POST', url)), true);
    assert.equal(rules.isWriteAllowed(request({ origin: 'http://127.0.0.1:8081' }, 'POST', url)), false);
  });
});

describe('a response', () => {
  const corsHeaders = {
    vary: 'Origin',
    'access-control-allow-origin': 'https://m.shop.example',
    'access-control-expose-headers': 'ETag, Retry-After, Preference-Applied',
  };
  const preflight = { 'access-control-request-method': 'POST' };
  const origin = 'https://m.shop.example';

  for (const [title, headers, method, expected] of [
    ['to an origin that is not listed', { origin: 'https://shop.example' }, 'GET', { vary: 'Origin' }],
    ['to such a preflight', { origin: 'https://evil.example', ...preflight }, 'OPTIONS', { vary: 'Origin' }],
    ['to a listed origin', { origin }, 'GET', corsHeaders],
    ['to an OPTIONS request that is not a preflight', { origin }, 'OPTIONS', corsHeaders],
    ['to a POST request with the header of a preflight', { origin, ...preflight }, 'POST', corsHeaders],
    [
      'to a preflight of a listed origin',
      { origin, ...preflight },
      'OPTIONS',
      {
        ...corsHeaders,
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers': 'Content-Type, Idempotency-Key, If-None-Match, Prefer',
        'access-control-max-age': '600',
      },
    ],
  ] as const)
    test(`${title} ${'access-control-allow-origin' in expected ? 'allows that origin' : 'allows no origin'}`, () => {
      assert.deepEqual(rules.corsHeaders({ method, headers: new Headers(headers) }), expected);
    });
});

/** Status, headers and document of the response to an error. */
async function partsOf(error: ProblemError): Promise<readonly [number, object, unknown]> {
  const response = problemResponse(error);
  return [response.status, Object.fromEntries(response.headers), await response.json()];
}

for (const code of problemCodes)
  test(`the problem ${code} has the status of its code, and only the members that every problem has`, async () => {
    const status = statusOfProblem(code);
    const [actual, headers, document] = await partsOf(new ProblemError(code));
    const { title } = problem.parse(document);
    assert.match(title, /^[A-Z][a-z ]+$/i);
    assert.deepEqual(document, { type: 'about:blank', title, status, code });
    assert.deepEqual([actual, headers], [status, { 'content-type': 'application/problem+json' }]);
  });

test('a problem contains the facts, status and headers of its error', async () => {
  const facts = { detail: 'amount: is too small', min_amount: '1.00', max_amount: '9.00', trace_id: 'trace' };
  const responseMembers = { status: 413, retryAfterMs: 1500, headers: { allow: 'GET' } } as const;
  const [status, headers, document] = await partsOf(
    new ProblemError('invalid_request', { ...facts, ...responseMembers }),
  );
  const title = 'The request is not valid';
  assert.deepEqual(document, { type: 'about:blank', title, status: 413, code: 'invalid_request', ...facts });
  assert.equal(status, 413);
  assert.deepEqual(headers, { 'content-type': 'application/problem+json', 'retry-after': '2', allow: 'GET' });
});

for (const [ms, seconds] of [
  [0, '1'],
  [1000, '1'],
  [1001, '2'],
] as const)
  test(`${ms} ms are sent as Retry-After: ${seconds}`, () => {
    assert.deepEqual(retryAfter(ms), { 'retry-after': seconds });
  });

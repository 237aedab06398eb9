import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastPathOf } from '../../../src/server/http/get-checkout-fast-path.ts';
import { createMetrics } from '../../../src/server.ts';
import { endpoint, TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { matchRoute } from '../../../src/server/http/router.ts';

const listed = 'https://m.shop.example';
const secret = 'A'.repeat(24);

test('every response has the headers for caching, content types and CORS', async () => {
  const harness = await TestCheckoutServer.open({}, { allowedOrigins: [listed] });
  const { etag } = await harness.getCheckout();
  for (const [method, path, headers, status] of [
    ['GET', `/${harness.id}`, {}, 200],
    ['GET', `/${harness.id}`, { 'if-none-match': etag }, 304],
    ['HEAD', `/${harness.id}`, {}, 200],
    ['OPTIONS', `/${harness.id}`, {}, 204],
    ['GET', '/nothing', {}, 404],
    ['HEAD', '/nothing', {}, 404],
    ['DELETE', `/${harness.id}`, {}, 405],
    ['POST', `/${harness.id}/invoice`, { 'content-type': 'text/plain', 'idempotency-key': 'k' }, 415],
  ] as const) {
    const response = await harness.request(path, { method, headers: { origin: listed, ...headers } });
    assert.equal(response.status, status, `${method} ${path}`);
    const names = ['cache-control', 'x-content-type-options', 'vary', 'access-control-allow-origin'];
    assert.deepEqual(
      names.map((name) => response.headers.get(name)),
      ['no-store', 'nosniff', 'Origin', listed],
      `${method} ${path}`,
    );
  }
});

for (const [path, allow] of [
  ['', 'GET, HEAD, OPTIONS'],
  ['/invoice', 'POST, OPTIONS'],
  [`/hook/${secret}`, 'POST, OPTIONS'],
] as const)
  test(`OPTIONS of a checkout${path.replace(secret, '…')} lists its methods, does not read the store and has no body`, async () => {
    const harness = await TestCheckoutServer.open();
    harness.store.load = () => assert.fail('the store is called');
    const response = await harness.request(`/${harness.id}${path}`, { method: 'OPTIONS' });
    assert.deepEqual([response.status, response.headers.get('allow')], [204, allow]);
    assert.equal(await response.text(), '');
  });

test('a preflight for a malformed capability is answered as one for an unknown capability, so that a page can read the 404', async () => {
  const harness = await TestCheckoutServer.open({}, { allowedOrigins: [listed] });
  const preflight = { origin: listed, 'access-control-request-method': 'POST' };
  for (const path of [`/chk_${'A'.repeat(24)}`, '/chk_cut', '/chk_cut/invoice']) {
    const { status, headers } = await harness.request(path, { method: 'OPTIONS', headers: preflight });
    const names = ['access-control-allow-origin', 'access-control-allow-methods'].map((name) => headers.get(name));
    assert.deepEqual([status, ...names], [204, listed, 'GET, HEAD, POST'], path);
  }
  assert.equal((await harness.request('/chk_cut', { method: 'OPTIONS' })).status, 404);
});

test('a write from an origin that is not allowed is refused with the reason', async () => {
  const harness = await TestCheckoutServer.open();
  const { status, problem } = await harness.createInvoice({ headers: { origin: 'https://evil.example' } });
  assert.deepEqual([status, problem.detail], [403, 'origin: is not allowed']);
});

test('each unexpected error is logged once, with its own trace id', async () => {
  const harness = await TestCheckoutServer.open();
  harness.store.load = () => Promise.reject(new RangeError('inner'));
  const traces = [(await harness.getCheckout()).problem.trace_id, (await harness.getCheckout()).problem.trace_id];
  const lines = harness.logEntries.filter(({ level, event }) => level === 'error' && event === 'internal');
  assert.deepEqual(
    lines.map(({ facts }) => ({ trace_id: '', error: '', ...facts })).map(({ trace_id, error }) => [trace_id, error]),
    traces.map((trace) => [trace, 'RangeError']),
  );
  assert.notEqual(traces[0], traces[1]);
});

test('every response is counted by route and status', async () => {
  const metrics = createMetrics();
  const harness = await TestCheckoutServer.open({}, { metrics });
  await harness.createInvoice();
  const { etag } = await harness.getCheckout();
  const conditional = new Request(endpoint, { headers: { 'if-none-match': etag } });
  assert.ok(fastPathOf(harness.server)?.(`/${harness.id}`, conditional, () => () => undefined));
  await harness.sendWebhook();
  await harness.request(`/${harness.id}`, { method: 'PUT' });
  await harness.request('/nothing');
  const lines = (await metrics.expose()).split('\n').filter((line) => line.startsWith('pay_invoice_requests_total{'));
  assert.deepEqual(lines.sort(), [
    'pay_invoice_requests_total{route="checkout",status="200"} 1',
    'pay_invoice_requests_total{route="checkout",status="304"} 1',
    'pay_invoice_requests_total{route="checkout",status="405"} 1',
    'pay_invoice_requests_total{route="hook",status="204"} 1',
    'pay_invoice_requests_total{route="invoice",status="201"} 1',
    'pay_invoice_requests_total{route="none",status="404"} 1',
  ]);
});

const shortest = `chk_${'aB3_-'.repeat(4)}zZ`;
const longest = `chk_${'A'.repeat(100)}`;
const shortestSecret = 'aZ09_-aZ09';
const longSecret = 'b'.repeat(100);

for (const [path, expected] of [
  [`/${shortest}`, { kind: 'checkout', checkoutId: shortest }],
  [`/${longest}`, { kind: 'checkout', checkoutId: longest }],
  [`/shop/checkout/${shortest}`, { kind: 'checkout', checkoutId: shortest }],
  [`/${longest}/${shortest}`, { kind: 'checkout', checkoutId: shortest }],
  [`/${shortest}/invoice`, { kind: 'invoice', checkoutId: shortest }],
  [`/${shortest}/hook/${shortestSecret}`, { kind: 'hook', checkoutId: shortest, secret: shortestSecret }],
  [`/${shortest}/hook/${longSecret}`, { kind: 'hook', checkoutId: shortest, secret: longSecret }],
  [`/checkout/hook/0LfQsNC60LDQtyAx/${longSecret}`, { kind: 'hook', orderId: 'заказ 1', secret: longSecret }],
  [`/hook/b3JkZXItMQ/${shortestSecret}`, { kind: 'hook', orderId: 'order-1', secret: shortestSecret }],
  [`/hook/b3JkZXItMQ/${shortestSecret.slice(1)}`, undefined],
  [`/hook//${shortestSecret}`, undefined],
  [`/hook/AAAA/${shortestSecret}`, undefined],
  [shortest, undefined],
  [`/${shortest.slice(0, -1)}`, undefined],
  [`/${longest}A`, undefined],
  [`/x${shortest}`, undefined],
  [`/${shortest}/`, undefined],
  [`/${shortest}/invoice/`, undefined],
  [`/${shortest}/invoices`, undefined],
  [`/${shortest}/hook/${shortestSecret.slice(1)}`, undefined],
  [`/${shortest}/hook/${longSecret}b`, undefined],
  [`/${shortest}/hook`, undefined],
  [`/${shortest}/${shortestSecret}`, undefined],
  [`/${shortest}/invoice/hook/${shortestSecret}`, undefined],
  [`/${shortest}\n`, undefined],
  [`/${shortest}%20`, undefined],
  ['/', undefined],
  ['', undefined],
] as const)
  test(`${JSON.stringify(path.length > 60 ? `…${path.slice(-60)}` : path)} is ${expected?.kind ?? 'no route'}`, () => {
    assert.deepEqual(matchRoute(path), expected);
  });

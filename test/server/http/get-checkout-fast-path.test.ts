import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastPathOf } from '../../../src/server/http/get-checkout-fast-path.ts';
import { createMemoryStore, type CheckoutStore } from '../../../src/server.ts';
import type { CheckoutResponse } from '../../../src/server/http/responses.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { settle } from '../../support/fake-clock.ts';

// `handle` and the fast path of the adapter for node:http give the same responses.

const neverDisconnects = () => () => undefined;

function readFast(
  harness: TestCheckoutServer,
  headers: Record<string, string> = {},
  path = `/checkout/${harness.id}`,
  method = 'GET',
) {
  return fastPathOf(harness.server)?.(path, { method, headers: new Headers(headers) }, neverDisconnects);
}

/** Reads the checkout by both, asserts that the responses are the same, and resolves with the response. */
async function readTwice(harness: TestCheckoutServer, headers: Record<string, string> = {}): Promise<CheckoutResponse> {
  const both = Promise.all([readFast(harness, headers), harness.request(`/${harness.id}`, { headers })]);
  if ('prefer' in headers) await harness.advance(26_000);
  const [answer, response] = await both;
  assert.ok(answer !== undefined);
  assert.equal(answer.status, response.status);
  assert.deepEqual(Object.entries(answer.headers).sort(), [...response.headers].sort());
  // Each response with an error has a trace_id of its own.
  const withoutTraceId = (text = ''): unknown => ({ ...JSON.parse(text || '{}'), trace_id: undefined });
  assert.deepEqual(withoutTraceId(answer.body), withoutTraceId(await response.text()));
  return answer;
}

const create = (harness: TestCheckoutServer) => harness.createInvoice();

interface Case {
  readonly title: string;
  readonly before: readonly ((harness: TestCheckoutServer) => unknown)[];
  readonly headers?: Record<string, string>;
  /** Whether the request has the current ETag. */
  readonly hasCurrentEtag?: boolean;
  readonly status: number;
}

const cases: readonly Case[] = [
  { title: 'for an open checkout', before: [], status: 200 },
  { title: 'for a pending invoice', before: [create], status: 200 },
  { title: 'for an unchanged checkout', before: [create], hasCurrentEtag: true, status: 304 },
  {
    title: 'for a long poll without a change',
    before: [create],
    headers: { prefer: 'wait=25' },
    hasCurrentEtag: true,
    status: 304,
  },
  {
    title: 'for a paid invoice',
    before: [create, (harness) => harness.service.setStatus('PAID'), (harness) => harness.advance(5000)],
    status: 200,
  },
  { title: 'to a listed origin', before: [create], headers: { origin: 'https://pages.example' }, status: 200 },
  { title: 'for an unknown checkout', before: [(harness) => (harness.id = `chk_${'x'.repeat(32)}`)], status: 404 },
];

for (const { title, before, headers = {}, hasCurrentEtag = false, status } of cases)
  test(`handle and the fast path give the same response ${title}`, async () => {
    const harness = await TestCheckoutServer.open({}, { allowedOrigins: ['https://pages.example'] });
    for (const step of before) await step(harness);
    const ifNoneMatch = hasCurrentEtag ? { 'if-none-match': (await harness.getCheckout()).etag } : {};
    assert.equal((await readTwice(harness, { ...ifNoneMatch, ...headers })).status, status);
  });

test('handle and the fast path answer an error of the store with 500 without its message, and log each', async () => {
  const store: CheckoutStore = { ...createMemoryStore(), load: () => Promise.reject(new Error('the disk is gone')) };
  const harness = await TestCheckoutServer.open({}, { store });
  const { status, body = '' } = await readTwice(harness);
  assert.equal(status, 500);
  assert.ok(!body.includes('disk'));
  assert.deepEqual(
    harness.loggedEvents().filter((event) => event === 'internal'),
    ['internal', 'internal'],
  );
});

test('the fast path answers a request with the current ETag synchronously, without the store', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const { etag } = await harness.getCheckout();
  for (const tag of [etag, `"x", ${etag}`]) {
    const answer = readFast(harness, { 'if-none-match': tag });
    assert.ok(!(answer instanceof Promise));
    assert.deepEqual(answer, {
      status: 304,
      headers: { etag, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'Origin' },
    });
  }
  for (const headers of [{}, { 'if-none-match': '"x"' }, { 'if-none-match': etag, prefer: 'wait=10' }]) {
    const answer = readFast(harness, headers);
    assert.ok(answer instanceof Promise);
    await harness.advance(11_000);
    await answer;
  }
});

test('the fast path ends a long poll when its client disconnects', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const { etag } = await harness.getCheckout();
  let disconnect = (): void => assert.fail('there is no listener');
  const headers = new Headers({ 'if-none-match': etag, prefer: 'wait=25' });
  const answer = fastPathOf(harness.server)?.(`/${harness.id}`, { method: 'GET', headers }, (listener) => {
    disconnect = listener;
    return () => undefined;
  });
  await settle();
  disconnect();
  assert.equal((await answer)?.status, 304);
});

test('the fast path answers only a GET of a checkout without a query', async () => {
  const harness = await TestCheckoutServer.open();
  const path = `/checkout/${harness.id}`;
  for (const other of [
    `${path}?options=true`,
    `${path}?options=1`,
    `/x?y=${path}`,
    `${path}/invoice`,
    `${path}/hook/${'A'.repeat(24)}`,
    path.toUpperCase(),
  ])
    assert.equal(readFast(harness, {}, other), undefined, other);
  for (const method of ['HEAD', 'POST', 'OPTIONS'])
    assert.equal(readFast(harness, {}, path, method), undefined, method);
});

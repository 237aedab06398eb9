import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastPathOf } from '../../../src/server/http/get-checkout-fast-path.ts';
import { createMemoryStore, type CheckoutStore } from '../../../src/server.ts';
import type { CheckoutResponse } from '../../../src/server/http/responses.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { settle } from '../../support/fake-clock.ts';

// `handle` and the fast path of the adapter for node:http give the same responses.

const neverDisconnects = () => () => undefined;

function readByFastPath(
  harness: TestCheckoutServer,
  headers: Record<string, string> = {},
  path = `/checkout/${harness.id}`,
  method = 'GET',
) {
  return fastPathOf(harness.server)?.(path, { method, headers: new Headers(headers) }, neverDisconnects);
}

/** Reads the checkout by the fast path and by `handle`, and asserts that the responses are equal. Resolves with the response. */
async function readByBoth(
  harness: TestCheckoutServer,
  headers: Record<string, string> = {},
): Promise<CheckoutResponse> {
  const responses = Promise.all([readByFastPath(harness, headers), harness.request(`/${harness.id}`, { headers })]);
  if ('prefer' in headers) await harness.advance(26_000);
  const [fastResponse, response] = await responses;
  assert.ok(fastResponse !== undefined);
  assert.equal(fastResponse.status, response.status);
  assert.deepEqual(Object.entries(fastResponse.headers).sort(), [...response.headers].sort());
  // Each response with an error has a trace_id of its own.
  const withoutTraceId = (text = ''): unknown => ({ ...JSON.parse(text || '{}'), trace_id: undefined });
  assert.deepEqual(withoutTraceId(fastResponse.body), withoutTraceId(await response.text()));
  return fastResponse;
}

const create = (harness: TestCheckoutServer) => harness.createInvoice();

interface Case {
  readonly title: string;
  readonly preparations: readonly ((harness: TestCheckoutServer) => unknown)[];
  readonly headers?: Record<string, string>;
  /** Whether the request has the current ETag. */
  readonly hasCurrentEtag?: boolean;
  readonly status: number;
}

const cases: readonly Case[] = [
  { title: 'for an open checkout', preparations: [], status: 200 },
  { title: 'for a pending invoice', preparations: [create], status: 200 },
  { title: 'for an unchanged checkout', preparations: [create], hasCurrentEtag: true, status: 304 },
  {
    title: 'for a long poll without a change',
    preparations: [create],
    headers: { prefer: 'wait=25' },
    hasCurrentEtag: true,
    status: 304,
  },
  {
    title: 'for a paid invoice',
    preparations: [create, (harness) => harness.service.setStatus('PAID'), (harness) => harness.advance(5000)],
    status: 200,
  },
  { title: 'to a listed origin', preparations: [create], headers: { origin: 'https://pages.example' }, status: 200 },
  {
    title: 'for an unknown checkout',
    preparations: [(harness) => (harness.id = `chk_${'x'.repeat(32)}`)],
    status: 404,
  },
];

for (const { title, preparations, headers = {}, hasCurrentEtag = false, status } of cases)
  test(`handle and the fast path give the same response ${title}`, async () => {
    const harness = await TestCheckoutServer.open({}, { allowedOrigins: ['https://pages.example'] });
    for (const step of preparations) await step(harness);
    const ifNoneMatch = hasCurrentEtag ? { 'if-none-match': (await harness.getCheckout()).etag } : {};
    assert.equal((await readByBoth(harness, { ...ifNoneMatch, ...headers })).status, status);
  });

test('handle and the fast path answer an error of the store with 500 without its message, and log the error', async () => {
  const store: CheckoutStore = { ...createMemoryStore(), load: () => Promise.reject(new Error('the disk is gone')) };
  const harness = await TestCheckoutServer.open({}, { store });
  const { status, body = '' } = await readByBoth(harness);
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
    const fastResponse = readByFastPath(harness, { 'if-none-match': tag });
    assert.ok(!(fastResponse instanceof Promise));
    assert.deepEqual(fastResponse, {
      status: 304,
      headers: { etag, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'Origin' },
    });
  }
  for (const headers of [{}, { 'if-none-match': '"x"' }, { 'if-none-match': etag, prefer: 'wait=10' }]) {
    const fastResponse = readByFastPath(harness, headers);
    assert.ok(fastResponse instanceof Promise);
    await harness.advance(11_000);
    await fastResponse;
  }
});

test('the fast path ends a long poll when its client disconnects', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const { etag } = await harness.getCheckout();
  let disconnect = (): void => assert.fail('there is no listener');
  const headers = new Headers({ 'if-none-match': etag, prefer: 'wait=25' });
  const fastResponse = fastPathOf(harness.server)?.(`/${harness.id}`, { method: 'GET', headers }, (listener) => {
    disconnect = listener;
    return () => undefined;
  });
  await settle();
  disconnect();
  assert.equal((await fastResponse)?.status, 304);
});

test('the fast path answers only a GET of a checkout without a query', async () => {
  const harness = await TestCheckoutServer.open();
  const path = `/checkout/${harness.id}`;
  for (const otherPath of [
    `${path}?options=true`,
    `${path}?options=1`,
    `/x?y=${path}`,
    `${path}/invoice`,
    `${path}/hook/${'A'.repeat(24)}`,
    path.toUpperCase(),
  ])
    assert.equal(readByFastPath(harness, {}, otherPath), undefined, otherPath);
  for (const method of ['HEAD', 'POST', 'OPTIONS'])
    assert.equal(readByFastPath(harness, {}, path, method), undefined, method);
});

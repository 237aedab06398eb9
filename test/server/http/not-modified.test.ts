import assert from 'node:assert/strict';
import { test } from 'node:test';
import { directReadOf } from '../../../src/server/http/direct-reads.ts';
import { createMemoryStore, type CheckoutStore } from '../../../src/server.ts';
import type { CheckoutResponse } from '../../../src/server/http/responses.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { settle } from '../../support/fake-clock.ts';

// A checkout is read in two ways, with a Request and without one: both answer the same.

const never = () => () => undefined;

function read(
  harness: TestCheckoutServer,
  headers: Record<string, string> = {},
  path = `/checkout/${harness.id}`,
  method = 'GET',
) {
  return directReadOf(harness.server)?.(path, { method, headers: new Headers(headers) }, never);
}

/** What both ways answer, which must be the same. */
async function readTwice(harness: TestCheckoutServer, headers: Record<string, string> = {}): Promise<CheckoutResponse> {
  const waits = Promise.all([read(harness, headers), harness.request(`/${harness.id}`, { headers })]);
  if ('prefer' in headers) await harness.advance(26_000);
  const [answer, response] = await waits;
  assert.ok(answer !== undefined);
  assert.equal(answer.status, response.status);
  assert.deepEqual(Object.entries(answer.headers).sort(), [...response.headers].sort());
  const asRead = (text = ''): unknown => ({ ...JSON.parse(text || '{}'), trace_id: undefined }); // each has its own
  assert.deepEqual(asRead(answer.body), asRead(await response.text()));
  return answer;
}

const ask = (harness: TestCheckoutServer) => harness.createInvoice();

interface Case {
  readonly title: string;
  readonly before: readonly ((harness: TestCheckoutServer) => unknown)[];
  readonly headers?: Record<string, string>;
  /** Whether the payer has seen what there is. */
  readonly hasSeen?: boolean;
  readonly status: number;
}

const cases: readonly Case[] = [
  { title: 'the options', before: [], status: 200 },
  { title: 'an invoice that waits', before: [ask], status: 200 },
  { title: 'that nothing has changed', before: [ask], hasSeen: true, status: 304 },
  {
    title: 'that nothing changes in the time of a wait',
    before: [ask],
    headers: { prefer: 'wait=25' },
    hasSeen: true,
    status: 304,
  },
  {
    title: 'an invoice that is paid',
    before: [ask, (harness) => harness.service.setStatus('PAID'), (harness) => harness.advance(5000)],
    status: 200,
  },
  { title: 'to a page of another site', before: [ask], headers: { origin: 'https://pages.example' }, status: 200 },
  { title: 'a lost checkout', before: [(harness) => (harness.id = `chk_${'x'.repeat(32)}`)], status: 404 },
];

for (const { title, before, headers = {}, hasSeen = false, status } of cases)
  test(`handle and read give the same response: ${title}`, async () => {
    const harness = await TestCheckoutServer.open({}, { allowedOrigins: ['https://pages.example'] });
    for (const step of before) await step(harness);
    const seen = hasSeen ? { 'if-none-match': (await harness.getCheckout()).etag } : {};
    assert.equal((await readTwice(harness, { ...seen, ...headers })).status, status);
  });

test('handle and read answer a failed store with the same status, and the log has the reason', async () => {
  const store: CheckoutStore = { ...createMemoryStore(), load: () => Promise.reject(new Error('the disk is gone')) };
  const harness = await TestCheckoutServer.open({}, { store });
  const { status, body = '' } = await readTwice(harness);
  assert.equal(status, 500);
  assert.ok(!body.includes('disk'));
});

test('answers a request with the current ETag synchronously, without the store', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const { etag } = await harness.getCheckout();
  for (const tag of [etag, `"x", ${etag}`]) {
    const answer = read(harness, { 'if-none-match': tag });
    assert.ok(!(answer instanceof Promise));
    assert.deepEqual(answer, {
      status: 304,
      headers: { etag, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'Origin' },
    });
  }
  for (const headers of [{}, { 'if-none-match': '"x"' }, { 'if-none-match': etag, prefer: 'wait=10' }]) {
    const answer = read(harness, headers);
    assert.ok(answer instanceof Promise);
    await harness.advance(11_000);
    await answer;
  }
});

test('ends a long poll when its client disconnects', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const { etag } = await harness.getCheckout();
  let leave = (): void => assert.fail('nobody listens');
  const headers = new Headers({ 'if-none-match': etag, prefer: 'wait=25' });
  const answer = directReadOf(harness.server)?.(`/${harness.id}`, { method: 'GET', headers }, (listener) => {
    leave = listener;
    return () => undefined;
  });
  await settle();
  leave();
  assert.equal((await answer)?.status, 304);
});

test('read answers only a GET of a checkout without a query', async () => {
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
    assert.equal(read(harness, {}, other), undefined, other);
  for (const method of ['HEAD', 'POST', 'OPTIONS']) assert.equal(read(harness, {}, path, method), undefined, method);
});

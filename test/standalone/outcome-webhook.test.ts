import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { test, type TestContext } from 'node:test';
import { createOutcomeSender, createSignedHeaders, toWebhookBody } from '../../src/standalone/outcome-webhook.ts';
import type { Outcome } from '../../src/server.ts';
import { findFreePort } from '../example-shops/example-shop.ts';
import { secret, vectors } from '../example-shops/webhook-vectors.ts';
import { checkWebhook } from '../support/documented-admin-answers.ts';
import { listen } from '../mounts/listen.ts';

const outcome: Outcome = {
  id: 'att_1.paid',
  sequence: 1,
  kind: 'paid',
  orderId: 'Заказ 7',
  checkoutId: 'co_1',
  invoiceId: 'inv_1',
  externalId: 'att_1',
  amount: '1500.00',
  expectedAmount: '1500.00',
  mode: 'TEST',
  occurredAt: Date.UTC(2026, 10, 20, 10),
};
const keys = [Buffer.alloc(24, 1), Buffer.alloc(24, 2)];
const now = Date.UTC(2026, 10, 20, 10, 0, 5, 900);

const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
const validVectors = vectors.filter((vector) => vector.valid);
assert.ok(validVectors.length > 2);

test("the sender's signatures equal those of the example receivers' test vectors", () => {
  for (const { title, headers, body } of validVectors) {
    const timestamp = Number(headers['webhook-timestamp']) * 1000;
    const created = createSignedHeaders([key], headers['webhook-id'] ?? '', body, timestamp)['webhook-signature'];
    assert.ok(headers['webhook-signature']?.split(' ').includes(created), title);
  }
});

test("the body of an outcome webhook equals that of the example receivers' test vector", () => {
  const body = validVectors.find(({ title }) => title === 'an outcome')?.body;
  const vectorOutcome = {
    ...outcome,
    id: 'inv_order-1001_1.paid',
    orderId: '1001',
    checkoutId: 'co_0123456789',
    invoiceId: 'a8ae5fd8',
    externalId: 'inv_order-1001_1',
    occurredAt: 1795000000000,
  };
  assert.equal(body, JSON.stringify(toWebhookBody(vectorOutcome)));
});

/** Starts a receiver. Resolves with the requests that it gets, and a function that sends the outcome. */
async function startReceiver(t: TestContext, respond: RequestListener) {
  const requests: { headers: NodeJS.Dict<string | string[]>; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      checkWebhook(JSON.parse(body));
      requests.push({ headers: request.headers, body });
      respond(request, response);
    });
  });
  const { endpoint, close } = await listen(server, '/outcomes');
  t.after(close);
  const send = createOutcomeSender({ receiver: { url: endpoint, keys }, now: () => now });
  return { requests, send: (signal = new AbortController().signal) => send(outcome, { signal }) };
}

test('an outcome is sent in one request, in snake_case, with a signature by each secret', async (t) => {
  const { requests, send } = await startReceiver(t, (_, response) => response.writeHead(204).end());
  await send();
  const [{ headers, body } = assert.fail(), ...otherRequests] = requests;
  assert.equal(otherRequests.length, 0);
  assert.deepEqual(JSON.parse(body), {
    type: 'checkout.paid',
    timestamp: '2026-11-20T10:00:00.000Z',
    data: {
      id: 'att_1.paid',
      sequence: 1,
      kind: 'paid',
      order_id: 'Заказ 7',
      checkout_id: 'co_1',
      invoice_id: 'inv_1',
      external_id: 'att_1',
      amount: '1500.00',
      expected_amount: '1500.00',
      mode: 'TEST',
      occurred_at: '2026-11-20T10:00:00.000Z',
    },
  });
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['webhook-id'], outcome.id);
  assert.equal(headers['webhook-timestamp'], String(Math.floor(now / 1000)));
  assert.equal(headers['webhook-signature'], createSignedHeaders(keys, outcome.id, body, now)['webhook-signature']);
  assert.equal(createSignedHeaders(keys, '', '', 0)['webhook-signature'].split(' ').length, 2);
});

const page = '\n<!doctype html><title>Log in</title>';
for (const [title, type, body, warning] of [
  ['a page', 'text/html; charset=utf-8', page, 'answered_with_html'],
  ['a page whose type is in upper case', 'Text/HTML', page, 'answered_with_html'],
  ['a page of XHTML', 'application/xhtml+xml', '<?xml version="1.0"?>', 'answered_with_html'],
  ['a word, with the default type of PHP', 'text/html; charset=UTF-8', 'ok', undefined],
  ['nothing, with the default type of PHP', 'text/html; charset=UTF-8', '', undefined],
  ['JSON', 'application/json', '{}', undefined],
] as const)
  test(`an answer of 200 with ${title} has ${warning === undefined ? 'no warning' : `the warning ${warning}`}`, async (t) => {
    const { send } = await startReceiver(t, (_, response) =>
      response.writeHead(200, { 'content-type': type }).end(body),
    );
    assert.deepEqual(await send(), warning === undefined ? { status: 200 } : { status: 200, warning });
  });

for (const status of [302, 401, 503])
  test(`sending an outcome rejects when the receiver answers ${status}, and follows no redirect`, async (t) => {
    const { requests, send } = await startReceiver(t, (_, response) =>
      response.writeHead(status, { location: '/elsewhere' }).end('no'),
    );
    await assert.rejects(send(), { message: `HTTP ${status}`, status });
    assert.equal(requests.length, 1);
  });

test('sending an outcome rejects when the signal aborts before the receiver answers', async (t) => {
  const controller = new AbortController();
  const { send } = await startReceiver(t, () => controller.abort());
  await assert.rejects(send(controller.signal), { message: 'timeout' });
});

test('sending an outcome rejects when no server listens at the URL of the receiver', async () => {
  const send = createOutcomeSender({ receiver: { url: `http://127.0.0.1:${await findFreePort()}`, keys } });
  await assert.rejects(
    async () => send(outcome, { signal: new AbortController().signal }),
    ({ message, stack, cause }: Error) => {
      assert.deepEqual([message, stack, cause], ['ECONNREFUSED', undefined, undefined], 'the log has one short line');
      return true;
    },
  );
});

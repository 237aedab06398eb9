import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { endpoint, TestCheckoutServer, type TestResponse } from '../../support/test-checkout-server.ts';

const validBody = '{"payment_method_id":"pm_card"}';
const jsonType = 'application/json';

async function post(
  harness: TestCheckoutServer,
  body: BodyInit,
  headers: Record<string, string> = { 'content-type': jsonType },
): Promise<TestResponse> {
  const init = { method: 'POST', headers: { 'idempotency-key': 'k', ...headers }, body, duplex: 'half' };
  return harness.parseResponse(harness.request(`/${harness.capability}/invoice`, init));
}

/** Status, code and detail of a problem. */
const problemParts = ({ status, problem: { code, detail } }: TestResponse): readonly unknown[] => [
  status,
  code,
  detail,
];

describe('a body', () => {
  test('is read when its type is application/json in any letter case, with or without parameters', async () => {
    const harness = await TestCheckoutServer.open();
    for (const type of ['Application/JSON', 'application/json ; a=b'])
      assert.equal((await post(harness, validBody, { 'content-type': type })).checkout.status, 'pending');
    for (const type of ['text/application/json', 'application/json-seq', 'application/json, text/plain']) {
      const response = await post(harness, validBody, { 'content-type': type });
      assert.deepEqual(problemParts(response), [415, 'invalid_request', 'content-type: must be application/json']);
    }
    // A body of bytes has no type of its own.
    assert.equal((await post(harness, new TextEncoder().encode(validBody), {})).status, 415);
  });

  test('that is cut short is refused with another detail than a body that is not JSON', async () => {
    const harness = await TestCheckoutServer.open();
    const broken = new ReadableStream({ pull: (stream) => stream.error(new Error('reset')) });
    assert.deepEqual(problemParts(await post(harness, broken)), [400, 'invalid_request', 'body: was cut short']);
    assert.deepEqual(problemParts(await post(harness, validBody.slice(1))), [
      400,
      'invalid_request',
      'body: must be JSON',
    ]);
  });

  test('that does not arrive in time is refused', async () => {
    const harness = await TestCheckoutServer.open();
    const state = { isAnswered: false };
    const response = post(harness, new ReadableStream()).finally(() => (state.isAnswered = true));
    await harness.advance(9_999);
    assert.equal(state.isAnswered, false);
    await harness.advance(1);
    assert.deepEqual(problemParts(await response), [408, 'invalid_request', 'body: took too long']);
  });
});

test('a request whose body something has read before is answered with 500, and the log says what happened', async () => {
  const harness = await TestCheckoutServer.open();
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
  const body = JSON.stringify({ payment_method_id: 'pm_card' });
  const request = new Request(`${endpoint}/${harness.capability}/invoice`, { method: 'POST', headers, body });
  await request.text();
  const { status, problem } = await harness.parseResponse(harness.server.handle(request, { address: undefined }));
  assert.deepEqual([status, problem.code], [500, 'internal']);
  const entry = harness.logEntries.find(({ event }) => event === 'internal');
  assert.match(JSON.stringify(entry?.facts), /mount handle\(\) before body parsers/);
});

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
  for (const accepted of [jsonType, 'Application/JSON', 'application/json;charset=utf-8', 'application/json ; a=b'])
    test(`of the type ${accepted} is read`, async () => {
      assert.equal((await post(await TestCheckoutServer.open(), validBody, { 'content-type': accepted })).status, 201);
    });

  for (const refused of ['text/plain', 'text/application/json', 'application/json-seq', 'application/json, text/plain'])
    test(`of the type ${refused} is refused`, async () => {
      const response = await post(await TestCheckoutServer.open(), validBody, { 'content-type': refused });
      assert.deepEqual(problemParts(response), [415, 'invalid_request', 'content-type: must be application/json']);
    });

  test('is read up to the limit and refused from the next byte on, by Content-Length or by the received bytes', async () => {
    const limit = 16 * 1024;
    const harness = await TestCheckoutServer.open();
    const tooLarge = [413, 'invalid_request', 'body: is too large'];
    assert.deepEqual(problemParts(await post(harness, validBody.padEnd(limit + 1))), tooLarge);
    const headersOfTooLarge = { 'content-type': jsonType, 'content-length': String(limit + 1) };
    assert.deepEqual(problemParts(await post(harness, validBody, headersOfTooLarge)), tooLarge);
    assert.equal((await post(harness, validBody.padEnd(limit))).status, 201);
    assert.equal(
      (await post(harness, validBody, { ...headersOfTooLarge, 'content-length': String(limit) })).status,
      200,
    );
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

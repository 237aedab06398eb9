import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TestCheckoutServer, type TestResponse } from '../../support/test-checkout-server.ts';

const good = '{"payment_method_id":"pm_card"}';
const type = 'application/json';

async function post(
  harness: TestCheckoutServer,
  body: BodyInit,
  headers: Record<string, string> = { 'content-type': type },
): Promise<TestResponse> {
  const init = { method: 'POST', headers: { 'idempotency-key': 'k', ...headers }, body, duplex: 'half' };
  return harness.parseResponse(harness.request(`/${harness.id}/invoice`, init));
}

/** Status, code and detail of a problem. */
const partsOf = ({ status, problem: { code, detail } }: TestResponse): readonly unknown[] => [status, code, detail];

describe('a body', () => {
  for (const accepted of [type, 'Application/JSON', 'application/json;charset=utf-8', 'application/json ; a=b'])
    test(`of the type ${accepted} is read`, async () => {
      assert.equal((await post(await TestCheckoutServer.open(), good, { 'content-type': accepted })).status, 201);
    });

  for (const refused of ['text/plain', 'text/application/json', 'application/json-seq', 'application/json, text/plain'])
    test(`of the type ${refused} is refused`, async () => {
      const answer = await post(await TestCheckoutServer.open(), good, { 'content-type': refused });
      assert.deepEqual(partsOf(answer), [415, 'invalid_request', 'content-type: must be application/json']);
    });

  test('is read up to the limit and refused from the next byte on, by Content-Length or by the received bytes', async () => {
    const limit = 100;
    const harness = await TestCheckoutServer.open({}, { limits: { bodyBytes: limit } });
    const tooLarge = [413, 'invalid_request', 'body: is too large'];
    assert.deepEqual(partsOf(await post(harness, good.padEnd(limit + 1))), tooLarge);
    const announced = { 'content-type': type, 'content-length': String(limit + 1) };
    assert.deepEqual(partsOf(await post(harness, good, announced)), tooLarge);
    assert.equal((await post(harness, good.padEnd(limit))).status, 201);
    assert.equal((await post(harness, good, { ...announced, 'content-length': String(limit) })).status, 200);
  });

  test('that is cut short is refused with another detail than one that is not JSON', async () => {
    const harness = await TestCheckoutServer.open();
    const broken = new ReadableStream({ pull: (stream) => stream.error(new Error('reset')) });
    assert.deepEqual(partsOf(await post(harness, broken)), [400, 'invalid_request', 'body: was cut short']);
    assert.deepEqual(partsOf(await post(harness, good.slice(1))), [400, 'invalid_request', 'body: must be JSON']);
  });

  test('that is not UTF-8 is refused, and one whose character is split between two chunks is read', async () => {
    const harness = await TestCheckoutServer.open();
    const bytes = new TextEncoder().encode('{"payment_method_id":"pm_card","note":"я"}');
    const inTwoParts = new ReadableStream({
      start(stream) {
        for (const part of [bytes.slice(0, -3), bytes.slice(-3)]) stream.enqueue(part);
        stream.close();
      },
    });
    assert.equal((await post(harness, inTwoParts)).status, 201);
    const withInvalidByte = bytes.with(-3, 0xff);
    assert.deepEqual(partsOf(await post(harness, withInvalidByte)), [400, 'invalid_request', 'body: must be UTF-8']);
    assert.deepEqual(partsOf(await post(harness, bytes.slice(0, -3))), [400, 'invalid_request', 'body: must be UTF-8']);
  });

  test('that does not arrive in time is refused', async () => {
    const harness = await TestCheckoutServer.open();
    const state = { isAnswered: false };
    const response = post(harness, new ReadableStream()).finally(() => (state.isAnswered = true));
    await harness.advance(9_999);
    assert.equal(state.isAnswered, false);
    await harness.advance(1);
    assert.deepEqual(partsOf(await response), [408, 'invalid_request', 'body: took too long']);
  });

  for (const [body, detail] of [
    ['5', 'body: Invalid input: expected object, received number'],
    ['{}', 'payment_method_id: Invalid input: expected string, received undefined'],
    ['{"payment_method_id":"pm_card","amount":1}', 'amount: Invalid input: expected string, received number'],
  ] as const)
    test(`${body} is refused: ${detail}`, async () => {
      assert.deepEqual(partsOf(await post(await TestCheckoutServer.open(), body)), [400, 'invalid_request', detail]);
    });
});

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { BodyError, readBody } from '../../src/base/read-limited-body.ts';

const neverAborted = new AbortController().signal;
const bytes = (text: string) => new TextEncoder().encode(text);

/** Creates a response whose body consists of `chunks`. `state.isCanceled` becomes true when the body is canceled. */
function createResponse(chunks: readonly Uint8Array[], end: 'close' | 'hang' | 'error' = 'close') {
  const state = { isCanceled: false };
  let next = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const chunk = chunks[next];
      next += 1;
      if (chunk !== undefined) controller.enqueue(chunk);
      else if (end === 'close') controller.close();
      else if (end === 'error') controller.error(new Error('terminated'));
      else return new Promise(() => undefined);
      return undefined;
    },
    cancel: () => {
      state.isCanceled = true;
    },
  });
  return { state, response: new Response(stream) };
}

const expectedError = (reason: string) => ({ constructor: BodyError, name: 'BodyError', message: reason, reason });

suite('readBody', () => {
  test('decodes a character that is split between two chunks', async () => {
    const [...nameBytes] = bytes('Иван');
    const { response } = createResponse([new Uint8Array(nameBytes.slice(0, 3)), new Uint8Array(nameBytes.slice(3))]);
    assert.equal(await readBody(response, 100, neverAborted), 'Иван');
  });
  test('rejects with not_utf8 when it is strict, and a byte or the last character is not UTF-8', async () => {
    const name = bytes('Иван');
    for (const body of [name.with(2, 0xff), name.slice(0, -1)])
      await assert.rejects(
        readBody(createResponse([body]).response, 100, neverAborted, true),
        expectedError('not_utf8'),
      );
  });
  test('reads a body of exactly maxBytes', async () => {
    const { response } = createResponse([bytes('12345'), bytes('67890')]);
    const withLength = new Response(response.body, { headers: { 'content-length': '10' } });
    assert.equal(await readBody(withLength, 10, neverAborted), '1234567890');
  });
  test('rejects with too_large at the first byte over maxBytes, and cancels the rest of the body', async () => {
    const { response, state } = createResponse([bytes('12345'), bytes('678901')], 'hang');
    await assert.rejects(readBody(response, 10, neverAborted), expectedError('too_large'));
    assert.equal(state.isCanceled, true);
  });
  test('rejects with too_large when Content-Length exceeds maxBytes, and cancels the body without reading it', async () => {
    const { response, state } = createResponse([bytes('1')], 'hang');
    const responseWithLength = new Response(response.body, { headers: { 'content-length': '11' } });
    await assert.rejects(readBody(responseWithLength, 10, neverAborted), expectedError('too_large'));
    assert.equal(state.isCanceled, true);
  });
  test('rejects with cut_short when the connection breaks during the body', async () => {
    await assert.rejects(
      readBody(createResponse([bytes('{')], 'error').response, 10, neverAborted),
      expectedError('cut_short'),
    );
  });
  test('rejects with an AbortError, and cancels the body, when the signal aborts while the body stalls', async () => {
    const { response, state } = createResponse([bytes('{')], 'hang');
    const controller = new AbortController();
    const reading = readBody(response, 10, controller.signal);
    controller.abort();
    await assert.rejects(reading, { name: 'AbortError' });
    assert.equal(state.isCanceled, true);
  });
  test('returns an empty text for a response without a body', async () =>
    assert.equal(await readBody(new Response(null, { status: 204 }), 10, neverAborted), ''));
});

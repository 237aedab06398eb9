import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { BodyError, readBody } from '../../src/base/read-limited-body.ts';

const neverAborted = new AbortController().signal;
const bytes = (text: string) => new TextEncoder().encode(text);

/** A response whose body consists of `chunks`. `seen.canceled` is set when the body is cancelled. */
function streamOf(chunks: readonly Uint8Array[], end: 'close' | 'hang' | 'error' = 'close') {
  const seen = { canceled: false };
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
      seen.canceled = true;
    },
  });
  return { seen, response: new Response(stream) };
}

const bodyError = (reason: string) => ({ constructor: BodyError, name: 'BodyError', message: reason, reason });

suite('readBody', () => {
  test('decodes a character that is split between two chunks', async () => {
    const [...all] = bytes('Иван');
    const { response } = streamOf([new Uint8Array(all.slice(0, 3)), new Uint8Array(all.slice(3))]);
    assert.equal(await readBody(response, 100, neverAborted), 'Иван');
  });
  test('reads a body of exactly the cap', async () => {
    assert.equal(await readBody(streamOf([bytes('12345'), bytes('67890')]).response, 10, neverAborted), '1234567890');
  });
  test('refuses one byte more than the cap, and cancels the rest', async () => {
    const { response, seen } = streamOf([bytes('12345'), bytes('678901')], 'hang');
    await assert.rejects(readBody(response, 10, neverAborted), bodyError('too_large'));
    assert.equal(seen.canceled, true);
  });
  test('refuses a body whose announced length exceeds the cap, without reading it', async () => {
    const { response, seen } = streamOf([bytes('1')], 'hang');
    const announced = new Response(response.body, { headers: { 'content-length': '11' } });
    await assert.rejects(readBody(announced, 10, neverAborted), bodyError('too_large'));
    assert.equal(seen.canceled, true);
  });
  test('reads a body whose length is announced as exactly the cap', async () => {
    const announced = new Response('1234567890', { headers: { 'content-length': '10' } });
    assert.equal(await readBody(announced, 10, neverAborted), '1234567890');
  });
  test('rejects with cut_short when the body breaks off', async () => {
    await assert.rejects(readBody(streamOf([bytes('{')], 'error').response, 10, neverAborted), bodyError('cut_short'));
  });
  test('cancels a stalled body when the signal aborts', async () => {
    const { response, seen } = streamOf([bytes('{')], 'hang');
    const controller = new AbortController();
    const reading = readBody(response, 10, controller.signal);
    controller.abort();
    await assert.rejects(reading, { name: 'AbortError' });
    assert.equal(seen.canceled, true);
  });
  test('returns an empty text for a response without a body', async () =>
    assert.equal(await readBody(new Response(null, { status: 204 }), 10, neverAborted), ''));
});

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { BodyError, readBody } from '../../src/base/read-body.ts';

const idle = new AbortController().signal;
const bytes = (text: string) => new TextEncoder().encode(text);

/** A body of chunks that tells whether it was cancelled. */
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
  test('puts a character together that two chunks share', async () => {
    const [...all] = bytes('Иван');
    const { response } = streamOf([new Uint8Array(all.slice(0, 3)), new Uint8Array(all.slice(3))]);
    assert.equal(await readBody(response, 100, idle), 'Иван');
  });
  test('reads a body of exactly the cap', async () => {
    assert.equal(await readBody(streamOf([bytes('12345'), bytes('67890')]).response, 10, idle), '1234567890');
  });
  test('refuses one byte more, and cancels the rest', async () => {
    const { response, seen } = streamOf([bytes('12345'), bytes('678901')], 'hang');
    await assert.rejects(readBody(response, 10, idle), bodyError('too_large'));
    assert.equal(seen.canceled, true);
  });
  test('refuses a length that is announced as more, without reading', async () => {
    const { response, seen } = streamOf([bytes('1')], 'hang');
    const announced = new Response(response.body, { headers: { 'content-length': '11' } });
    await assert.rejects(readBody(announced, 10, idle), bodyError('too_large'));
    assert.equal(seen.canceled, true);
  });
  test('reads a body whose length is announced as exactly the cap', async () => {
    const announced = new Response('1234567890', { headers: { 'content-length': '10' } });
    assert.equal(await readBody(announced, 10, idle), '1234567890');
  });
  test('tells a body that breaks off', async () => {
    await assert.rejects(readBody(streamOf([bytes('{')], 'error').response, 10, idle), bodyError('cut_short'));
  });
  test('lets go of a body that stalls when the signal aborts', async () => {
    const { response, seen } = streamOf([bytes('{')], 'hang');
    const controller = new AbortController();
    const reading = readBody(response, 10, controller.signal);
    controller.abort();
    await assert.rejects(reading, { name: 'AbortError' });
    assert.equal(seen.canceled, true);
  });
  test('reads no body as an empty text', async () =>
    assert.equal(await readBody(new Response(null, { status: 204 }), 10, idle), ''));
});

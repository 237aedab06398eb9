import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { suite, test } from 'node:test';
import { sleep, rejectOnAbort } from '../../src/base/clock.ts';
import { randomId, systemRandom } from '../../src/base/random.ts';
import { AutoAdvancingClock } from '../support/auto-advancing-clock.ts';
import { assertSameTime } from '../support/fake-clock.ts';

suite('rejectOnAbort', () => {
  test('rejects with an AbortError when the signal has aborted before the call', async () => {
    await assert.rejects(rejectOnAbort(new Promise(() => undefined), AbortSignal.abort()), {
      name: 'AbortError',
      message: 'aborted',
    });
  });
  test('removes its abort listener when the promise has settled', async () => {
    const { signal } = new AbortController();
    await rejectOnAbort(Promise.resolve(1), signal);
    await assert.rejects(rejectOnAbort(Promise.reject(new Error('x')), signal));
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
  });
});

suite('sleep', () => {
  test('resolves after the given time and removes its abort listener', async () => {
    const time = new AutoAdvancingClock();
    const { signal } = new AbortController();
    const start = time.now();
    await time.value(sleep(time, 250, signal));
    assertSameTime(time.now() - start, 250);
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
  });
  test('rejects with the reason of the abort, and cancels its timer', async () => {
    const time = new AutoAdvancingClock();
    const controller = new AbortController();
    const sleeping = sleep(time, 250, controller.signal);
    controller.abort(new RangeError('stopped'));
    await assert.rejects(sleeping, new RangeError('stopped'));
    assert.equal(time.pending, 0);
    await assert.rejects(sleep(time, 250, controller.signal), new RangeError('stopped'));
  });
});

test('an identifier has 144 random bits in the alphabet of base64url', () => {
  const bytes = (first: number, step: number) => (count: number) =>
    Uint8Array.from({ length: count }, (_, index) => first + step * index);
  assert.equal(randomId({ number: () => 0, bytes: bytes(0, 1) }), 'AAECAwQFBgcICQoLDA0ODxAR');
  assert.equal(randomId({ number: () => 0, bytes: bytes(255, 0) }), '_'.repeat(24));
  assert.equal(new Set(Array.from({ length: 1000 }, () => randomId(systemRandom))).size, 1000);
});

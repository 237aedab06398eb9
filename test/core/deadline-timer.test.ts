import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHeartbeat } from '../../src/core/deadline-timer.ts';
import { emptyModel, type Model } from '../../src/core/model.ts';
import { reduce } from '../../src/core/reducer.ts';
import type { Checkout } from '../../src/protocol.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkouts.ts';
import { FakePageLifecycle } from '../support/fake-page-lifecycle.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** A heart that notes when it beats (ms since it was made) and whether it says that the beat was late. */
function aHeart() {
  const clock = new FakeClock();
  const pageLifecycle = new FakePageLifecycle();
  const start = clock.now();
  const beats: (readonly [at: number, late: boolean])[] = [];
  const heart = createHeartbeat(clock, pageLifecycle, (late) => beats.push([clock.now() - start, late]));
  const after = (checkout: Checkout, number = 1, model: Model = emptyModel): Model =>
    reduce(model, { type: 'answer', number, checkout, now: clock.now() });
  return { clock, pageLifecycle, heart, beats, after };
}

const waiting = (expires_in_ms?: number): Checkout => makeCheckout('pending', { expires_in_ms });

describe('the heartbeat', () => {
  for (const { left, expected } of [
    { left: undefined, expected: [5000, 10_000] },
    { left: 60_000, expected: [5000, 10_000] },
    { left: 7000, expected: [5000, 7000, 12_000] },
    { left: 500, expected: [500, 5500, 10_500] },
    { left: 0, expected: [5000, 10_000] },
  ])
    it(`with ${left ?? 'no'} ms left beats at ${expected.join(', ')} ms`, async () => {
      const { clock, heart, beats, after } = aHeart();
      heart.follow(after(waiting(left)));
      await clock.advance(12_000);
      assert.deepEqual(
        beats.map(([at]) => at),
        expected,
      );
    });

  it('does not begin anew with a model whose deadline is the same', async () => {
    const { clock, heart, beats, after } = aHeart();
    const model = after(waiting(60_000));
    heart.follow(model);
    await clock.advance(4500);
    heart.follow(model);
    await clock.advance(600);
    assert.deepEqual(beats, [[5000, false]]);
    assert.equal(clock.pending, 1);
  });

  it('begins anew with another deadline', async () => {
    const { clock, heart, beats, after } = aHeart();
    const model = after(waiting(60_000));
    heart.follow(model);
    await clock.advance(1500);
    heart.follow(after(waiting(1700), 2, model));
    await clock.advance(1700);
    assert.deepEqual(beats, [[3200, false]]);
    assert.equal(clock.pending, 1);
  });

  it('ends with the waiting, and begins again with it', async () => {
    const { clock, heart, beats, after } = aHeart();
    heart.follow(after(waiting(60_000)));
    heart.follow(after(makeOpenCheckout()));
    assert.equal(clock.pending, 0);
    heart.follow(after(waiting(60_000)));
    await clock.advance(5000);
    assert.equal(beats.length, 1);
    heart.stop();
    assert.equal(clock.pending, 0);
  });

  for (const { stalled, before, then, late } of [
    { stalled: 15_000, before: true, then: true, late: false },
    { stalled: 15_001, before: true, then: true, late: true },
    { stalled: 20_000, before: false, then: true, late: false },
    { stalled: 20_000, before: true, then: false, late: false },
  ])
    it(`after ${stalled} ms, ${before ? 'visible' : 'hidden'} before and ${then ? 'visible' : 'hidden'} then, is ${late ? '' : 'not '}late`, async () => {
      const { clock, pageLifecycle, heart, beats, after } = aHeart();
      pageLifecycle.visible = before;
      heart.follow(after(waiting()));
      clock.stall(stalled);
      pageLifecycle.visible = then;
      await clock.advance(0);
      assert.deepEqual(beats, [[stalled, late]]);
    });
});

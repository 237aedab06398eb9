import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDeadlineTimer } from '../../src/core/deadline-and-sleep-timer.ts';
import type { Deadline } from '../../src/core/checkout-state.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakePageLifecycle } from '../support/fake-page-lifecycle.ts';

/** A timer that records when it ticks (ms since it was made) and whether it reports the tick as late. */
function createTestTimer() {
  const clock = new FakeClock();
  const pageLifecycle = new FakePageLifecycle();
  const start = clock.now();
  const ticks: (readonly [at: number, late: boolean])[] = [];
  const setTimer = createDeadlineTimer({ clock, pageLifecycle }, (late) => ticks.push([clock.now() - start, late]));
  const deadlineIn = (ms: number | undefined): Deadline | undefined =>
    ms === undefined ? undefined : { at: clock.now() + ms, span: ms, certain: true };
  return { clock, pageLifecycle, setTimer, ticks, deadlineIn };
}

describe('the deadline timer', () => {
  for (const { remaining, expected } of [
    { remaining: undefined, expected: [5000, 10_000] },
    { remaining: 60_000, expected: [5000, 10_000] },
    { remaining: 7000, expected: [5000, 7000, 12_000] },
    { remaining: 500, expected: [500, 5500, 10_500] },
    { remaining: 0, expected: [5000, 10_000] },
  ])
    it(`ticks at ${expected.join(', ')} ms with ${remaining ?? 'no'} ms left`, async () => {
      const { clock, setTimer, ticks, deadlineIn } = createTestTimer();
      setTimer({ deadline: deadlineIn(remaining) });
      await clock.advance(12_000);
      assert.deepEqual(
        ticks.map(([at]) => at),
        expected,
      );
    });

  it('starts again with another deadline', async () => {
    const { clock, setTimer, ticks, deadlineIn } = createTestTimer();
    setTimer({ deadline: deadlineIn(60_000) });
    await clock.advance(1500);
    setTimer({ deadline: deadlineIn(1700) });
    await clock.advance(1700);
    assert.deepEqual(ticks, [[3200, false]]);
    assert.equal(clock.pending, 1);
  });

  it('leaves no timer behind when it stops, and can start again', async () => {
    const { clock, setTimer, ticks, deadlineIn } = createTestTimer();
    setTimer({ deadline: deadlineIn(60_000) });
    setTimer();
    assert.equal(clock.pending, 0);
    setTimer({ deadline: deadlineIn(60_000) });
    await clock.advance(5000);
    assert.equal(ticks.length, 1);
    setTimer();
    assert.equal(clock.pending, 0);
  });

  for (const { stalled, visibleBefore, visibleAtTick, late } of [
    { stalled: 15_000, visibleBefore: true, visibleAtTick: true, late: false },
    { stalled: 15_001, visibleBefore: true, visibleAtTick: true, late: true },
    { stalled: 20_000, visibleBefore: false, visibleAtTick: true, late: false },
    { stalled: 20_000, visibleBefore: true, visibleAtTick: false, late: false },
  ])
    it(`reports a tick after ${stalled} ms as ${late ? 'late' : 'not late'} when the page is ${visibleBefore ? 'visible' : 'hidden'} before it and ${visibleAtTick ? 'visible' : 'hidden'} at it`, async () => {
      const { clock, pageLifecycle, setTimer, ticks, deadlineIn } = createTestTimer();
      pageLifecycle.visible = visibleBefore;
      setTimer({ deadline: deadlineIn(undefined) });
      clock.stall(stalled);
      pageLifecycle.visible = visibleAtTick;
      await clock.advance(0);
      assert.deepEqual(ticks, [[stalled, late]]);
    });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDeadlineTimer } from '../../src/core/session-effects.ts';
import type { Deadline } from '../../src/core/public-state.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakePageLifecycle } from '../support/fake-page-lifecycle.ts';

/** A timer that records when each tick came (in hundredths of a second after the creation) and whether the timer reported it as late. */
function createTestTimer() {
  const clock = new FakeClock();
  const pageLifecycle = new FakePageLifecycle();
  const createdAt = clock.now();
  const ticks: (readonly [at: number, isLate: boolean])[] = [];
  const setTimer = createDeadlineTimer({ clock, pageLifecycle }, (late) =>
    ticks.push([Math.round((clock.now() - createdAt) / 10) * 10, late]),
  );
  const deadlineIn = (ms: number | undefined): Deadline | undefined =>
    ms === undefined ? undefined : { at: clock.now() + ms, span: ms, certain: true };
  return { clock, pageLifecycle, setTimer, ticks, deadlineIn };
}

describe('the deadline timer', () => {
  for (const { remainingMs, expectedTicks } of [
    { remainingMs: undefined, expectedTicks: [5000, 10_000] },
    { remainingMs: 60_000, expectedTicks: [5000, 10_000] },
    { remainingMs: 7000, expectedTicks: [5000, 7000, 12_000] },
    { remainingMs: 500, expectedTicks: [500, 5500, 10_500] },
    { remainingMs: 0, expectedTicks: [5000, 10_000] },
  ])
    it(`ticks after ${expectedTicks.join(', ')} ms ${remainingMs === undefined ? 'without a deadline' : `when ${remainingMs} ms are left`}`, async () => {
      const { clock, setTimer, ticks, deadlineIn } = createTestTimer();
      setTimer({ deadline: deadlineIn(remainingMs) });
      await clock.advance(12_010);
      assert.deepEqual(
        ticks.map(([at]) => at),
        expectedTicks,
      );
    });

  it('starts its interval again when another deadline is set', async () => {
    const { clock, setTimer, ticks, deadlineIn } = createTestTimer();
    setTimer({ deadline: deadlineIn(60_000) });
    await clock.advance(1500);
    setTimer({ deadline: deadlineIn(1700) });
    await clock.advance(1710);
    assert.deepEqual(ticks, [[3200, false]]);
    assert.equal(clock.pending, 1);
  });

  it('leaves no timer of the clock behind when it stops, and ticks after another start', async () => {
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

  for (const { stalledMs, visibleBefore, visibleAtTick, isLate } of [
    { stalledMs: 14_998, visibleBefore: true, visibleAtTick: true, isLate: false },
    { stalledMs: 15_002, visibleBefore: true, visibleAtTick: true, isLate: true },
    { stalledMs: 20_000, visibleBefore: false, visibleAtTick: true, isLate: false },
    { stalledMs: 20_000, visibleBefore: true, visibleAtTick: false, isLate: false },
  ])
    it(`reports a tick after ${stalledMs} ms as ${isLate ? 'late' : 'not late'} when the page is ${visibleBefore ? 'visible' : 'hidden'} before it and ${visibleAtTick ? 'visible' : 'hidden'} at it`, async () => {
      const { clock, pageLifecycle, setTimer, ticks, deadlineIn } = createTestTimer();
      pageLifecycle.visible = visibleBefore;
      setTimer({ deadline: deadlineIn(undefined) });
      clock.stall(stalledMs);
      pageLifecycle.visible = visibleAtTick;
      await clock.advance(0);
      assert.deepEqual(
        ticks.map(([, late]) => late),
        [isLate],
      );
    });
});

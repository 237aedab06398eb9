import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPoller } from '../../src/core/session-effects.ts';
import { FakePageLifecycle } from '../support/fake-page-lifecycle.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';

/** A poller whose reads never end. `reads` records when each read began (in whole ms) and whether it was a long poll. */
function createTestPoller(longPoll: boolean) {
  const clock = new FakeClock();
  const createdAt = clock.now();
  const pageLifecycle = new FakePageLifecycle();
  const reads: (readonly [at: number, isLongPoll: boolean])[] = [];
  const recordRead = (isLongPoll: boolean) => {
    reads.push([Math.round(clock.now() - createdAt), isLongPoll]);
    return new Promise<boolean>(() => undefined);
  };
  const poller = createPoller(
    { clock, pageLifecycle },
    recordRead,
    () => ({ after: 1000, longPoll }),
    () => undefined,
  );
  return { clock, pageLifecycle, poller, reads };
}

describe('a call of load', () => {
  for (const { isLongPoll, elapsedMs, startsRead } of [
    { isLongPoll: true, elapsedMs: 0, startsRead: false },
    { isLongPoll: true, elapsedMs: 998, startsRead: false },
    { isLongPoll: true, elapsedMs: 1002, startsRead: true },
    { isLongPoll: false, elapsedMs: 998, startsRead: false },
    { isLongPoll: false, elapsedMs: 5000, startsRead: false },
  ])
    it(`${startsRead ? 'starts a new read' : 'waits for the read under way'} when it comes ${elapsedMs} ms after a ${isLongPoll ? 'long poll' : 'plain read'} began`, async () => {
      const { clock, poller, reads } = createTestPoller(isLongPoll);
      poller.start(100);
      await clock.advance(100);
      clock.stall(elapsedMs);
      void poller.load('join');
      await settle();
      assert.deepEqual(reads, [[100, isLongPoll], ...(startsRead ? [[100 + elapsedMs, false]] : [])]);
      poller.stop();
    });

  it('reads nothing before the poller starts', async () => {
    const { poller, reads } = createTestPoller(true);
    await poller.load('join');
    poller.stop();
    assert.deepEqual(reads, []);
  });
});

describe('a page that is shown again', () => {
  for (const { isLongPoll, elapsedMs, startsRead } of [
    { isLongPoll: true, elapsedMs: 998, startsRead: false },
    { isLongPoll: true, elapsedMs: 1002, startsRead: true },
    { isLongPoll: false, elapsedMs: 5000, startsRead: false },
  ])
    it(`${startsRead ? 'starts a new read' : 'keeps the read under way'} when the ${isLongPoll ? 'long poll' : 'plain read'} began ${elapsedMs} ms ago`, async () => {
      const { clock, pageLifecycle, poller, reads } = createTestPoller(isLongPoll);
      poller.start(100);
      await clock.advance(100);
      clock.stall(elapsedMs);
      pageLifecycle.resume();
      await settle();
      assert.equal(reads.length, startsRead ? 2 : 1);
      poller.stop();
      assert.equal(pageLifecycle.listeners + clock.pending, 0);
    });
});

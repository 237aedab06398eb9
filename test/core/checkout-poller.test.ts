import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPoller } from '../../src/core/checkout-poller.ts';
import { FakePageLifecycle } from '../support/fake-page-lifecycle.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';

/** A poller whose reads never end. `reads` records when each began (ms) and whether it was a long poll. */
function createTestPoller(hold: boolean) {
  const clock = new FakeClock();
  const pageLifecycle = new FakePageLifecycle();
  const createdAt = clock.now();
  const reads: (readonly [at: number, held: boolean])[] = [];
  const read = (longPoll: boolean) => {
    reads.push([clock.now() - createdAt, longPoll]);
    return new Promise<boolean>(() => undefined);
  };
  const poller = createPoller(
    { clock, pageLifecycle },
    read,
    () => ({ after: 1000, longPoll: hold }),
    () => undefined,
  );
  return { clock, pageLifecycle, poller, reads };
}

describe('a requested read', () => {
  for (const { hold, later, again } of [
    { hold: true, later: 0, again: false },
    { hold: true, later: 999, again: false },
    { hold: true, later: 1000, again: true },
    { hold: false, later: 999, again: false },
    { hold: false, later: 5000, again: false },
  ])
    it(`${again ? 'starts a new read' : 'waits for the read under way'} when it comes ${later} ms after a ${hold ? 'long poll' : 'plain read'} began`, async () => {
      const { clock, poller, reads } = createTestPoller(hold);
      poller.start(100);
      await clock.advance(100);
      clock.stall(later);
      void poller.load(true);
      await settle();
      assert.deepEqual(reads, [[100, hold], ...(again ? [[100 + later, false]] : [])]);
      poller.stop();
    });

  it('reads nothing before the poller starts', async () => {
    const { poller, reads } = createTestPoller(true);
    await poller.load(true);
    poller.stop();
    assert.deepEqual(reads, []);
  });
});

describe('a second start of the poller', () => {
  it('changes nothing', async () => {
    const { clock, pageLifecycle, poller, reads } = createTestPoller(true);
    poller.start(100);
    poller.start(0);
    await clock.advance(99);
    assert.deepEqual(reads, []);
    assert.equal(pageLifecycle.listeners, 1);
    poller.stop();
  });
});

describe('a page that is shown again', () => {
  for (const { later, again } of [
    { later: 999, again: false },
    { later: 1000, again: true },
  ])
    it(`${again ? 'starts a new read' : 'keeps the long poll'} when the long poll began ${later} ms ago`, async () => {
      const { clock, pageLifecycle, poller, reads } = createTestPoller(true);
      poller.start(100);
      await clock.advance(100);
      clock.stall(later);
      pageLifecycle.resume();
      await settle();
      assert.equal(reads.length, again ? 2 : 1);
      poller.stop();
      assert.equal(pageLifecycle.listeners + clock.pending, 0);
    });
});

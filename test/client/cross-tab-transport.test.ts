import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sharedTransport } from '../../src/client/cross-tab-transport.ts';
import type { ReadAnswer, ReadRequest } from '../../src/core.ts';
import { makeCheckout } from '../support/checkout-responses.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { Deferred, FakeTransport } from '../support/fake-transport.ts';
import { FakeLocks } from './fake-tabs.ts';

const longPoll: ReadRequest = { etag: '"1"', waitSeconds: 25 };
const unchangedResult: ReadAnswer = { kind: 'unchanged' };
const changedResult: ReadAnswer = { kind: 'checkout', checkout: makeCheckout('paid'), etag: '"2"' };

/** Creates tabs of one origin that show the same checkout. The read with an index waits for `responses` at that index. */
function createOrigin(locks: FakeLocks | null = new FakeLocks()) {
  const clock = new FakeClock();
  const responses: Deferred<ReadAnswer>[] = [];
  const visibilityListeners = new Set<() => void>();
  const transport = new FakeTransport(clock, () => {
    const response = new Deferred<ReadAnswer>();
    responses.push(response);
    return response.promise;
  });
  const openTab = (page = { visible: true }) => {
    const shared = sharedTransport(transport, 'chk', {
      clock,
      locks: (locks ?? undefined) as LockManager | undefined,
      isVisible: () => page.visible,
      onVisibility(callback) {
        visibilityListeners.add(callback);
        return () => void visibilityListeners.delete(callback);
      },
    });
    return (request: ReadRequest = longPoll, signal = new AbortController().signal) => shared.read(request, signal);
  };
  return { clock, locks, transport, responses, visibilityListeners, openTab };
}

/** Asserts that no read has left a timer, a lock or a listener behind. */
function assertNothingLeft(origin: ReturnType<typeof createOrigin>): void {
  const { clock, locks, transport, visibilityListeners } = origin;
  assert.deepEqual([clock.pending, locks?.size ?? 0, transport.reading, visibilityListeners.size], [0, 0, 0, 0]);
}

describe('the cross-tab transport', () => {
  it('sends one long poll at a time, and the next tab sends its own when the response has arrived', async () => {
    const origin = createOrigin();
    const [firstRead, secondRead] = [origin.openTab()(), origin.openTab()()];
    await settle();
    assert.equal(origin.transport.reads.length, 1);
    origin.responses[0]?.resolve(unchangedResult);
    assert.equal(await firstRead, unchangedResult);
    await settle();
    assert.equal(origin.transport.reads.length, 2);
    origin.responses[1]?.resolve(unchangedResult);
    assert.equal(await secondRead, unchangedResult);
    assert.equal(origin.transport.mostReading, 1);
    await settle();
    assertNothingLeft(origin);
  });

  for (const [name, request] of Object.entries<ReadRequest>({
    'not a long poll': { etag: '"1"' },
    'a read without an entity tag': {},
    'by a tab with another ETag': { ...longPoll, etag: '"2"' },
  }))
    it(`sends a read while another tab has the lock when it is ${name}`, async () => {
      const origin = createOrigin();
      void origin.openTab()();
      await settle();
      void origin.openTab()(request);
      await settle();
      assert.deepEqual(
        origin.transport.reads.map((call) => call.request),
        [longPoll, request],
      );
    });

  it('lets the next tab read at once when the tab with the lock closes, fails or is hidden', async () => {
    const origin = createOrigin();
    const controller = new AbortController();
    const reads = [origin.openTab()(longPoll, controller.signal), ...[1, 2, 3].map(() => origin.openTab()())];
    const outcomes = Promise.allSettled(reads);
    await settle();
    controller.abort();
    await settle();
    assert.equal(origin.transport.reads.length, 2);
    origin.responses[1]?.reject(new Error('no network'));
    await settle();
    assert.equal(origin.transport.reads.length, 3);
    for (const hide of origin.visibilityListeners) hide();
    await settle();
    assert.equal(origin.transport.reads.length, 4);
    for (const response of origin.responses) response.resolve(unchangedResult);
    assert.deepEqual(
      (await outcomes).map(({ status }) => status),
      ['rejected', 'rejected', 'fulfilled', 'fulfilled'],
    );
    await settle();
    assertNothingLeft(origin);
  });

  it('reads without the lock after twice the duration of a long poll', async () => {
    const origin = createOrigin();
    const reads = [origin.openTab()(), origin.openTab()()];
    await settle();
    await origin.clock.advance(49_999);
    assert.equal(origin.transport.reads.length, 1);
    await origin.clock.advance(1);
    assert.equal(origin.transport.reads.length, 2);
    for (const response of origin.responses) response.resolve(unchangedResult);
    await Promise.all(reads);
    await settle();
    assertNothingLeft(origin);
  });

  it('sends its read only once when a browser grants the lock after the tab has stopped waiting for it', async () => {
    const granted = new Deferred<void>();
    const locks = new FakeLocks();
    locks.request = async (_name, _options, turn) => {
      await granted.promise;
      await turn({});
    };
    const origin = createOrigin(locks);
    const read = origin.openTab()();
    await origin.clock.advance(50_000);
    granted.resolve();
    await settle();
    assert.equal(origin.transport.reads.length, 1);
    origin.responses[0]?.resolve(unchangedResult);
    await read;
    await settle();
    assertNothingLeft(origin);
  });

  it('waits for no lock and no change in a hidden tab', async () => {
    const origin = createOrigin();
    void origin.openTab()();
    await settle();
    const hiddenRead = origin.openTab({ visible: false })();
    await settle();
    assert.deepEqual(origin.transport.reads.at(-1)?.request, { etag: '"1"', waitSeconds: undefined });
    for (const response of origin.responses) response.resolve(changedResult);
    assert.equal(await hiddenRead, changedResult);
    await settle();
    assertNothingLeft(origin);
  });

  it('leaves no timer, lock or listener behind when a read is aborted while it waits for the lock', async () => {
    const origin = createOrigin();
    const controller = new AbortController();
    const firstRead = origin.openTab()();
    const secondRead = origin.openTab()(longPoll, controller.signal);
    await settle();
    controller.abort();
    await assert.rejects(secondRead);
    origin.responses[0]?.resolve(unchangedResult);
    await firstRead;
    await settle();
    assertNothingLeft(origin);
  });

  it('sends every read directly where the browser has no locks, or refuses them', async () => {
    const refusing = new FakeLocks();
    refusing.request = () => Promise.reject(new DOMException('not here', 'SecurityError'));
    for (const locks of [null, refusing]) {
      const origin = createOrigin(locks);
      const reads = [origin.openTab()(), origin.openTab()()];
      await settle();
      assert.equal(origin.transport.reads.length, 2);
      for (const response of origin.responses) response.resolve(unchangedResult);
      await Promise.all(reads);
      assertNothingLeft(origin);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import { makeCheckout } from '../support/checkout-responses.ts';
import { collectedHeap } from '../support/collected-heap.ts';
import { createTestSession, type TestSession } from '../support/test-session.ts';

const hourMs = 3_600_000;

interface Hour {
  readonly reads: number;
  readonly timers: number;
  readonly listeners: number;
  readonly heap: number;
}

/**
 * Runs a session for twelve hours of a fake clock, and measures it each hour. The records of the fakes, which grow with each
 * request, are cleared each hour.
 */
async function twelveHours({
  session,
  clock,
  transport,
  pageLifecycle,
  events,
  states,
}: TestSession): Promise<readonly Hour[]> {
  session.start();
  const hours: Hour[] = [];
  for (let hour = 0; hour < 12; hour += 1) {
    await clock.advance(hourMs);
    const reads = transport.reads.length;
    for (const records of [transport.reads, events, states]) records.length = 0;
    hours.push({ reads, timers: clock.pending, listeners: pageLifecycle.listeners, heap: collectedHeap() });
  }
  return hours;
}

function assertFlat(hours: readonly Hour[], mostReads: number): void {
  for (const { reads, timers, listeners } of hours.slice(1)) {
    assert.ok(reads > 0 && reads <= mostReads, `${reads} reads in an hour`);
    assert.ok(timers <= 3, `${timers} timers`);
    assert.equal(listeners, 1);
  }
  // The heap of a single hour varies, so the least of three hours is compared. A kilobyte kept for each read would make
  // about a megabyte.
  const least = (some: readonly Hour[]): number => Math.min(...some.map(({ heap }) => heap));
  const grown = least(hours.slice(-3)) - least(hours.slice(1, 4));
  assert.ok(grown < 500_000, `the heap grew by ${grown} bytes in eight hours`);
}

describe('a session of twelve hours', () => {
  it('does not collect requests, timers, listeners or memory with long polls', async () => {
    const test = createTestSession(makeCheckout('pending', { expires_in_ms: 13 * hourMs }));
    assertFlat(await twelveHours(test), 3600 / 25 + 1);
    assert.equal(test.session.getState().status, 'waiting');
    test.session.stop();
    assert.equal(test.pageLifecycle.listeners + test.transport.reading, 0);
  });

  it('does not collect them when every response is new', async () => {
    const test = createTestSession(makeCheckout('pending', { expires_in_ms: 13 * hourMs }));
    test.backend.holds = false;
    test.transport.onRead = (_, index) => ({
      kind: 'checkout',
      etag: `"${index}"`,
      checkout: makeCheckout('pending', { service_status: `WORD ${index}`, payment_url: `javascript:${index}` }),
    });
    assertFlat(await twelveHours(test), 3600 / 2 + 1);
    test.session.stop();
    assert.equal(test.clock.pending, 0);
  });

  it('does not collect them when every request fails', async () => {
    const test = createTestSession(makeCheckout('pending'));
    test.transport.onRead = () => new CheckoutError('network', 'away');
    assertFlat(await twelveHours(test), 3600 / 5);
    test.session.stop();
  });
});

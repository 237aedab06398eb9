import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CheckoutError } from '../../src/core.ts';
import { makeCheckout } from '../support/checkout-responses.ts';
import { createTestSession, type TestSession } from '../support/test-session.ts';

const hourMs = 3_600_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Collects garbage, and returns how many bytes of this process' heap are still reachable. */
function measureReachableHeap(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

interface HourlyMeasurement {
  readonly reads: number;
  readonly timers: number;
  readonly listeners: number;
  /** Infinity in the hours that are not compared, because collecting garbage takes long. */
  readonly heap: number;
}

/**
 * Runs a session for twelve hours of a fake clock, and takes a measurement each hour. The records of the fakes grow with each
 * request, so they are cleared each hour.
 */
async function measureTwelveHours({
  session,
  clock,
  transport,
  pageLifecycle,
  events,
  states,
}: TestSession): Promise<readonly HourlyMeasurement[]> {
  session.start();
  const measurements: HourlyMeasurement[] = [];
  for (let hour = 0; hour < 12; hour += 1) {
    await clock.advance(hourMs);
    const reads = transport.reads.length;
    for (const records of [transport.reads, events, states]) records.length = 0;
    measurements.push({
      reads,
      timers: clock.pending,
      listeners: pageLifecycle.listeners,
      heap: (hour > 0 && hour < 4) || hour > 8 ? measureReachableHeap() : Infinity,
    });
  }
  return measurements;
}

function assertNoGrowth(measurements: readonly HourlyMeasurement[], maxReads: number): void {
  for (const { reads, timers, listeners } of measurements.slice(1)) {
    assert.ok(reads > 0 && reads <= maxReads, `${reads} reads in an hour`);
    assert.ok(timers <= 3, `${timers} timers`);
    assert.equal(listeners, 1);
  }
  // The heap varies from hour to hour, so the least heap of the first three hours is compared with that of the last three. A
  // leak of a kilobyte for each read would be about a megabyte.
  const leastHeap = (selectedMeasurements: readonly HourlyMeasurement[]): number =>
    Math.min(...selectedMeasurements.map(({ heap }) => heap));
  const growthBytes = leastHeap(measurements.slice(-3)) - leastHeap(measurements.slice(1, 4));
  assert.ok(growthBytes < 500_000, `the heap grew by ${growthBytes} bytes in eight hours`);
}

describe('a session of twelve hours', () => {
  it('needs no more reads, timers, listeners or memory in its last hours than in its first, with long polls', async () => {
    const testSession = createTestSession(makeCheckout('pending', { expires_in_ms: 13 * hourMs }));
    assertNoGrowth(await measureTwelveHours(testSession), 3600 / 25 + 1);
    assert.equal(testSession.session.getState().status, 'waiting');
    testSession.session.stop();
    assert.equal(testSession.pageLifecycle.listeners + testSession.transport.reading, 0);
  });

  it('needs no more reads, timers, listeners or memory in its last hours when every response differs', async () => {
    const testSession = createTestSession(makeCheckout('pending', { expires_in_ms: 13 * hourMs }));
    testSession.backend.holds = false;
    testSession.transport.onRead = (_, index) => ({
      kind: 'checkout',
      etag: `"${index}"`,
      checkout: makeCheckout('pending', { service_status: `WORD ${index}`, payment_url: `javascript:${index}` }),
    });
    assertNoGrowth(await measureTwelveHours(testSession), 3600 / 2 + 1);
    testSession.session.stop();
    assert.equal(testSession.clock.pending, 0);
  });

  it('needs no more reads, timers, listeners or memory in its last hours when every read fails', async () => {
    const testSession = createTestSession(makeCheckout('pending'));
    testSession.transport.onRead = () => new CheckoutError('network', 'away');
    assertNoGrowth(await measureTwelveHours(testSession), 3600 / 5);
    testSession.session.stop();
  });
});

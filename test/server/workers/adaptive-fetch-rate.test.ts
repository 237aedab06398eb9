import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createFetchRateLimit } from '../../../src/server/workers/adaptive-fetch-rate.ts';
import { holds } from '../../support/properties.ts';

const maxPerSecond = 60;

/** Makes calls as often as the rate limit allows, each `lateness()` milliseconds late. Returns the times of the calls. */
function makeCalls(
  lateness: () => number,
  forMs: number,
  result: 'succeeded' | 'failed' = 'succeeded',
): readonly number[] {
  let now = 1_000_000;
  const clock = { now: () => now, schedule: () => () => undefined };
  const rateLimit = createFetchRateLimit(clock, maxPerSecond);
  const calls: number[] = [];
  const end = now + forMs;
  while (now < end) {
    if (rateLimit.waitMs() > 0) {
      now += Math.ceil(rateLimit.waitMs()) + lateness();
      continue;
    }
    calls.push(now);
    rateLimit.noteStart();
    if (result === 'succeeded') rateLimit.noteSuccess();
    else rateLimit.noteFailure(undefined);
  }
  return calls;
}

function maxCallsPerSecond(calls: readonly number[]): number {
  return Math.max(...calls.map((from) => calls.filter((at) => at >= from && at < from + 1000).length));
}

test('no second has more than one call beyond the limit, however late the calls start', () => {
  holds(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 40 }), (latenesses) => {
      let index = 0;
      const calls = makeCalls(() => latenesses[(index += 1) % latenesses.length] ?? 0, 5000);
      assert.ok(maxCallsPerSecond(calls) <= maxPerSecond + 1, String(maxCallsPerSecond(calls)));
    }),
  );
});

test('timers that fire late by some tens of milliseconds do not lower the rate', () => {
  for (const lateMs of [0, 10, 40, 80]) {
    const perSecond = makeCalls(() => lateMs, 10_000).length / 10;
    assert.ok(perSecond >= 50, `${lateMs} ms late: ${perSecond} calls a second`);
  }
});

test('in an outage at most 65 calls a minute are made', () => {
  assert.ok(makeCalls(() => 0, 60_000, 'failed').length <= 65);
});

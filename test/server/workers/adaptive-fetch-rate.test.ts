import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createFetchRateLimit } from '../../../src/server/workers/adaptive-fetch-rate.ts';
import { holds } from '../../support/properties.ts';

const maxPerSecond = 60;

/** The times of calls that are made as often as the rate limit allows, each `lateness()` milliseconds late. */
function callsOf(
  lateness: () => number,
  forMs: number,
  outcome: 'answered' | 'failed' = 'answered',
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
    if (outcome === 'answered') rateLimit.noteSuccess();
    else rateLimit.noteFailure(undefined);
  }
  return calls;
}

function busiestSecond(calls: readonly number[]): number {
  return Math.max(...calls.map((from) => calls.filter((at) => at >= from && at < from + 1000).length));
}

test('no window of one second has more calls than allowed, however late each starts', () => {
  holds(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 40 }), (latenesses) => {
      let index = 0;
      const calls = callsOf(() => latenesses[(index += 1) % latenesses.length] ?? 0, 5000);
      assert.ok(busiestSecond(calls) <= maxPerSecond + 1, String(busiestSecond(calls)));
    }),
  );
});

test('timers that fire late by some tens of milliseconds do not lower the rate', () => {
  for (const lateMs of [0, 10, 40, 80]) {
    const perSecond = callsOf(() => lateMs, 10_000).length / 10;
    assert.ok(perSecond >= 50, `${lateMs} ms late: ${perSecond} calls a second`);
  }
});

test('in an outage there are at most 65 calls a minute', () => {
  assert.ok(callsOf(() => 0, 60_000, 'failed').length <= 65);
});

import type { Clock } from '../../base/clock.ts';

/** How fast the service is called: more after each answer, half after each failure (AIMD). */
export interface AdaptiveRateLimit {
  /** How long to wait before the next call may begin, in milliseconds. */
  waitMs(): number;
  callStarted(): void;
  callSucceeded(): void;
  callFailed(retryAfterMs: number | undefined): void;
}

/** In an outage there is a call a second, by which its end is noticed. */
const leastPerSecond = 1;
const longestPauseMs = 10_000;
/** Calls that were late by no more than this are made up for: a busy process wakes late each time. */
const slackMs = 100;

export function createAdaptiveRateLimit(clock: Clock, mostPerSecond: number): AdaptiveRateLimit {
  const step = mostPerSecond / 10;
  let perSecond = mostPerSecond;
  let nextAt = 0;
  return {
    waitMs: () => Math.max(0, nextAt - clock.now()),
    callStarted() {
      // With the slack no second holds more than `perSecond` and the one that it begins with.
      nextAt = Math.max(nextAt, clock.now() - slackMs) + (1000 + slackMs) / perSecond;
    },
    callSucceeded() {
      perSecond = Math.min(mostPerSecond, perSecond + step);
    },
    callFailed(retryAfterMs = 0) {
      perSecond = Math.max(Math.min(leastPerSecond, mostPerSecond), perSecond / 2);
      nextAt = Math.max(nextAt, clock.now() + Math.min(retryAfterMs, longestPauseMs));
    },
  };
}

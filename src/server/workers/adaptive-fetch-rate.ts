import type { Clock } from '../../base/clock.ts';

/** Limits the rate of calls: it rises by a fixed step after a success and is halved after a failure (AIMD). */
export interface FetchRateLimit {
  /** Milliseconds until the next call may start. */
  waitMs(): number;
  callStarted(): void;
  callSucceeded(): void;
  callFailed(retryAfterMs: number | undefined): void;
}

/** The lowest rate: calls continue during an outage, so that its end is detected. */
const minPerSecond = 1;
const maxPauseMs = 10_000;
/** A start that is late by at most this does not lower the rate: timers of a busy process fire late. */
const slackMs = 100;

export function createFetchRateLimit(clock: Clock, maxPerSecond: number): FetchRateLimit {
  const step = maxPerSecond / 10;
  let perSecond = maxPerSecond;
  let nextAt = 0;
  return {
    waitMs: () => Math.max(0, nextAt - clock.now()),
    callStarted() {
      // With the slack, any window of one second holds at most `perSecond` + 1 calls.
      nextAt = Math.max(nextAt, clock.now() - slackMs) + (1000 + slackMs) / perSecond;
    },
    callSucceeded() {
      perSecond = Math.min(maxPerSecond, perSecond + step);
    },
    callFailed(retryAfterMs = 0) {
      perSecond = Math.max(Math.min(minPerSecond, maxPerSecond), perSecond / 2);
      nextAt = Math.max(nextAt, clock.now() + Math.min(retryAfterMs, maxPauseMs));
    },
  };
}

import type { Clock } from '../../base/clock.ts';

/** Limits the rate of calls. The limit rises by a fixed step after a success, and is halved after a failure (AIMD). */
export interface FetchRateLimit {
  /** Milliseconds until the next call may start. */
  waitMs(): number;
  /** Call it when a call starts. */
  noteStart(): void;
  /** Call it when a call has succeeded. */
  noteSuccess(): void;
  /** Call it when a call has failed. */
  noteFailure(retryAfterMs: number | undefined): void;
}

/** The lowest rate. It is not zero, so that the end of an outage is detected. */
const minPerSecond = 1;
const maxPauseMs = 10_000;
/** A call that starts late by at most this does not lower the rate, because timers of a busy process fire late. */
const slackMs = 100;

export function createFetchRateLimit(clock: Clock, maxPerSecond: number): FetchRateLimit {
  const stepPerSecond = maxPerSecond / 10;
  let perSecond = maxPerSecond;
  let nextCallAt = 0;
  return {
    waitMs: () => Math.max(0, nextCallAt - clock.now()),
    noteStart() {
      // With the slack, any window of one second holds at most `perSecond` + 1 calls.
      nextCallAt = Math.max(nextCallAt, clock.now() - slackMs) + (1000 + slackMs) / perSecond;
    },
    noteSuccess() {
      perSecond = Math.min(maxPerSecond, perSecond + stepPerSecond);
    },
    noteFailure(retryAfterMs = 0) {
      perSecond = Math.max(Math.min(minPerSecond, maxPerSecond), perSecond / 2);
      nextCallAt = Math.max(nextCallAt, clock.now() + Math.min(retryAfterMs, maxPauseMs));
    },
  };
}

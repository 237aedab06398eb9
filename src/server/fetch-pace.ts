import type { Clock } from './clock.ts';

/** How fast the service is called: more after each answer, half after each failure (AIMD). */
export interface FetchPace {
  /** How long to wait before the next call may begin, in milliseconds. */
  pause(): number;
  began(): void;
  answered(): void;
  failed(retryAfterMs: number | undefined): void;
}

/** In an outage there is a call a second, by which its end is noticed. */
const leastPerSecond = 1;
const longestPauseMs = 10_000;

export function createFetchPace(clock: Clock, mostPerSecond: number): FetchPace {
  const step = mostPerSecond / 10;
  let perSecond = mostPerSecond;
  let nextAt = 0;
  return {
    pause: () => Math.max(0, nextAt - clock.now()),
    began() {
      nextAt = Math.max(nextAt, clock.now()) + 1000 / perSecond;
    },
    answered() {
      perSecond = Math.min(mostPerSecond, perSecond + step);
    },
    failed(retryAfterMs = 0) {
      perSecond = Math.max(Math.min(leastPerSecond, mostPerSecond), perSecond / 2);
      nextAt = Math.max(nextAt, clock.now() + Math.min(retryAfterMs, longestPauseMs));
    },
  };
}

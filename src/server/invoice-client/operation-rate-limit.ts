import { sleep, type Clock } from '../../base/clock.ts';

/** Limits the requests of one operation. Each client of the invoice service has a limiter for each operation. */
export interface RateLimiter {
  /**
   * Counts a request, and resolves with true when the request may be sent. Requests are sent in the order of the calls.
   * Resolves with false when the request would have to wait longer than `maxWaitMs`, or when the signal aborts.
   */
  acquire(maxWaitMs: number, signal?: AbortSignal): Promise<boolean>;
  /** Holds all requests back for `ms` milliseconds, because the service sent `Retry-After`. */
  pause(ms: number): void;
  /** Milliseconds until the next request may be sent. */
  waitMs(): number;
}

/** A little more than a second, because requests that are sent at even intervals may arrive at uneven intervals. */
const windowMs = 1_100;

/** Creates a limiter that allows at most `perSecond` requests in any `windowMs` milliseconds. */
export function createRateLimiter(clock: Clock, perSecond: number): RateLimiter {
  /** The times of the last `perSecond` requests, oldest first. They include the future times of requests that wait. */
  const slots: number[] = [];
  let pausedUntil = -Infinity;

  const nextSlot = (): number => {
    const oldest = slots.length < perSecond ? -Infinity : (slots[0] ?? -Infinity);
    return Math.max(clock.now(), pausedUntil, slots.at(-1) ?? -Infinity, oldest + windowMs);
  };

  return {
    async acquire(maxWaitMs, signal) {
      const latestTime = clock.now() + Math.max(0, maxWaitMs);
      for (;;) {
        const at = nextSlot();
        if (at > latestTime) return false;
        slots.push(at);
        if (slots.length > perSecond) slots.shift();
        try {
          await sleep(clock, at - clock.now(), signal);
        } catch {
          return false; // the caller has aborted; the slot stays unused
        }
        if (clock.now() >= pausedUntil) return true; // otherwise a pause has begun during the wait
      }
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, clock.now() + ms);
    },
    waitMs: () => nextSlot() - clock.now(),
  };
}

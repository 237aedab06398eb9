import { sleep, type Clock } from '../../base/clock.ts';

/** Limits the requests of one operation: each client of the invoice service has one for each operation. */
export interface RateLimiter {
  /**
   * Counts a request and resolves with true when it may be sent, in the order of the calls. Resolves with false when that
   * is not within `maxWaitMs`, or when the signal aborts.
   */
  acquire(maxWaitMs: number, signal?: AbortSignal): Promise<boolean>;
  /** Sends nothing for `ms` milliseconds, because the service sent `Retry-After`. */
  pause(ms: number): void;
  /** Milliseconds until the next request may be sent. */
  waitMs(): number;
}

/** A little more than a second, because requests that are sent evenly may arrive unevenly. */
const windowMs = 1_100;

/** At most `perSecond` requests are sent in any `windowMs` milliseconds. */
export function createRateLimiter(clock: Clock, perSecond: number): RateLimiter {
  /** The times of the last `perSecond` requests, the oldest first. Requests that wait are included with their future times. */
  const slots: number[] = [];
  let pausedUntil = -Infinity;

  const nextSlot = (): number => {
    const oldest = slots.length < perSecond ? -Infinity : (slots[0] ?? -Infinity);
    return Math.max(clock.now(), pausedUntil, slots.at(-1) ?? -Infinity, oldest + windowMs);
  };

  return {
    async acquire(maxWaitMs, signal) {
      const latest = clock.now() + Math.max(0, maxWaitMs);
      for (;;) {
        const at = nextSlot();
        if (at > latest) return false;
        slots.push(at);
        if (slots.length > perSecond) slots.shift();
        try {
          await sleep(clock, at - clock.now(), signal);
        } catch {
          return false; // the caller has aborted, and the slot stays unused
        }
        if (clock.now() >= pausedUntil) return true; // else a pause began during the wait
      }
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, clock.now() + ms);
    },
    waitMs: () => nextSlot() - clock.now(),
  };
}

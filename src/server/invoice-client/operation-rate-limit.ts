import type { Clock } from '../../base/clock.ts';

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

/** A request that waits. */
interface Waiter {
  /** When the request is sent. A pause may postpone it. */
  readonly at: number;
  /** The latest time for which the caller waits. */
  readonly latest: number;
  readonly settle: (isAllowed: boolean) => void;
}

/** A little more than a second, because requests that are sent at even intervals may arrive at uneven intervals. */
const windowMs = 1_100;

/**
 * Creates a limiter that allows at most `perSecond` requests in any `windowMs` milliseconds. Each decision reads the clock once.
 * A waiting request is sent when the timer of its time fires, whatever the clock says then: timers may fire a little early.
 */
export function createRateLimiter(clock: Clock, perSecond: number): RateLimiter {
  /** The times of the last `perSecond` requests that were sent, oldest first. */
  const sent: number[] = [];
  let waiting: readonly Waiter[] = [];
  let pausedUntil = -Infinity;
  let cancelTimer = (): void => undefined;

  const nextTime = (now: number): number => {
    const timeOf = (index: number): number => sent[index] ?? waiting[index - sent.length]?.at ?? -Infinity;
    const count = sent.length + waiting.length;
    return Math.max(now, pausedUntil, timeOf(count - 1), timeOf(count - perSecond) + windowMs);
  };

  const noteSent = (at: number): void => {
    sent.push(at);
    if (sent.length > perSecond) sent.shift();
  };

  const startTimer = (now: number): void => {
    cancelTimer();
    const due = waiting[0]?.at;
    if (due === undefined) return;
    cancelTimer = clock.schedule(due - now, () => {
      const allowed = waiting.filter(({ at }) => at <= due);
      waiting = waiting.slice(allowed.length);
      for (const { at, settle } of allowed) {
        noteSent(at);
        settle(true);
      }
      startTimer(clock.now());
    });
  };

  /** Gives each waiting request its time again, after a pause has begun or a request has gone. */
  const reschedule = (waiters: readonly Waiter[]): void => {
    const now = clock.now();
    waiting = [];
    for (const waiter of waiters) {
      const at = nextTime(now);
      if (at > waiter.latest) waiter.settle(false);
      else waiting = [...waiting, { ...waiter, at }];
    }
    startTimer(now);
  };

  return {
    async acquire(maxWaitMs, signal) {
      if (signal?.aborted === true) return false;
      const now = clock.now();
      const at = nextTime(now);
      const latest = now + Math.max(0, maxWaitMs);
      if (at > latest) return false;
      if (at === now && waiting.length === 0) {
        noteSent(at);
        return true;
      }
      return new Promise<boolean>((resolve) => {
        const abort = (): void => {
          reschedule(waiting.filter(({ settle: settleOther }) => settleOther !== settle));
          settle(false);
        };
        const settle = (isAllowed: boolean): void => {
          signal?.removeEventListener('abort', abort);
          resolve(isAllowed);
        };
        signal?.addEventListener('abort', abort, { once: true });
        waiting = [...waiting, { at, latest, settle }];
        if (waiting.length === 1) startTimer(now);
      });
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, clock.now() + ms);
      reschedule(waiting);
    },
    waitMs() {
      const now = clock.now();
      return nextTime(now) - now;
    },
  };
}

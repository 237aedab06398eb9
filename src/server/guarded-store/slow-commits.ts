import type { Clock } from '../../base/clock.ts';
import { StoreUnavailableError } from '../ports/checkout-store.ts';
import type { Log } from '../ports/log.ts';

/** A commit that takes longer is slow, in milliseconds. */
const slowCommitMs = 500;
/** The interval at which slow commits are logged, in milliseconds. */
const slowRepeatMs = 60_000;
/** How long no further order is taken after a slow commit, in milliseconds. Then one shows whether commits are still slow. */
const slowPauseMs = 5000;

/**
 * While commits are slow, new orders are refused, so that those that were taken can be paid. Slow commits have a log line at most once a
 * minute. A commit that fails is a matter of the outage log.
 */
export function createCommitWatch(log: Log, clock: Clock) {
  let loggedAt = -Infinity;
  let refusesUntil = -Infinity;
  return {
    /** @throws StoreUnavailableError `slow` */
    refuseWhileSlow(): void {
      const retryAfterMs = refusesUntil - clock.now();
      if (retryAfterMs > 0) throw new StoreUnavailableError('slow', { retryAfterMs });
    },
    note(call: string, ms: number): void {
      const now = clock.now();
      refusesUntil = ms > slowCommitMs ? now + slowPauseMs : -Infinity;
      if (ms <= slowCommitMs || now - loggedAt < slowRepeatMs) return;
      loggedAt = now;
      log('warn', 'database_slow', { call, duration_ms: Math.round(ms) });
    },
  };
}

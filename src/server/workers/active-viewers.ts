import type { Clock } from '../../base/clock.ts';

/** Which checkouts a payer has looked at lately, through this process. */
export interface ActiveViewers {
  /** A payer looks now, and goes on for `ms` at least. */
  add(checkoutId: string, ms: number): void;
  has(checkoutId: string): boolean;
  /** Those that are watched, after those who have left are forgotten. */
  all(): IterableIterator<string>;
}

export function createActiveViewers(clock: Clock, watchedMs: number): ActiveViewers {
  const until = new Map<string, number>();
  return {
    add(checkoutId, ms) {
      until.set(checkoutId, Math.max(until.get(checkoutId) ?? 0, clock.now() + ms + watchedMs));
    },
    has: (checkoutId) => (until.get(checkoutId) ?? 0) > clock.now(),
    all() {
      const now = clock.now();
      for (const [checkoutId, end] of until) if (end <= now) until.delete(checkoutId);
      return until.keys();
    },
  };
}

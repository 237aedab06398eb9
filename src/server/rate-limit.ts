import type { Clock } from './clock.ts';
import type { Allowance } from './settings.ts';

/** Lets each of many names do something so often and no more. */
export interface RateLimit {
  /** Takes one; or tells after how many milliseconds there is one again. */
  take(name: string): number | undefined;
}

interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

const maxBuckets = 50_000;

/** A bucket of tokens for each name, which fills up evenly. The names that were quiet for longest are forgotten first. */
export function createRateLimit(clock: Clock, { burst, perMinute }: Allowance): RateLimit {
  const buckets = new Map<string, Bucket>();
  const perMs = perMinute / 60_000;
  return {
    take(name) {
      const now = clock.now();
      const { tokens, at } = buckets.get(name) ?? { tokens: burst, at: now };
      const filled = Math.min(burst, tokens + Math.max(0, now - at) * perMs);
      const left = filled >= 1 ? filled - 1 : filled;
      buckets.delete(name);
      buckets.set(name, { tokens: left, at: now });
      for (const oldest of buckets.keys()) {
        if (buckets.size <= maxBuckets) break;
        buckets.delete(oldest);
      }
      return filled >= 1 ? undefined : Math.ceil((1 - filled) / perMs);
    },
  };
}

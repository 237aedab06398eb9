import { systemClock, type Clock } from '../../base/clock.ts';
import { networkPrefix } from './client-address.ts';
import type { Allowance } from '../options.ts';

/** Lets each of many names do something so often and no more. */
export interface RateLimit<Name = string> {
  /** After how many milliseconds there is one for this name; undefined: there is one now. */
  wait(name: Name): number | undefined;
  /** Takes one. Where there is none, because several asked at once, it is owed: the next has to wait for it too. */
  take(name: Name): void;
}

interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

const maxBuckets = 50_000;

/** A bucket of tokens for each name, which fills up evenly. The names that were quiet for longest are forgotten first. */
export function createRateLimit(clock: Pick<Clock, 'now'>, { burst, perMinute }: Allowance): RateLimit {
  const buckets = new Map<string, Bucket>();
  const perMs = perMinute / 60_000;
  const filled = (name: string): number => {
    const now = clock.now();
    const { tokens, at } = buckets.get(name) ?? { tokens: burst, at: now };
    return Math.min(burst, tokens + Math.max(0, now - at) * perMs);
  };
  return {
    wait(name) {
      const tokens = filled(name);
      return tokens >= 1 ? undefined : Math.ceil((1 - tokens) / perMs);
    },
    take(name) {
      const tokens = filled(name) - 1;
      buckets.delete(name);
      buckets.set(name, { tokens, at: clock.now() });
      for (const oldest of buckets.keys()) {
        if (buckets.size <= maxBuckets) break;
        buckets.delete(oldest);
      }
    },
  };
}

/** The same for clients by their addresses; the addresses of one IPv6 /64 are one. Who has none is not limited. */
export function createAddressLimit(
  allowance: Allowance,
  clock: Pick<Clock, 'now'> = systemClock,
): RateLimit<string | undefined> {
  const limit = createRateLimit(clock, allowance);
  return {
    wait: (address) => (address === undefined ? undefined : limit.wait(networkPrefix(address))),
    take(address) {
      if (address !== undefined) limit.take(networkPrefix(address));
    },
  };
}

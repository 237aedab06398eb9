import type { Clock } from '../../base/clock.ts';
import type { Allowance } from '../timing-and-limit-defaults.ts';

/** A rate limit for each key. */
export interface RateLimit<Key = string> {
  /** Milliseconds until the next use is allowed; undefined when one is allowed now. */
  wait(key: Key): number | undefined;
  /**
   * Counts one use. When concurrent requests exceed the limit, the balance becomes negative, and later requests wait longer.
   */
  take(key: Key): void;
}

interface Bucket {
  readonly tokens: number;
  /** When the bucket had this number of tokens. */
  readonly countedAt: number;
}

const maxBuckets = 50_000;

/** A token bucket for each key. The keys that were used least recently are removed first. */
export function createRateLimit(clock: Pick<Clock, 'now'>, { burst, perMinute }: Allowance): RateLimit {
  const buckets = new Map<string, Bucket>();
  const tokensPerMs = perMinute / 60_000;
  const balanceOf = (key: string, now: number): number => {
    const { tokens, countedAt } = buckets.get(key) ?? { tokens: burst, countedAt: now };
    return Math.min(burst, tokens + Math.max(0, now - countedAt) * tokensPerMs);
  };
  return {
    wait(key) {
      const tokens = balanceOf(key, clock.now());
      return tokens >= 1 ? undefined : Math.ceil((1 - tokens) / tokensPerMs);
    },
    take(key) {
      const now = clock.now();
      const tokens = balanceOf(key, now) - 1;
      buckets.delete(key);
      buckets.set(key, { tokens, countedAt: now });
      for (const oldest of buckets.keys()) {
        if (buckets.size <= maxBuckets) break;
        buckets.delete(oldest);
      }
    },
  };
}

/**
 * A rate limit by client address. The addresses of one IPv6 /64 share a bucket, and so do all clients without an address.
 * @param onUnknownAddress - called on the first use without an address
 */
export function createAddressLimit(
  allowance: Allowance,
  clock: Pick<Clock, 'now'>,
  onUnknownAddress: () => void = () => undefined,
): RateLimit<string | undefined> {
  const limit = createRateLimit(clock, allowance);
  const bucketOf = (address: string | undefined): string => (address === undefined ? '' : networkPrefix(address));
  let isUnknownReported = false;
  return {
    wait: (address) => limit.wait(bucketOf(address)),
    take(address) {
      if (address === undefined && !isUnknownReported) onUnknownAddress();
      isUnknownReported ||= address === undefined;
      limit.take(bucketOf(address));
    },
  };
}

/**
 * The part of an address that identifies a client: an IPv4 address, or the first 64 bits of an IPv6 address, because
 * one client usually has a whole /64. An IPv4-mapped IPv6 address becomes the IPv4 address. Any other text is returned
 * unchanged.
 */
export function networkPrefix(address: string): string {
  const [withoutZone = ''] = address.split('%');
  if (!withoutZone.includes(':') || !URL.canParse(`http://[${withoutZone}]`)) return address;
  const groups = ipv6Groups(new URL(`http://[${withoutZone}]`).hostname.slice(1, -1));
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.');
  const prefixGroups = groups.slice(0, 4).map((group) => group.toString(16));
  return `${prefixGroups.join(':')}::/64`;
}

/** The eight groups of an IPv6 address in the form of URLs: hexadecimal, with at most one `::`. */
function ipv6Groups(address: string): readonly number[] {
  const [before = [], after = []] = address
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))));
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

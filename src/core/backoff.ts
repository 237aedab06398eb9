const floorMs = 500;
const baseMs = 1000;
const capMs = 30_000;
const longestRetryAfterMs = 300_000;

/**
 * How long to wait before asking again after `failures` in a row, in milliseconds: exponential up to 30 s with full
 * jitter (`random` from 0 up to 1). What the server asked for is a floor, up to five minutes of it.
 */
export function backoff(failures: number, random: number, retryAfterMs = 0): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** failures);
  return Math.max(floorMs, Math.min(retryAfterMs, longestRetryAfterMs), random * ceiling);
}

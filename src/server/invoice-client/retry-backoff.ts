/** How long to wait between tries, in milliseconds. */
export interface BackoffSettings {
  /** The longest wait before the second try; it doubles with each further one. */
  readonly baseMs: number;
  /** No wait of its own is longer than this. */
  readonly capMs: number;
}

/**
 * The wait before the next try in milliseconds: capped exponential backoff with full jitter, evenly distributed from
 * 0 up to `min(capMs, baseMs × 2^(tries-1))`.
 * @param tries How many tries have failed, at least 1.
 * @param random A number from 0 up to, but not, 1.
 */
export function backoffMs(tries: number, settings: BackoffSettings, random: number): number {
  return Math.min(settings.capMs, settings.baseMs * 2 ** Math.min(tries - 1, 100)) * random;
}

import type { Clock } from './ports.ts';

const toleranceMs = 2000;

/**
 * Tells at each call whether the device may have slept since the last one: a monotonic clock may stand still meanwhile
 * and the wall clock does not, so that they part. A wall clock that was set by hand looks the same and costs one read.
 */
export function createSleepWatch(clock: Clock): () => boolean {
  let distance = clock.wall() - clock.now();
  return () => {
    const before = distance;
    distance = clock.wall() - clock.now();
    return Math.abs(distance - before) > toleranceMs;
  };
}

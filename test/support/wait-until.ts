import { setTimeout as delay } from 'node:timers/promises';
import { runningTime } from './stall-meter.ts';

/**
 * Resolves once a condition holds, looking often; fails with what was waited for when it has not within the time. Time in
 * which this process did not run is not counted.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  const deadline = runningTime() + withinMs;
  while (!(await condition())) {
    if (runningTime() > deadline) throw new Error(`waited in vain until ${what}`);
    await delay(10);
  }
}

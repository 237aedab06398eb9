import { setTimeout as delay } from 'node:timers/promises';
import { runningTime } from './stall-meter.ts';

/**
 * Checks a condition every 10 ms and resolves once it holds. Rejects with `what` when it does not hold within the time.
 * Time in which this process did not run is not counted.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 30_000,
): Promise<void> {
  const deadline = runningTime() + withinMs;
  while (!(await condition())) {
    if (runningTime() > deadline) throw new Error(`waited in vain until ${what}`);
    await delay(10);
  }
}

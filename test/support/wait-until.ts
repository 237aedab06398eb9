import { setTimeout as delay } from 'node:timers/promises';

/** Resolves once a condition holds, looking often; fails with what was waited for when it has not within the time. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await delay(10);
  }
}

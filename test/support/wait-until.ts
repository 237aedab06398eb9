import { setTimeout as delay } from 'node:timers/promises';

// Tests that run real processes compare durations with limits. They do not count the time in which this process itself did not
// run, because the machine was busy or the process was suspended: it says nothing about the processes under test.

const tickMs = 50;
/** Timers of a busy process are late by less than this. */
const usualLatenessMs = 100;

let stalledMs = 0;
let lastTick = performance.now();
setInterval(() => {
  stalledMs += stallOfLastTick();
  lastTick = performance.now();
}, tickMs).unref();

function stallOfLastTick(): number {
  const latenessMs = performance.now() - lastTick - tickMs;
  return latenessMs > usualLatenessMs ? latenessMs : 0;
}

/** A monotonic time in milliseconds, which does not advance while this process does not run. */
function runningTime(): number {
  return performance.now() - stalledMs - stallOfLastTick();
}

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

import type { Clock } from '../../src/server.ts';

// A run's time passes faster than ours, for the shop's processes and the service alike: leases, deadlines and pauses are
// those of a shop in production, in their true proportions, and a run still takes seconds.

/** How many of a run's seconds pass in one of ours. */
export const speed = 8;

/** The run's time in milliseconds since 1970; `epoch` is when it was the same as ours. */
export function runTime(epoch: number): number {
  return epoch + (Date.now() - epoch) * speed;
}

/** The clock of every program of a run that began at `epoch`. */
export function runClock(epoch: number): Clock {
  return {
    now: () => runTime(epoch),
    schedule(ms, task, background = false) {
      const timer = setTimeout(task, ms / speed);
      if (background) timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

import type { Clock } from '../../src/server.ts';

// Simulated time passes faster than real time, in the shop's processes and in the service. So a run has the leases, deadlines
// and pauses of production, but takes only seconds.

/** How many seconds of simulated time pass in one real second. */
export const speed = 8;

/** The simulated time in milliseconds since 1970. At `epoch` it equals the real time. */
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

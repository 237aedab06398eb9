import type { ServerContext } from '../server-context.ts';
import { minStepMs } from '../in-memory/server-time.ts';
import { createWorkerLoop, type WorkerLoop } from './worker-loop.ts';

const intervalMs = 1000;
/** In this time every process renews its leases, so that they do not look ended after a step forward. */
const holdMs = 2500;
/** Rows that were computed before a step may be written after it; they are moved then. */
const secondPassMs = 3000;

interface Shift {
  readonly at: number;
  /** Only what is due later than this from now is moved. */
  readonly afterMs: number;
  readonly stepMs: number;
}

/**
 * Detects and logs steps of the clock of stored times. After a step back, scheduled times are moved by the step, so that
 * nothing is late; after a step forward, scheduled work is due early.
 */
export function createClockStepDetector(context: Pick<ServerContext, 'clock' | 'time' | 'store' | 'log'>): WorkerLoop {
  const { clock, time, store, log } = context;
  let forwardSince: number | undefined;
  let shifts: readonly Shift[] = [];

  const noteStep = (stepMs: number): void => {
    const now = clock.now();
    if (Math.abs(stepMs) < minStepMs) {
      forwardSince = undefined;
      time.adoptStep();
      return;
    }
    if (forwardSince === undefined) log('warn', 'clock_jumped', { jumped_ms: Math.round(stepMs) });
    if (stepMs > 0) {
      forwardSince ??= now;
      if (now - forwardSince < holdMs) return;
    } else {
      const second = { at: now + secondPassMs, afterMs: -stepMs, stepMs };
      shifts = [...shifts, { at: now, afterMs: 0, stepMs }, second];
    }
    forwardSince = undefined;
    time.adoptStep();
  };

  const loop = createWorkerLoop(clock, log, 'clock_watch', async () => {
    await store.clock?.measure().catch(() => undefined); // while the database does not answer, its time goes on evenly
    noteStep(time.stepMs());
    for (const shift of shifts.filter(({ at }) => at <= clock.now())) {
      await store.shiftSchedule(Math.round(time.now() + shift.afterMs), Math.round(shift.stepMs));
      shifts = shifts.filter((other) => other !== shift);
    }
    return intervalMs;
  });

  return {
    ...loop,
    start() {
      time.watch();
      loop.start();
    },
  };
}

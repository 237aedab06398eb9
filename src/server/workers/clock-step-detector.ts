import type { ServerContext } from '../server-context.ts';
import { minStepMs } from '../in-memory/server-time.ts';
import { createWorkerLoop, type WorkerLoop } from './worker-loop.ts';

const intervalMs = 1000;
/** How long after a step forward it is adopted: until then every process renews its leases, so that none ends by the step. */
const adoptAfterMs = 2500;
/** When rows are moved a second time after a step back: rows that were computed before the step may be written after it. */
const secondShiftAfterMs = 3000;

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

  const handleStep = (stepMs: number): void => {
    const now = clock.now();
    if (Math.abs(stepMs) < minStepMs) {
      forwardSince = undefined;
      time.adoptStep();
      return;
    }
    if (forwardSince === undefined) log('warn', 'clock_jumped', { jumped_ms: Math.round(stepMs) });
    if (stepMs > 0) {
      forwardSince ??= now;
      if (now - forwardSince < adoptAfterMs) return;
    } else {
      const second = { at: now + secondShiftAfterMs, afterMs: -stepMs, stepMs };
      shifts = [...shifts, { at: now, afterMs: 0, stepMs }, second];
    }
    forwardSince = undefined;
    time.adoptStep();
  };

  const loop = createWorkerLoop(clock, log, 'clock_watch', async () => {
    await store.clock?.measure().catch(() => undefined); // without an answer, the last measurement is used
    handleStep(time.stepMs());
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

import type { ServerContext } from '../server-context.ts';
import { createLeaseMs } from '../commands/call-service-and-save-invoice.ts';
import { createWorkerLoop, type WorkerLoop } from './worker-loop.ts';

const intervalMs = 1000;
/** Rows are moved a second time this long after a backward step: rows computed before the step may be written after it. */
const secondShiftAfterMs = 3000;
/** How often the time is stored, so that the next start sees a clock that was set back while no process ran. */
const noteIntervalMs = 10_000;
/** The times of processes on one database differ by less than this. */
const toleranceMs = 2000;

/** A planned call of `shiftSchedule`. */
interface Shift {
  /** When the schedule is shifted. */
  readonly at: number;
  /** Only rows that are due more than this many milliseconds after the shift are moved. */
  readonly afterMs: number;
  readonly stepMs: number;
}

/**
 * Detects and logs steps of the clock of stored times. After a backward step, scheduled times are moved by the step, so that no
 * work is late. After a forward step, scheduled times are not moved: the work is due early. The first round also finds a backward
 * step since the last process ended, by the time that was stored.
 */
export function createClockStepDetector(
  context: Pick<ServerContext, 'clock' | 'random' | 'time' | 'store' | 'log' | 'qr'>,
): WorkerLoop {
  const { clock, time, store, log } = context;
  /** A forward step is adopted after this time. Leases that began before it have ended then, or were renewed. */
  const adoptAfterMs = createLeaseMs(context) + intervalMs;
  let forwardStepSince: number | undefined;
  let shifts: readonly Shift[] = [];

  const handleStep = (stepMs: number): void => {
    const now = clock.now();
    if (stepMs === 0) {
      forwardStepSince = undefined;
      time.adoptStep();
      return;
    }
    if (forwardStepSince === undefined) log('warn', 'clock_jumped', { jumped_ms: Math.round(stepMs) });
    if (stepMs > 0) {
      forwardStepSince ??= now;
      if (now - forwardStepSince < adoptAfterMs) return;
    } else {
      const secondShift = { at: now + secondShiftAfterMs, afterMs: -stepMs, stepMs };
      shifts = [...shifts, { at: now, afterMs: 0, stepMs }, secondShift];
    }
    forwardStepSince = undefined;
    time.adoptStep();
  };

  let notedAt: number | undefined;
  /** Stores the time. The first call plans a shift when the stored time is in the future: nothing is then due later than that. */
  const noteTime = async (): Promise<void> => {
    const now = clock.now();
    if (notedAt !== undefined && now - notedAt < noteIntervalMs) return;
    const seenAt = await store.noteTime(time.now());
    const stepMs = time.now() - (seenAt ?? 0);
    if (notedAt === undefined && stepMs < -toleranceMs) {
      log('warn', 'clock_jumped', { jumped_ms: stepMs });
      shifts = [...shifts, { at: now, afterMs: 0, stepMs }];
    }
    notedAt = now;
  };

  const loop = createWorkerLoop(context, 'clock_watch', async () => {
    await store.clock?.measure().catch(() => undefined); // if it fails, the last measurement is used
    handleStep(time.stepMs());
    await noteTime();
    for (const shift of shifts.filter(({ at }) => at <= clock.now())) {
      await store.shiftSchedule(Math.round(time.now() + shift.afterMs), Math.round(shift.stepMs));
      shifts = shifts.filter((planned) => planned !== shift);
    }
    return intervalMs;
  });

  return {
    ...loop,
    start() {
      time.holdSteps();
      loop.start();
    },
  };
}

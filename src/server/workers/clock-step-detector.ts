import type { ServerContext } from '../server-context.ts';
import { createLeaseMs } from '../commands/call-service-and-save-invoice.ts';
import { createWorkerLoop, type WorkerLoop } from './worker-loop.ts';

const intervalMs = 1000;
/** Nothing is due later than this after a step back, so that work under way may end before it is claimed again. */
const maxDelayMs = 3000;
/** How often the time is stored, so that the next start sees a clock that was set back while no process ran. */
const noteIntervalMs = 10_000;
/** The times of processes on one database differ by less than this. */
const toleranceMs = 2000;

/**
 * Detects and logs steps of the clock of stored times. What a step forward makes due early is done early; ages do not contain it. After a step back,
 * everything is due within `maxDelayMs`, so that no work is late. The first round also finds a step back since the last process
 * ended, by the time that was stored.
 */
export function createClockStepDetector(
  context: Pick<ServerContext, 'clock' | 'random' | 'time' | 'store' | 'log' | 'qr'>,
): WorkerLoop {
  const { clock, time, store, log } = context;
  let notedAt: number | undefined;
  /** When the delays are limited: after a step back at once, and again, because rows computed before it may be written after it. */
  let limitTimes: readonly number[] = [];

  return createWorkerLoop(context, 'clock_watch', async () => {
    await store.clock?.measure().catch(() => undefined); // if it fails, the last measurement is used
    const now = clock.now();
    let setBackMs = 0; // while no process ran
    if (notedAt === undefined || now - notedAt >= noteIntervalMs) {
      const sinceSeenMs = time.now() - ((await store.noteTime(time.now())) ?? 0);
      if (notedAt === undefined && sinceSeenMs < -toleranceMs) setBackMs = sinceSeenMs;
      notedAt = now;
    }
    const stepMs = setBackMs || time.takeStepMs();
    if (stepMs !== 0) log('warn', 'clock_jumped', { jumped_ms: stepMs });
    if (stepMs < 0) limitTimes = [now, now + maxDelayMs];
    const [limitAt = Infinity, ...laterTimes] = limitTimes;
    if (limitAt <= now) {
      await store.limitDelays(time.now() + maxDelayMs, time.now() + createLeaseMs(context));
      limitTimes = laterTimes;
    }
    return intervalMs;
  });
}

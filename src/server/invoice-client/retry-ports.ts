import { setTimeout as sleepFor } from 'node:timers/promises';

/** Time, as a port: tests bring their own. */
export interface RetryClock {
  /** Milliseconds since 1970. It does not jump when the machine's clock is set. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects as soon as the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: RetryClock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms, signal) => sleepFor(ms, undefined, { signal }),
};

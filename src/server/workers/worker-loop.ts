import type { Clock } from '../../base/clock.ts';
import { type Log, errorFields } from '../ports/log.ts';

/** Work that goes on in the background. It never dies from an error. */
export interface WorkerLoop {
  start(): void;
  /** Runs the next round now, or as soon as the one under way is over. */
  wake(): void;
  /** Resolves when the round that is under way is over; none comes after it. */
  stop(): Promise<void>;
}

const pauseAfterErrorMs = 1000;

/** Runs rounds one after another; each tells how long to sleep before the next. */
export function createWorkerLoop(clock: Clock, log: Log, name: string, round: () => Promise<number>): WorkerLoop {
  let isRunning = false;
  let isWoken = false;
  const hasWake = (): boolean => isWoken;
  let cancel: (() => void) | undefined;
  let current: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    isWoken = false;
    let pause = pauseAfterErrorMs;
    try {
      pause = await round();
    } catch (error) {
      log('error', `${name}_failed`, errorFields(error));
    }
    current = undefined;
    sleep(hasWake() ? 0 : pause);
  };

  const sleep = (ms: number): void => {
    cancel?.();
    cancel = undefined;
    if (!isRunning) return;
    cancel = clock.schedule(ms, () => {
      cancel = undefined;
      current = run();
    });
  };

  return {
    start() {
      if (isRunning) return;
      isRunning = true;
      sleep(0);
    },
    wake() {
      isWoken = true;
      if (current === undefined) sleep(0);
    },
    async stop() {
      isRunning = false;
      cancel?.();
      await current;
    },
  };
}

/** Work that goes on beside a loop, so much of it at once. */
export interface ConcurrencyLimit {
  isFull(): boolean;
  run(work: Promise<void>): void;
  /** Resolves when all that has begun is over. */
  idle(): Promise<void>;
}

/** @param onRoom - called when a full crew has room again */
export function createConcurrencyLimit(
  atOnce: number,
  onError: (error: unknown) => void,
  onRoom: () => void,
): ConcurrencyLimit {
  const works = new Set<Promise<void>>();
  return {
    isFull: () => works.size >= atOnce,
    run(work) {
      const tracked = work.catch(onError).finally(() => {
        works.delete(tracked);
        if (works.size === atOnce - 1) onRoom();
      });
      works.add(tracked);
    },
    async idle() {
      await Promise.all(works);
    },
  };
}

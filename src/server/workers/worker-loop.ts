import { AsyncLocalStorage } from 'node:async_hooks';
import { errorFields } from '../ports/log.ts';
import type { ServerContext } from '../server-context.ts';

/** Repeats an async function in the background. An error is logged and does not end the loop. */
export interface WorkerLoop {
  start(): void;
  /** Runs the next round now, or as soon as the current round has ended. */
  wake(): void;
  /** Starts no further round. Resolves when the current round has ended. */
  stop(): Promise<void>;
}

/** The longest pause after an error. The pause is random, and at least half of it, so that processes do not retry in step. */
const pauseAfterErrorMs = 1000;

/** Creates a loop that repeats `round`. A round resolves with the pause before the next round, in milliseconds. */
export function createWorkerLoop(
  { clock, log, random }: Pick<ServerContext, 'clock' | 'log' | 'random'>,
  name: string,
  round: () => Promise<number>,
): WorkerLoop {
  // A round belongs to no request, also when a request has woken the loop: it would be in the trace of that request for ever.
  const runInOwnContext = AsyncLocalStorage.snapshot();
  let isRunning = false;
  let isWoken = false;
  const wasWoken = (): boolean => isWoken;
  let cancel: (() => void) | undefined;
  let currentRound: Promise<void> | undefined;

  const runRound = async (): Promise<void> => {
    isWoken = false;
    let pauseMs = pauseAfterErrorMs * (0.5 + random.number() / 2);
    try {
      pauseMs = await round();
    } catch (error) {
      log('error', `${name}_failed`, errorFields(error));
    }
    currentRound = undefined;
    scheduleRound(wasWoken() ? 0 : pauseMs);
  };

  const scheduleRound = (ms: number): void => {
    cancel?.();
    cancel = undefined;
    if (!isRunning) return;
    cancel = clock.schedule(ms, () => {
      cancel = undefined;
      currentRound = runInOwnContext(runRound);
    });
  };

  return {
    start() {
      if (isRunning) return;
      isRunning = true;
      scheduleRound(0);
    },
    wake() {
      isWoken = true;
      if (currentRound === undefined) scheduleRound(0);
    },
    async stop() {
      isRunning = false;
      cancel?.();
      await currentRound;
    },
  };
}

/**
 * Runs tasks concurrently, up to a maximum.
 * @param onFree - called when the number of tasks falls below the maximum
 */
export function createConcurrencyLimit(max: number, onFree: () => void = () => undefined) {
  const tasks = new Set<Promise<void>>();
  return {
    /** How many more tasks may run. */
    freeCount: (): number => max - tasks.size,
    /** `task` must not reject. */
    run(task: Promise<void>): void {
      const runningTask = task.finally(() => {
        tasks.delete(runningTask);
        if (tasks.size === max - 1) onFree();
      });
      tasks.add(runningTask);
    },
    /** Resolves when no task is running. */
    async idle(): Promise<void> {
      await Promise.all(tasks);
    },
  };
}

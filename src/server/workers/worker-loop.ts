import type { Clock } from '../../base/clock.ts';
import { type Log, errorFields } from '../ports/log.ts';

/** Repeats an async function in the background. An error is logged and does not end the loop. */
export interface WorkerLoop {
  start(): void;
  /** Runs the next round now, or as soon as the current one is over. */
  wake(): void;
  /** Starts no further round, and resolves when the current one is over. */
  stop(): Promise<void>;
}

/** The longest pause after an error; the shortest is half of it, so that processes do not repeat in step. */
const pauseAfterErrorMs = 1000;

/** Runs `round` again and again; it resolves with the pause before the next one, in milliseconds. */
export function createWorkerLoop(clock: Clock, log: Log, name: string, round: () => Promise<number>): WorkerLoop {
  let isRunning = false;
  let isWoken = false;
  const hasWake = (): boolean => isWoken;
  let cancel: (() => void) | undefined;
  let current: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    isWoken = false;
    let pause = pauseAfterErrorMs * (0.5 + Math.random() / 2);
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

/** Runs tasks concurrently, up to a maximum. */
export interface ConcurrencyLimit {
  isFull(): boolean;
  run(task: Promise<void>): void;
  /** Resolves when no task is running. */
  idle(): Promise<void>;
}

/** @param onRoom - called when the number of tasks falls below the maximum */
export function createConcurrencyLimit(
  max: number,
  onError: (error: unknown) => void,
  onRoom: () => void,
): ConcurrencyLimit {
  const tasks = new Set<Promise<void>>();
  return {
    isFull: () => tasks.size >= max,
    run(task) {
      const tracked = task.catch(onError).finally(() => {
        tasks.delete(tracked);
        if (tasks.size === max - 1) onRoom();
      });
      tasks.add(tracked);
    },
    async idle() {
      await Promise.all(tasks);
    },
  };
}

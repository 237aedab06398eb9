import { untilAborted } from '../http/bounded-body.ts';

/** Time, as a port: tests bring their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs the task once after `ms`; returns how to give it up. */
  schedule(ms: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Settles as the work does. When `ms` have passed, or the server stops, the work hears by its signal, and nobody waits
 * for it any longer: this rejects with an AbortError.
 */
export async function withTimeout<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  stopped?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const cancel = clock.schedule(ms, abort);
  stopped?.addEventListener('abort', abort, { once: true });
  if (stopped?.aborted === true) abort();
  try {
    return await untilAborted(work(controller.signal), controller.signal);
  } finally {
    cancel();
    stopped?.removeEventListener('abort', abort);
  }
}

/** Resolves with what the promise does, or with `undefined` when `ms` have passed before. */
export async function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | undefined> {
  let cancel = (): void => undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.schedule(ms, () => resolve(undefined));
  });
  return Promise.race([promise, late]).finally(cancel);
}

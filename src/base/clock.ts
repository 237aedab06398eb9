/** Time, as a port. What needs the time or a timer takes a clock as an option; tests pass their own. */
export interface Clock {
  /** The time in milliseconds: since 1970, or since any origin where only differences count. */
  now(): number;
  /**
   * A time in milliseconds since any origin that goes on evenly when the machine's clock is set. Without it, `now` must
   * do so.
   */
  monotonic?(): number;
  /**
   * Runs `task` once after `ms` milliseconds. The returned function cancels it. A `background` timer does not keep the
   * program running.
   */
  schedule(ms: number, task: () => void, background?: boolean): () => void;
}

/** The longest delay of `setTimeout`: a longer one would fire at once. */
const longestDelayMs = 2 ** 31 - 1;

/** The machine's time in Node. A delay of more than 24 days is shortened to that. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(ms, task, background = false) {
    const timer = setTimeout(task, Math.min(Math.max(0, ms), longestDelayMs));
    if (background) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** The clock for durations within one process: its `now` starts as the given clock's and never jumps. */
export function steady(clock: Clock): Clock {
  const monotonic = (): number => clock.monotonic?.() ?? clock.now();
  const origin = clock.now() - monotonic();
  return {
    now: () => origin + monotonic(),
    monotonic,
    schedule: (ms, task, background) => clock.schedule(ms, task, background),
  };
}

/** `systemClock` for durations within one process. */
export const steadyClock: Clock = steady(systemClock);

/** Settles as the promise does, or rejects with an AbortError as soon as the signal aborts. A later result is ignored. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new DOMException('aborted', 'AbortError'));
  });
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The reason why a signal was aborted, as an error. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new DOMException('This operation was aborted', 'AbortError');
}

/** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as the signal aborts. */
export async function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      cancel();
      if (signal !== undefined) reject(abortReason(signal));
    };
    const cancel = clock.schedule(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/**
 * Settles as the work does. When `ms` milliseconds have passed or `stopped` aborts, the signal that the work received
 * aborts, and this rejects with an AbortError.
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

/** Resolves with the promise's value, or with `undefined` after `ms` milliseconds. */
export async function valueWithin<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | undefined> {
  let cancel = (): void => undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.schedule(ms, () => resolve(undefined));
  });
  return Promise.race([promise, late]).finally(cancel);
}

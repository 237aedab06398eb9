/** The port for time and timers. Tests pass a fake. */
export interface Clock {
  /** The time in milliseconds: since 1970, or from any origin where only differences matter. */
  now(): number;
  /**
   * Milliseconds from any origin, which do not jump when the machine's clock is set. Where this method is absent, `now` must
   * not jump either.
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

/** The machine's time in Node. A delay of more than 24 days is shortened to 24 days. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(ms, task, background = false) {
    const timer = setTimeout(task, Math.min(Math.max(0, ms), longestDelayMs));
    if (background) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A clock for durations within one process. Its `now` starts at the given clock's time and then never jumps. */
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

/** Settles as the promise does, or rejects with an AbortError once the signal aborts. A later result is ignored. */
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
 * Settles as `work` does. Once `ms` milliseconds have passed or `stopped` aborts, it aborts the signal that `work` received
 * and rejects with an AbortError.
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

/** Settles as the promise does, or resolves with `undefined` after `ms` milliseconds. */
export async function valueWithin<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | undefined> {
  let cancel = (): void => undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.schedule(ms, () => resolve(undefined));
  });
  return Promise.race([promise, late]).finally(cancel);
}

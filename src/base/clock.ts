/** The port for time and timers. Tests pass a fake clock. */
export interface Clock {
  /** The time in milliseconds since 1970. A clock that only measures durations may count from any other moment. */
  now(): number;
  /**
   * Milliseconds from any moment. The value does not jump when the machine's clock is set. A clock without this method must
   * have a `now` that does not jump.
   */
  monotonic?(): number;
  /**
   * Runs `task` once after `ms` milliseconds. The returned function cancels it. A `background` timer does not keep the
   * program running.
   */
  schedule(ms: number, task: () => void, background?: boolean): () => void;
}

/** Timers fire early by up to this time, in milliseconds: Node's and browsers' timers do. Wait longer by it for a stored time. */
export const timerEarlyMs = 1;

/** The longest delay of `setTimeout`. A timer with a longer delay would fire immediately. */
const longestDelayMs = 2 ** 31 - 1;

/** Rounds a time up to the next tick, so that invoices that are due at one tick are fetched together. */
export function alignToTick(time: number, tickMs: number): number {
  return Math.ceil(time / tickMs) * tickMs;
}

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

/** Creates a clock for durations within one process. Its `now` starts at the given clock's time and then never jumps. */
export function createSteadyClock(clock: Clock): Clock {
  const monotonic = (): number => clock.monotonic?.() ?? clock.now();
  const origin = clock.now() - monotonic();
  return {
    now: () => origin + monotonic(),
    monotonic,
    schedule: (ms, task, background) => clock.schedule(ms, task, background),
  };
}

/** The steady clock of this machine, for durations within one process. */
export const steadyClock: Clock = createSteadyClock(systemClock);

/** Settles as the promise does. Rejects with an AbortError if the signal aborts first; the promise's result is then ignored. */
export async function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: () => void = () => undefined;
  const rejection = new Promise<never>((_, reject) => {
    onAbort = () => reject(new DOMException('aborted', 'AbortError'));
  });
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, rejection]);
  } finally {
    signal.removeEventListener('abort', onAbort);
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
 * Settles as `work` does. After `ms` milliseconds, or when `stopSignal` aborts, it aborts the signal that `work` received and
 * rejects with an AbortError.
 */
export async function withTimeout<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  stopSignal?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const cancel = clock.schedule(ms, abort);
  stopSignal?.addEventListener('abort', abort, { once: true });
  if (stopSignal?.aborted === true) abort();
  try {
    return await rejectOnAbort(work(controller.signal), controller.signal);
  } finally {
    cancel();
    stopSignal?.removeEventListener('abort', abort);
  }
}

/** Settles as the promise does, or, after `ms` milliseconds, as what `onTimeout` returns. */
async function settleWithin<T, U>(
  clock: Clock,
  ms: number,
  promise: Promise<T>,
  onTimeout: () => U | Promise<U>,
): Promise<T | U> {
  let cancel = (): void => undefined;
  const timeout = new Promise<U>((resolve) => {
    cancel = clock.schedule(ms, () => resolve(onTimeout()));
  });
  return Promise.race([promise, timeout]).finally(cancel);
}

/** Settles as the promise does, or resolves with `undefined` after `ms` milliseconds. */
export function resolveWithin<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | undefined> {
  return settleWithin(clock, ms, promise, () => undefined);
}

/** Settles as the promise does, or rejects with the error that `createError` returns after `ms` milliseconds. */
export function rejectAfter<T>(clock: Clock, ms: number, promise: Promise<T>, createError: () => Error): Promise<T> {
  return settleWithin(clock, ms, promise, () => Promise.reject<T>(createError()));
}

/** Time for the sandbox. A test passes its own; whoever passes only `now` gets the machine's timers. */
export interface SandboxClock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Calls back once after `delayMs`; the returned function takes that back. A background timer does not keep the
   * program running.
   */
  schedule?(delayMs: number, callback: () => void, background: boolean): () => void;
}

/** A clock with both of its halves. */
export type Clock = Required<SandboxClock>;

const longestDelayMs = 2 ** 31 - 1;

/** The machine's time, or the given clock with the machine's timers where it brings none. */
export function completeClock(clock: SandboxClock = Date): Clock {
  return {
    now: () => clock.now(),
    schedule: (delayMs, callback, background) =>
      clock.schedule === undefined
        ? scheduleReal(delayMs, callback, background)
        : clock.schedule(delayMs, callback, background),
  };
}

function scheduleReal(delayMs: number, callback: () => void, background: boolean): () => void {
  const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), longestDelayMs));
  if (background) timer.unref();
  return () => clearTimeout(timer);
}

/** Waits; rejects with the signal's reason when it is aborted first. */
export async function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (delayMs <= 0) return;
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const refuse = (): void => {
      cancel();
      reject(reasonOf(signal));
    };
    const cancel = clock.schedule(
      delayMs,
      () => {
        signal.removeEventListener('abort', refuse);
        resolve();
      },
      false,
    );
    signal.addEventListener('abort', refuse, { once: true });
  });
}

/** Why a signal was aborted, as an error. */
export function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new DOMException('This operation was aborted', 'AbortError');
}

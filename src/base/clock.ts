/** Time, as a port. What needs the time or a timer takes a clock as an option; tests pass their own. */
export interface Clock {
  /** The time in milliseconds: since 1970, or since any origin where only differences count. */
  now(): number;
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
  schedule(ms, task, background = false) {
    const timer = setTimeout(task, Math.min(Math.max(0, ms), longestDelayMs));
    if (background) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Like `systemClock`, but it does not jump when the machine's clock is set: for durations within one process. */
export const steadyClock: Clock = { ...systemClock, now: () => performance.timeOrigin + performance.now() };

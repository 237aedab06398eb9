import type { Clock, SessionPorts } from './session-ports.ts';
import type { WaitingState } from './public-state.ts';

const tickMs = 5000;
/** If a tick of a visible page is late by more than this, in ms, the device has slept. */
const lateMs = 10_000;
/** How much the difference between the two clocks may change without a sleep, in ms. */
const driftMs = 2000;

/** Starts ticks for a waiting payer: every five seconds, and at the deadline. Without an argument, stops them. */
type SetDeadlineTimer = (waiting?: Pick<WaitingState, 'deadline'>) => void;

/**
 * `isLate` is true for a tick that comes so late that the device must have slept, `timeIsUp` for the first one after the
 * deadline.
 */
export function createDeadlineTimer(
  { clock, pageLifecycle }: Pick<SessionPorts, 'clock' | 'pageLifecycle'>,
  onTick: (isLate: boolean, timeIsUp: boolean) => void,
): SetDeadlineTimer {
  let cancel: (() => void) | undefined;

  const setTimer: SetDeadlineTimer = (waiting) => {
    cancel?.();
    if (!waiting) return;
    const now = clock.now();
    const remainingMs = waiting.deadline ? waiting.deadline.at - now : 0;
    // Timers fire up to 1 ms early: the one for the deadline is set for 1 ms later, so that it does not fire before.
    const ms = remainingMs > 0 && remainingMs < tickMs ? Math.ceil(remainingMs) + 1 : tickMs;
    const wasVisible = pageLifecycle.isVisible();
    cancel = clock.schedule(ms, () => {
      const passedMs = clock.now() - now;
      setTimer(waiting);
      const isLate = wasVisible && pageLifecycle.isVisible() && passedMs - ms > lateMs;
      onTick(isLate, remainingMs > 0 && passedMs >= remainingMs);
    });
  };
  return setTimer;
}

/**
 * Returns a function that returns whether the device may have slept since the previous call. A monotonic clock may stop
 * during a sleep, but the wall clock does not, so their difference changes. Setting the wall clock changes the difference too,
 * which only causes an unnecessary read.
 */
export function createSleepDetector(clock: Clock): () => boolean {
  const measureDifference = (): number => clock.wall() - clock.now();
  let difference = measureDifference();
  return () => {
    const previousDifference = difference;
    difference = measureDifference();
    return Math.abs(difference - previousDifference) > driftMs;
  };
}

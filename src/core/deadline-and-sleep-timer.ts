import type { Clock, SessionPorts } from './session-ports.ts';
import type { WaitingState } from './checkout-state.ts';

const tickMs = 5000;
/** If a tick of a visible page is late by more than this, in ms, the device has slept. */
const lateMs = 10_000;
/** How much the difference between the two clocks may change without a sleep, in ms. */
const driftMs = 2000;

/** Starts ticks for a waiting payer: every five seconds, and at the deadline. Without an argument, stops them. */
type SetDeadlineTimer = (waiting?: Pick<WaitingState, 'deadline'>) => void;

/** `onTick` receives whether the tick came so late that the device must have slept. */
export function createDeadlineTimer(
  { clock, pageLifecycle }: Pick<SessionPorts, 'clock' | 'pageLifecycle'>,
  onTick: (late: boolean) => void,
): SetDeadlineTimer {
  let cancel: (() => void) | undefined;

  const set: SetDeadlineTimer = (waiting) => {
    cancel?.();
    if (!waiting) return;
    const now = clock.now();
    const remainingMs = waiting.deadline ? waiting.deadline.at - now : 0;
    const ms = remainingMs > 0 ? Math.min(remainingMs, tickMs) : tickMs;
    const visible = pageLifecycle.isVisible();
    cancel = clock.schedule(ms, () => {
      set(waiting);
      onTick(visible && pageLifecycle.isVisible() && clock.now() - now - ms > lateMs);
    });
  };
  return set;
}

/**
 * Returns a function that returns whether the device may have slept since the previous call. A monotonic clock may stop
 * during a sleep and the wall clock does not, so their difference changes. Setting the wall clock has the same effect, and
 * costs one read.
 */
export function createSleepDetector(clock: Clock): () => boolean {
  const measure = (): number => clock.wall() - clock.now();
  let difference = measure();
  return () => {
    const before = difference;
    difference = measure();
    return Math.abs(difference - before) > driftMs;
  };
}

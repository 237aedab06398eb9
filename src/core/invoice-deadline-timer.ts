import type { Clock, SessionPorts } from './session-ports.ts';
import type { WaitingState } from './checkout-state.ts';

const tickMs = 5000;
/** A tick of a visible page that is late by more than this comes after a sleep, in ms. */
const lateMs = 10_000;
/** The clocks may drift apart by this much without a sleep, in ms. */
const driftMs = 2000;

/** Sets what the timer ticks for: every five seconds while the payer waits, and at the deadline; none stops it. */
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
 * Returns, at each call, whether the device may have slept since the last one. A monotonic clock may stand still during
 * a sleep and the wall clock does not, so their distance changes. Setting the wall clock has the same effect and costs
 * one read.
 */
export function createSleepDetector(clock: Clock): () => boolean {
  const measure = (): number => clock.wall() - clock.now();
  let distance = measure();
  return () => {
    const before = distance;
    distance = measure();
    return Math.abs(distance - before) > driftMs;
  };
}

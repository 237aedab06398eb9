import type { Clock, PageLifecycle } from './ports.ts';
import type { Deadline } from './state.ts';

const tickMs = 5000;
/** A tick of a visible page that is late by more than this comes after a sleep, in ms. */
const lateMs = 10_000;
/** The clocks may drift apart by this much without a sleep, in ms. */
const driftMs = 2000;

/** Ticks every five seconds, and at the deadline. */
export interface DeadlineTimer {
  start(deadline: Deadline | undefined): void;
  stop(): void;
}

/** `onTick` receives whether the tick came so late that the device must have slept. */
export function createDeadlineTimer(
  clock: Clock,
  pageLifecycle: PageLifecycle,
  onTick: (late: boolean) => void,
): DeadlineTimer {
  let cancel: (() => void) | undefined;

  const start = (deadline: Deadline | undefined): void => {
    cancel?.();
    const remainingMs = deadline ? deadline.at - clock.now() : 0;
    const ms = remainingMs > 0 ? Math.min(remainingMs, tickMs) : tickMs;
    const due = clock.now() + ms;
    const visible = pageLifecycle.isVisible();
    cancel = clock.schedule(ms, () => {
      start(deadline);
      onTick(visible && pageLifecycle.isVisible() && clock.now() - due > lateMs);
    });
  };

  return { start, stop: () => cancel?.() };
}

/**
 * Returns, at each call, whether the device may have slept since the last one. A monotonic clock may stand still during
 * a sleep and the wall clock does not, so their distance changes. Setting the wall clock has the same effect and costs
 * one read.
 */
export function createSleepDetector(clock: Clock): () => boolean {
  let distance = clock.wall() - clock.now();
  return () => {
    const before = distance;
    distance = clock.wall() - clock.now();
    return Math.abs(distance - before) > driftMs;
  };
}

import type { Model } from './model.ts';
import type { PageLifecycle, Clock } from './ports.ts';
import type { Deadline } from './state.ts';
import { selectState } from './select-state.ts';

const beatMs = 5000;
/** A beat of a visible page that comes this much too late comes after a sleep. */
const lateMs = 10_000;

/** Beats while requisites are on the screen, and at the moment when their time is up. */
export interface Heartbeat {
  /** Follows the model: beats while it waits. */
  follow(model: Model): void;
  stop(): void;
}

export function createHeartbeat(
  clock: Clock,
  pageLifecycle: PageLifecycle,
  onBeat: (late: boolean) => void,
): Heartbeat {
  let cancel: (() => void) | undefined;
  let deadline: Deadline | undefined;

  const stop = (): void => {
    cancel?.();
    cancel = undefined;
  };

  const schedule = (): void => {
    cancel?.();
    const left = deadline ? deadline.at - clock.now() : 0;
    const ms = left > 0 ? Math.min(left, beatMs) : beatMs;
    const due = clock.now() + ms;
    const visible = pageLifecycle.isVisible();
    cancel = clock.schedule(ms, () => {
      schedule();
      onBeat(visible && pageLifecycle.isVisible() && clock.now() - due > lateMs);
    });
  };

  return {
    stop,
    follow(model) {
      const state = selectState(model);
      if (state.status !== 'waiting') stop();
      else if (!cancel || state.deadline !== deadline) {
        deadline = state.deadline;
        schedule();
      }
    },
  };
}

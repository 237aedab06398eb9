import type { Pace } from './poll-policy.ts';
import type { PageLifecycle, Clock } from './ports.ts';

/** A burst of wakes (shown, focused, restored, online) within this time is one read. */
const burstMs = 1000;

export interface PollerOptions {
  readonly clock: Clock;
  readonly pageLifecycle: PageLifecycle;
  /** Reads once; never rejects. Tells whether an answer came. */
  readonly read: (hold: boolean, signal: AbortSignal) => Promise<boolean>;
  /** When to read next, `elapsed` ms after the last read began. */
  readonly pace: (elapsed: number) => Pace | undefined;
  /** The page was shown, focused, restored or came back online. */
  readonly onWake: () => void;
}

/** Reads again and again, one read at a time. */
export interface Poller {
  /** Begins, with the first read at once or after `ms`. */
  start(ms: number): void;
  /** Leaves no timer, listener or read behind. */
  stop(): void;
  /** Reads now; resolves when that read is over. A read that will soon be answered is joined, unless `anew`. */
  now(anew?: boolean): Promise<void>;
  /** Forgets the read that is under way and counts from now. */
  restart(): void;
  /** The pace may have changed. */
  replan(): void;
}

interface Flight {
  readonly held: boolean;
  readonly done: Promise<void>;
  readonly drop: () => void;
}

export function createPoller({ clock, pageLifecycle, read, pace, onWake }: PollerOptions): Poller {
  let unsubscribe: (() => void) | undefined;
  let flight: Flight | undefined;
  let cancel: (() => void) | undefined;
  let startedAt = 0;
  // Stryker disable next-line BooleanLiteral: It is read only in the first second of a page that was rendered with its checkout, where the value makes the first poll earlier at most.
  let answered = true;

  const elapsed = (): number => clock.now() - startedAt;

  const schedule = (ms: number): void => {
    cancel?.();
    // Stryker disable next-line OptionalChaining,BooleanLiteral: When polling ends, the scheduled poll is cancelled, so the policy always returns an interval here.
    cancel = clock.schedule(ms, () => void launch(pace(elapsed())?.hold ?? false));
  };

  const plan = (): void => {
    cancel?.();
    const next = unsubscribe && pace(elapsed());
    if (next && !flight) schedule(next.after);
  };

  const launch = (held: boolean): Promise<void> => {
    cancel?.();
    flight?.drop();
    startedAt = clock.now();
    const controller = new AbortController();
    const done = new Promise<void>((resolve) => {
      const mine: Flight = {
        held,
        get done() {
          return done;
        },
        drop() {
          flight = undefined;
          controller.abort();
          resolve();
        },
      };
      flight = mine;
      void read(held, controller.signal).then((came) => {
        if (flight !== mine) return;
        flight = undefined;
        answered = came;
        resolve();
        plan();
      });
    });
    return done;
  };

  const wake = (): void => {
    onWake();
    if (!pace(0) || (flight && !flight.held)) return;
    if (elapsed() >= burstMs) void launch(false);
    else if (!flight && !answered) schedule(burstMs - elapsed());
  };

  return {
    start(ms) {
      if (unsubscribe) return;
      unsubscribe = pageLifecycle.onResume(wake);
      if (!pace(0)) return;
      if (ms > 0) schedule(ms);
      else void launch(false);
    },
    stop() {
      unsubscribe?.();
      unsubscribe = undefined;
      cancel?.();
      flight?.drop();
    },
    now(anew = false) {
      if (!unsubscribe) return Promise.resolve();
      if (flight && !anew && (!flight.held || elapsed() < burstMs)) return flight.done;
      return launch(false);
    },
    restart() {
      flight?.drop();
      startedAt = clock.now();
      plan();
    },
    replan: plan,
  };
}

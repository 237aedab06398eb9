import { backoff } from './backoff.ts';
import type { Model } from './model.ts';
import type { Clock, PageLifecycle } from './ports.ts';
import { selectState } from './select-state.ts';

/** A burst of resume events (shown, focused, restored, online) within this time is one read, in ms. */
const burstMs = 1000;
const floorMs = 1000;
const slowMs = 15_000;
const hiddenMs = 20_000;
const longestMs = 60_000;
/** After the deadline the backend is polled quickly for this long, in ms. */
const expiryCheckMs = 5000;

/** What the next read depends on besides the model. Times in ms of the monotonic clock. */
export interface PollContext {
  readonly now: number;
  /** Since the last read began. */
  readonly elapsed: number;
  readonly visible: boolean;
  /** From 0 up to 1. */
  readonly random: number;
}

/** When to read next, in ms from now, and whether the backend may hold the response back (a long poll). */
export interface PollPlan {
  readonly after: number;
  readonly longPoll: boolean;
}

const clamp = (least: number, value: number, most: number): number => Math.max(least, Math.min(value, most));

/** The time from the start of one read to the next without errors; `undefined`: nothing can change any more. */
function pollInterval(
  model: Model,
  { now, visible }: PollContext,
): { interval: number; longPoll: boolean } | undefined {
  const { since, deadline, verifyingExpiry } = model.payment;
  const state = selectState(model);
  if (state.status === 'loading') return { interval: floorMs, longPoll: false };
  if (state.status === 'lost' || state.status === 'paid') return undefined;

  const advised = clamp(floorMs, state.checkout.poll_after_ms, longestMs);
  const waited = now - since;
  const mayBePaid = state.checkout.status === 'pending' || state.status === 'creating';
  if (!mayBePaid) {
    // Often enough to notice another tab, or a late payment.
    const slow = state.checkout.status === 'open' ? slowMs : clamp(slowMs, waited / 20, longestMs);
    return { interval: Math.max(advised, slow, visible ? 0 : hiddenMs), longPoll: !visible };
  }
  if (!visible) return { interval: Math.max(advised, hiddenMs), longPoll: true };
  if (deadline?.certain === false) return { interval: floorMs, longPoll: false };
  const over = verifyingExpiry && deadline ? now - deadline.at : Infinity;
  if (over < expiryCheckMs) return { interval: clamp(floorMs, over, advised), longPoll: false };
  // After a long wait, a backend without long polls is polled less often.
  return { interval: Math.max(advised, clamp(0, waited / 120, slowMs)), longPoll: true };
}

/** When and how to read next; `undefined`: no further reads. */
export function planPoll(model: Model, context: PollContext): PollPlan | undefined {
  const plan = pollInterval(model, context);
  if (!plan) return undefined;
  const { failures, error } = model.connection.health;
  if (failures === 0) return { after: Math.max(0, plan.interval - context.elapsed), longPoll: plan.longPoll };
  // Stryker disable next-line OptionalChaining: A failed poll always has an error. The check narrows the type.
  const after = backoff(failures, context.random, error?.retryAfterMs);
  return { after: context.visible ? after : Math.max(after, hiddenMs), longPoll: false };
}

export interface PollerOptions {
  readonly clock: Clock;
  readonly pageLifecycle: PageLifecycle;
  /** Reads once; never rejects. Resolves with whether the read succeeded. */
  readonly read: (longPoll: boolean, signal: AbortSignal) => Promise<boolean>;
  /** When to read next, `elapsed` ms after the last read began. */
  readonly plan: (elapsed: number) => PollPlan | undefined;
  /** The page was shown, focused, restored or came back online. */
  readonly onResume: () => void;
}

/** Reads repeatedly, one read at a time. */
export interface Poller {
  /** Begins, with the first read at once or after `ms`. */
  start(ms: number): void;
  /** Leaves no timer, listener or read behind. */
  stop(): void;
  /** Reads now; resolves when that read is over. With `join`, a read that will soon be answered is not repeated. */
  load(join?: boolean): Promise<void>;
  /** Reads after `ms`, in place of an earlier call. */
  loadLater(ms: number): void;
  /** Drops the read that is under way and counts the time from now. */
  restart(): void;
  /** Schedules the next read anew. */
  replan(): void;
}

interface ActiveRead {
  readonly longPoll: boolean;
  readonly done: Promise<void>;
  readonly abort: () => void;
}

export function createPoller({ clock, pageLifecycle, read, plan, onResume }: PollerOptions): Poller {
  let unsubscribe: (() => void) | undefined;
  let active: ActiveRead | undefined;
  let cancel: (() => void) | undefined;
  let cancelLater: (() => void) | undefined;
  let startedAt = 0;
  // Stryker disable next-line BooleanLiteral: It is read only in the first second of a page that was rendered with its checkout, where the value makes the first poll earlier at most.
  let succeeded = true;

  const elapsed = (): number => clock.now() - startedAt;

  const schedule = (ms: number): void => {
    cancel?.();
    // Stryker disable next-line OptionalChaining,BooleanLiteral: When polling ends, the scheduled poll is cancelled, so the policy always returns an interval here.
    cancel = clock.schedule(ms, () => void launch(plan(elapsed())?.longPoll ?? false));
  };

  const replan = (): void => {
    cancel?.();
    const next = unsubscribe && plan(elapsed());
    if (next && !active) schedule(next.after);
  };

  const launch = (longPoll: boolean): Promise<void> => {
    cancel?.();
    active?.abort();
    startedAt = clock.now();
    const controller = new AbortController();
    const done = new Promise<void>((resolve) => {
      const mine: ActiveRead = {
        longPoll,
        get done() {
          return done;
        },
        abort() {
          active = undefined;
          controller.abort();
          resolve();
        },
      };
      active = mine;
      void read(longPoll, controller.signal).then((success) => {
        if (active !== mine) return;
        active = undefined;
        succeeded = success;
        resolve();
        replan();
      });
    });
    return done;
  };

  const resume = (): void => {
    onResume();
    if (!plan(0) || (active && !active.longPoll)) return;
    if (elapsed() >= burstMs) void launch(false);
    else if (!active && !succeeded) schedule(burstMs - elapsed());
  };

  const load = (join = false): Promise<void> => {
    if (!unsubscribe) return Promise.resolve();
    if (join && active && (!active.longPoll || elapsed() < burstMs)) return active.done;
    return launch(false);
  };

  return {
    start(ms) {
      if (unsubscribe) return;
      unsubscribe = pageLifecycle.onResume(resume);
      if (!plan(0)) return;
      if (ms > 0) schedule(ms);
      else void launch(false);
    },
    stop() {
      unsubscribe?.();
      unsubscribe = undefined;
      cancel?.();
      cancelLater?.();
      active?.abort();
    },
    load,
    loadLater(ms) {
      cancelLater?.();
      cancelLater = clock.schedule(ms, () => void load());
    },
    restart() {
      active?.abort();
      startedAt = clock.now();
      replan();
    },
    replan,
  };
}

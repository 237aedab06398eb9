import type { Model } from './session-model.ts';
import type { SessionPorts } from './session-ports.ts';
import { selectState } from './state-of-model.ts';
import type { CheckoutState, LostState } from './checkout-state.ts';

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

/** The time from the start of one read to the next without errors, and whether the response may be held back. */
function pollInterval(
  { since, deadline, verifyingExpiry }: Model['payment'],
  state: Exclude<CheckoutState, LostState>,
  { now, visible }: PollContext,
): readonly [interval: number, longPoll: boolean] {
  if (state.status === 'loading') return [floorMs, false];
  const { status, poll_after_ms } = state.checkout;
  const advised = clamp(floorMs, poll_after_ms, longestMs);
  const waited = now - since;
  if (status !== 'pending' && state.status !== 'creating') {
    // Often enough to notice another tab, or a late payment.
    const slow = status === 'open' ? slowMs : clamp(slowMs, waited / 20, longestMs);
    return [Math.max(advised, slow, visible ? 0 : hiddenMs), !visible];
  }
  if (!visible) return [Math.max(advised, hiddenMs), true];
  if (deadline?.certain === false) return [floorMs, false];
  const over = verifyingExpiry && deadline ? now - deadline.at : Infinity;
  if (over < expiryCheckMs) return [clamp(floorMs, over, advised), false];
  // After a long wait, a backend without long polls is polled less often.
  return [Math.max(advised, clamp(0, waited / 120, slowMs)), true];
}

const shortestBackoffMs = 500;
const firstBackoffMs = 1000;
const longestBackoffMs = 30_000;
const longestRetryAfterMs = 300_000;

/**
 * How long to wait before the next read after `failures` in a row, in milliseconds: exponential up to 30 s with full
 * jitter (`random` from 0 up to 1). The server's `Retry-After` is the minimum, up to five minutes.
 */
export function backoff(failures: number, random: number, retryAfterMs = 0): number {
  const ceiling = Math.min(longestBackoffMs, firstBackoffMs * 2 ** failures);
  return Math.max(shortestBackoffMs, Math.min(retryAfterMs, longestRetryAfterMs), random * ceiling);
}

/** When and how to read next; `undefined`: nothing can change any more. */
export function planPoll(model: Model, context: PollContext): PollPlan | undefined {
  const state = selectState(model);
  if (state.status === 'lost' || state.status === 'paid') return undefined;
  const { failures, error } = state.connection;
  if (failures) {
    // Stryker disable next-line OptionalChaining: A failed poll always has an error. The check narrows the type.
    const after = backoff(failures, context.random, error?.retryAfterMs);
    return { after: context.visible ? after : Math.max(after, hiddenMs), longPoll: false };
  }
  const [interval, longPoll] = pollInterval(model.payment, state, context);
  return { after: Math.max(0, interval - context.elapsed), longPoll };
}

/** Reads repeatedly, one read at a time. */
export interface Poller {
  /** Begins, with the first read at once or after `ms`. */
  start(ms?: number): void;
  /** Leaves no timer, listener or read behind. */
  stop(): void;
  /** Reads now; resolves when that read is over. With `join`, a read that will soon be answered is not repeated. */
  load(join?: boolean): Promise<void>;
  /** Reads after `ms`, in place of an earlier call. */
  loadLater(ms?: number): void;
  /** Drops the read that is under way and counts the time from now. */
  restart(): void;
  /** Schedules the next read anew. */
  replan(): void;
}

/**
 * `read` reads once and never rejects; it resolves with whether the read succeeded. `plan` returns when to read next,
 * `elapsed` ms after the last read began. `onResume` is called when the page is shown, focused, restored or back online.
 */
export function createPoller(
  { clock, pageLifecycle }: Pick<SessionPorts, 'clock' | 'pageLifecycle'>,
  read: (longPoll: boolean, signal: AbortSignal) => Promise<boolean>,
  plan: (elapsed: number) => PollPlan | undefined,
  onResume: () => void,
): Poller {
  let unsubscribe: (() => void) | undefined;
  /** The read that is under way, whether it is a long poll, and when it or the next one is over. */
  let active: AbortController | undefined;
  let isLongPoll = false;
  let done = Promise.resolve();
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

  /** Drops the read that is under way. */
  const drop = (): void => {
    const dropped = active;
    active = undefined;
    dropped?.abort();
  };

  const launch = (longPoll: boolean): Promise<void> => {
    cancel?.();
    drop();
    startedAt = clock.now();
    isLongPoll = longPoll;
    const mine = (active = new AbortController());
    return (done = new Promise((resolve) => {
      mine.signal.addEventListener('abort', () => resolve());
      void read(longPoll, mine.signal).then((success) => {
        if (active !== mine) return;
        active = undefined;
        succeeded = success;
        resolve();
        replan();
      });
    }));
  };

  const resume = (): void => {
    onResume();
    // A subscriber that `onResume` notified may have stopped the session.
    if (!unsubscribe || !plan(0) || (active && !isLongPoll)) return;
    if (elapsed() >= burstMs) void launch(false);
    else if (!active && !succeeded) schedule(burstMs - elapsed());
  };

  const load = (join?: boolean): Promise<void> => {
    if (!unsubscribe) return Promise.resolve();
    return join && active && (!isLongPoll || elapsed() < burstMs) ? done : launch(false);
  };

  return {
    start(ms) {
      if (unsubscribe) return;
      unsubscribe = pageLifecycle.onResume(resume);
      if (!plan(0)) return;
      if (ms) schedule(Math.min(ms, longestMs));
      else void launch(false);
    },
    stop() {
      unsubscribe?.();
      unsubscribe = undefined;
      cancel?.();
      cancelLater?.();
      drop();
    },
    load,
    loadLater(ms = 0) {
      cancelLater?.();
      cancelLater = clock.schedule(ms, () => void load());
    },
    restart() {
      drop();
      startedAt = clock.now();
      replan();
    },
    replan,
  };
}

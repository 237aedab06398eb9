import type { Model } from './session-model.ts';
import type { SessionPorts } from './session-ports.ts';
import { selectState } from './select-state.ts';
import type { CheckoutState, LostState } from './checkout-state.ts';

/** Resume events (shown, focused, restored, online) within this time cause one read, in ms. */
const burstMs = 1000;
// Intervals from the start of one read to the next, in ms. The backend's `poll_after_ms` is kept between the first and last.
const shortestIntervalMs = 1000;
/** The shortest interval while no invoice waits, and the longest of an invoice that has waited long. */
const slowIntervalMs = 15_000;
/** The shortest interval while the page is hidden. */
const hiddenIntervalMs = 20_000;
const longestIntervalMs = 60_000;
/** How long after the deadline the backend is polled quickly, in ms. */
const expiryCheckMs = 5000;

/** What the next read depends on besides the model. Times are in ms of the monotonic clock. */
export interface PollContext {
  readonly now: number;
  /** The time since the last read began. */
  readonly elapsed: number;
  readonly visible: boolean;
  /** A number from 0 up to 1, for jitter. */
  readonly random: number;
}

/** When to read next, in ms from now, and whether the backend may hold the response back (a long poll). */
export interface PollPlan {
  readonly after: number;
  readonly longPoll: boolean;
}

const clamp = (least: number, value: number, most: number): number => Math.max(least, Math.min(value, most));

/** The interval while reads succeed, and whether the next read is a long poll. */
function pollInterval(
  { since, deadline, verifyingExpiry }: Model['payment'],
  state: Exclude<CheckoutState, LostState>,
  { now, visible }: PollContext,
): readonly [interval: number, longPoll: boolean] {
  if (state.status === 'loading') return [shortestIntervalMs, false];
  const { status, poll_after_ms } = state.checkout;
  const advised = clamp(shortestIntervalMs, poll_after_ms, longestIntervalMs);
  const waited = now - since;
  if (status !== 'pending' && state.status !== 'creating') {
    // Another tab may create an invoice, and a payment may come late.
    const slow = status === 'open' ? slowIntervalMs : clamp(slowIntervalMs, waited / 20, longestIntervalMs);
    return [Math.max(advised, slow, visible ? 0 : hiddenIntervalMs), !visible];
  }
  if (!visible) return [Math.max(advised, hiddenIntervalMs), true];
  if (deadline?.certain === false) return [shortestIntervalMs, false];
  const overdueMs = verifyingExpiry && deadline ? now - deadline.at : Infinity;
  if (overdueMs < expiryCheckMs) return [clamp(shortestIntervalMs, overdueMs, advised), false];
  // After a long wait, a backend without long polls is polled less often.
  return [Math.max(advised, clamp(0, waited / 120, slowIntervalMs)), true];
}

const shortestBackoffMs = 500;
const firstBackoffMs = 1000;
const longestBackoffMs = 30_000;
const longestRetryAfterMs = 300_000;

/**
 * The delay before the next request after `failures` in a row, in milliseconds: exponential up to 30 s with full jitter
 * (`random` from 0 up to 1), and at least 0.5 s. The server's `Retry-After` is the minimum, up to five minutes.
 */
export function backoff(failures: number, random: number, retryAfterMs = 0): number {
  const ceiling = Math.min(longestBackoffMs, firstBackoffMs * 2 ** failures);
  return Math.max(shortestBackoffMs, Math.min(retryAfterMs, longestRetryAfterMs), random * ceiling);
}

/** When and how to read next; `undefined` when nothing can change any more: `paid`, or `lost`. */
export function planPoll(model: Model, context: PollContext): PollPlan | undefined {
  const state = selectState(model);
  if (state.status === 'lost' || state.status === 'paid') return undefined;
  const { failures, error } = state.connection;
  if (failures) {
    // Stryker disable next-line OptionalChaining: A failed poll always has an error. The check narrows the type.
    const after = backoff(failures, context.random, error?.retryAfterMs);
    return { after: context.visible ? after : Math.max(after, hiddenIntervalMs), longPoll: false };
  }
  const [interval, longPoll] = pollInterval(model.payment, state, context);
  return { after: Math.max(0, interval - context.elapsed), longPoll };
}

/** Reads repeatedly, one read at a time. */
export interface Poller {
  /** Begins, with the first read at once or after `ms` milliseconds. */
  start(ms?: number): void;
  /** Leaves no timer, listener or read behind. */
  stop(): void;
  /**
   * Reads now. Resolves when that read has ended. With `join`, it waits instead for a read under way that is not a long poll,
   * or that began less than a second ago.
   */
  load(join?: boolean): Promise<void>;
  /** Reads after `ms` milliseconds. Replaces an earlier call. */
  loadLater(ms?: number): void;
  /** Aborts the read under way. The interval to the next read starts now. */
  restart(): void;
  /** Plans the next read again, because the model has changed. */
  replan(): void;
}

/**
 * `read` reads once and never rejects; it resolves with whether the read succeeded. `plan` returns when to read next; it is
 * called `elapsed` ms after the last read began. `onResume` is called when the page is shown, focused, restored or back online.
 */
export function createPoller(
  { clock, pageLifecycle }: Pick<SessionPorts, 'clock' | 'pageLifecycle'>,
  read: (longPoll: boolean, signal: AbortSignal) => Promise<boolean>,
  plan: (elapsed: number) => PollPlan | undefined,
  onResume: () => void,
): Poller {
  let unsubscribe: (() => void) | undefined;
  /** Aborts the read under way; undefined while there is none. */
  let active: AbortController | undefined;
  let isLongPoll = false;
  /** Resolves when the read that began last has ended or was aborted. */
  let done = Promise.resolve();
  let cancel: (() => void) | undefined;
  let cancelLater: (() => void) | undefined;
  let startedAt = 0;
  // Stryker disable next-line BooleanLiteral: Read before the first read only in the first second of a page that was rendered with its checkout; it could only make the first poll earlier.
  let succeeded = true;

  const elapsed = (): number => clock.now() - startedAt;

  const schedule = (ms: number): void => {
    cancel?.();
    // Stryker disable next-line OptionalChaining,BooleanLiteral: When polling ends, the scheduled read is cancelled, so there is always a plan here.
    cancel = clock.schedule(ms, () => void launch(plan(elapsed())?.longPoll ?? false));
  };

  const replan = (): void => {
    cancel?.();
    const next = unsubscribe && plan(elapsed());
    if (next && !active) schedule(next.after);
  };

  /** Aborts the read under way. */
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
      if (ms) schedule(Math.min(ms, longestIntervalMs));
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

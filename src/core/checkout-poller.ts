import type { Model } from './session-model.ts';
import type { SessionPorts } from './session-ports.ts';
import { selectState } from './select-public-state.ts';
import type { CheckoutState, LostState } from './public-state.ts';

/** Resume events (shown, focused, restored, online) within this time cause one read, in ms. */
const burstMs = 1000;
// Intervals from the start of one read to the next, in ms. The backend's `poll_after_ms` is limited to the range from
// `shortestIntervalMs` to `longestIntervalMs`.
const shortestIntervalMs = 1000;
/** The shortest interval while no invoice waits for payment. While one waits, the interval grows slowly up to this. */
const slowIntervalMs = 15_000;
/** The shortest interval while the page is hidden. */
const hiddenIntervalMs = 20_000;
const longestIntervalMs = 60_000;
/** How long the backend may hold back the response to a long poll, in seconds. */
export const longPollSeconds = 25;
/** How long after the deadline the backend is polled quickly, in ms. */
const expiryCheckMs = 5000;

/** What the time of the next read depends on besides the model. Times are in ms of the monotonic clock. */
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

const clamp = (min: number, value: number, max: number): number => Math.max(min, Math.min(value, max));

/** The interval while reads succeed, and whether the next read is a long poll. */
function pollInterval(
  { since, deadline }: Model['payment'],
  state: Exclude<CheckoutState, LostState>,
  { now, visible }: PollContext,
): readonly [interval: number, longPoll: boolean] {
  if (state.status === 'loading') return [shortestIntervalMs, false];
  const { status, poll_after_ms } = state.checkout;
  const advisedMs = clamp(shortestIntervalMs, poll_after_ms, longestIntervalMs);
  const waitedMs = now - since;
  if (status !== 'pending' && state.status !== 'creating') {
    // Polling continues: another tab may create an invoice, and a payment may come late.
    const slowMs = status === 'open' ? slowIntervalMs : clamp(slowIntervalMs, waitedMs / 20, longestIntervalMs);
    return [Math.max(advisedMs, slowMs, visible ? 0 : hiddenIntervalMs), !visible];
  }
  if (!visible) return [Math.max(advisedMs, hiddenIntervalMs), true];
  if (deadline?.certain === false) return [shortestIntervalMs, false];
  const overdueMs = deadline && state.status === 'waiting' ? now - deadline.at : -1;
  if (overdueMs >= 0 && overdueMs < expiryCheckMs) return [clamp(shortestIntervalMs, overdueMs, advisedMs), false];
  // After a long wait, a backend without long polls is polled less often.
  return [Math.max(advisedMs, clamp(0, waitedMs / 120, slowIntervalMs)), true];
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
  const ceilingMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** failures);
  return Math.max(shortestBackoffMs, Math.min(retryAfterMs, longestRetryAfterMs), random * ceilingMs);
}

/** When and how to read next; `undefined` for a checkout that is paid or lost, because it cannot change any more. */
export function planPoll(model: Model, context: PollContext): PollPlan | undefined {
  const state = selectState(model);
  if (state.status === 'lost' || state.status === 'paid') return undefined;
  const { failures, error } = state.connection;
  if (failures) {
    const delayMs = backoff(failures, context.random, error?.retryAfterMs);
    return { after: context.visible ? delayMs : Math.max(delayMs, hiddenIntervalMs), longPoll: false };
  }
  const [intervalMs, longPoll] = pollInterval(model.payment, state, context);
  const after = Math.max(0, intervalMs - context.elapsed);
  return { after, longPoll: longPoll && context.now >= model.connection.plainPollsUntil };
}

/** Reads repeatedly, one read at a time. */
export interface Poller {
  /** Starts reading: the first read is sent now, or after `ms` milliseconds. */
  start(ms?: number): void;
  /** Leaves no timer, listener or read behind. */
  stop(): void;
  /**
   * Reads now. Resolves when the read has ended. With `join`, a plain read that is under way, or a long poll that began less
   * than a second ago, takes the place of the new read.
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
 * `read` reads once and never rejects; it resolves with whether the read succeeded. It asks for a whole response when the page
 * is shown again, because a response that says "unchanged" tells no remaining time. `plan` returns when to read next; it is
 * called `elapsed` ms after the last read began. `onResume` is called when the page is shown, focused, restored or back online.
 */
export function createPoller(
  { clock, pageLifecycle }: Pick<SessionPorts, 'clock' | 'pageLifecycle'>,
  read: (longPoll: boolean, signal: AbortSignal, isWhole?: boolean) => Promise<boolean>,
  plan: (msSinceRead: number) => PollPlan | undefined,
  onResume: () => void,
): Poller {
  let unsubscribe: (() => void) | undefined;
  /** Aborts the read under way; undefined while there is none. */
  let activeRead: AbortController | undefined;
  let isLongPoll = false;
  /** Resolves when the read that began last has ended or was aborted. */
  let readEnded = Promise.resolve();
  let cancelScheduled: (() => void) | undefined;
  let cancelLoadLater: (() => void) | undefined;
  let startedAt = 0;
  let lastReadSucceeded = true;

  const msSinceRead = (): number => clock.now() - startedAt;

  const schedule = (ms: number): void => {
    cancelScheduled?.();
    cancelScheduled = clock.schedule(ms, () => void startRead(plan(msSinceRead())?.longPoll ?? false));
  };

  const replan = (): void => {
    cancelScheduled?.();
    const nextPoll = unsubscribe && plan(msSinceRead());
    if (nextPoll && !activeRead) schedule(nextPoll.after);
  };

  /** Aborts the read under way. */
  const abortRead = (): void => {
    const abortedRead = activeRead;
    activeRead = undefined;
    abortedRead?.abort();
  };

  const startRead = (longPoll: boolean, isWhole?: boolean): Promise<void> => {
    cancelScheduled?.();
    abortRead();
    startedAt = clock.now();
    isLongPoll = longPoll;
    const controller = (activeRead = new AbortController());
    return (readEnded = new Promise((resolve) => {
      controller.signal.addEventListener('abort', () => resolve());
      void read(longPoll, controller.signal, isWhole).then((hasSucceeded) => {
        if (activeRead !== controller) return;
        activeRead = undefined;
        lastReadSucceeded = hasSucceeded;
        resolve();
        replan();
      });
    }));
  };

  const readOnResume = (): void => {
    onResume();
    // A subscriber that `onResume` notified may have stopped the session.
    if (!unsubscribe || !plan(0) || (activeRead && !isLongPoll)) return;
    if (msSinceRead() >= burstMs) void startRead(false, true);
    else if (!activeRead && !lastReadSucceeded) schedule(burstMs - msSinceRead());
  };

  const load = (join?: boolean): Promise<void> => {
    if (!unsubscribe) return Promise.resolve();
    return join && activeRead && (!isLongPoll || msSinceRead() < burstMs) ? readEnded : startRead(false);
  };

  return {
    start(ms) {
      if (unsubscribe) return;
      unsubscribe = pageLifecycle.onResume(readOnResume);
      if (!plan(0)) return;
      startedAt = clock.now();
      if (ms) schedule(Math.min(ms, longestIntervalMs));
      else void startRead(false);
    },
    stop() {
      unsubscribe?.();
      unsubscribe = undefined;
      cancelScheduled?.();
      cancelLoadLater?.();
      abortRead();
    },
    load,
    loadLater(ms = 0) {
      cancelLoadLater?.();
      cancelLoadLater = clock.schedule(ms, () => void load());
    },
    restart() {
      abortRead();
      startedAt = clock.now();
      replan();
    },
    replan,
  };
}

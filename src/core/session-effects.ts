import { CheckoutError } from './checkout-error.ts';
import {
  backoff,
  isRefusal,
  longestIntervalMs,
  type EffectFunctions,
  type Effects,
  type PollPlan,
} from './session-commands.ts';
import type { PendingCreate } from './session-model.ts';
import type { Clock, CreateAnswer, SessionPorts } from './session-ports.ts';

// What a session does over its ports: reads, create requests, and the ticks of a waiting payer.

/** Resume events (shown, focused, restored, online) within this time cause one read, in ms. */
const burstMs = 1000;

/** The effects that read, repeatedly and one read at a time. `load` resolves when its read has ended. */
interface Poller extends Pick<EffectFunctions, 'start' | 'stop' | 'loadLater' | 'restart' | 'replan'> {
  readonly load: (how?: Effects['load']) => Promise<void>;
}

/**
 * A read that asks for a whole response: a check asks the service, and where the page is shown again, a response that says
 * "unchanged" would tell no remaining time.
 */
export type WholeRead = 'check' | 'resume';

/**
 * `read` reads once and never rejects; it resolves with whether the read succeeded. `plan` returns when to read next; it is
 * called `elapsed` ms after the last read began. `onResume` is called when the page is shown, focused, restored or back online.
 */
export function createPoller(
  { clock, pageLifecycle }: Pick<SessionPorts, 'clock' | 'pageLifecycle'>,
  read: (longPoll: boolean, signal: AbortSignal, whole?: WholeRead) => Promise<boolean>,
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

  /** Aborts the read under way, and cancels all that are to come. */
  const clear = (): void => {
    cancelScheduled?.();
    cancelLoadLater?.();
    abortRead();
  };

  /** Reads at once, in place of every other read: it reads what the model asks for now. */
  const startRead = (longPoll: boolean, whole?: WholeRead): Promise<void> => {
    clear();
    startedAt = clock.now();
    isLongPoll = longPoll;
    const controller = (activeRead = new AbortController());
    return (readEnded = new Promise((resolve) => {
      controller.signal.addEventListener('abort', () => resolve());
      void read(longPoll, controller.signal, whole).then((hasSucceeded) => {
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
    if (msSinceRead() >= burstMs) void startRead(false, 'resume');
    else if (!activeRead && !lastReadSucceeded) schedule(burstMs - msSinceRead());
  };

  const load: Poller['load'] = (how) => {
    if (!unsubscribe) return Promise.resolve();
    if (how !== 'join') return startRead(false, how);
    return activeRead && (!isLongPoll || msSinceRead() < burstMs) ? readEnded : startRead(false);
  };

  return {
    start(ms) {
      unsubscribe = pageLifecycle.onResume(readOnResume);
      if (!plan(0)) return;
      startedAt = clock.now();
      if (ms) schedule(Math.min(ms, longestIntervalMs));
      else void startRead(false);
    },
    stop() {
      unsubscribe?.();
      unsubscribe = undefined;
      clear();
    },
    load,
    loadLater(ms = 0) {
      cancelLoadLater?.();
      cancelLoadLater = clock.schedule(ms, () => void startRead(false));
    },
    restart() {
      abortRead();
      startedAt = clock.now();
      replan();
    },
    replan,
  };
}

const tickMs = 5000;
/** If a tick of a visible page is late by more than this, in ms, the device has slept. */
const lateMs = 10_000;
/** How much the difference between the two clocks may change without a sleep, in ms. */
const driftMs = 2000;

/**
 * Ticks every five seconds, and at the deadline. `isLate` is true for a tick that comes so late that the device must have
 * slept, `timeIsUp` for the first one after the deadline.
 */
export function createDeadlineTimer(
  { clock, pageLifecycle }: Pick<SessionPorts, 'clock' | 'pageLifecycle'>,
  onTick: (isLate: boolean, timeIsUp: boolean) => void,
): EffectFunctions['timer'] {
  let cancel: (() => void) | undefined;

  const setTimer: EffectFunctions['timer'] = (waiting) => {
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

/**
 * Whether an error proves that no invoice was created. `internal`, a missing response and an invalid response prove nothing.
 * Once an earlier attempt is in doubt, `try_again` and `rate_limited` prove nothing either: they are not about that attempt.
 */
function isRejection(error: CheckoutError, inDoubt: boolean): boolean {
  return !error.retryable || (!inDoubt && isRefusal(error));
}

/**
 * Repeats a request with the same key until its result is known. `onResult` receives whether the device has slept since the
 * request: the response may be as old as the sleep is long. `onError` receives `isRejected`: true when no invoice was created,
 * false when it is not known whether one was.
 */
export function createInvoiceCreator(
  { transport, clock, random }: Pick<SessionPorts, 'transport' | 'clock' | 'random'>,
  onResult: (result: CreateAnswer, hasSlept: boolean) => void,
  onError: (error: CheckoutError, isRejected: boolean) => void,
): EffectFunctions['create'] {
  let controller: AbortController | undefined;
  let cancelRetry: (() => void) | undefined;

  const sendAttempt = async (create: PendingCreate, attempts: number): Promise<void> => {
    const { signal } = (controller = new AbortController());
    const isCancelled = (): boolean => signal.aborted;
    const hasSlept = createSleepDetector(clock);
    let retryAfterMs: number | undefined;
    try {
      const result = await transport.createInvoice(create.request, signal);
      if (isCancelled()) return;
      onResult(result, hasSlept());
      if (result.kind === 'created') return;
      retryAfterMs = result.retryAfterMs;
    } catch (thrown) {
      if (isCancelled()) return;
      const error = CheckoutError.from(thrown);
      const isRejected = isRejection(error, create.inDoubt || attempts > 1);
      onError(error, isRejected);
      if (isRejected) return;
      retryAfterMs = error.retryAfterMs;
    }
    // The callback may have settled the request, or stopped the session.
    if (isCancelled()) return;
    cancelRetry = clock.schedule(
      backoff(attempts, random(), retryAfterMs),
      () => void sendAttempt(create, attempts + 1),
    );
  };

  return (create) => {
    cancelRetry?.();
    controller?.abort();
    if (create) void sendAttempt(create, 1);
  };
}

import { resolveWithin, type Clock } from '../../base/clock.ts';
import type { ServiceHealth } from '../server-context.ts';

/**
 * Why a long poll was woken. `changed`: the checkout was saved. `all`: all long polls were woken. `closed`: the client has
 * disconnected, or the server stops.
 */
export type WakeReason = 'changed' | 'all' | 'timeout' | 'closed';

/** Whether the wait is over. */
export const isEnd = (reason: WakeReason): boolean => reason === 'timeout' || reason === 'closed';

/** A request that waits for its checkout to change. Call `end` when the request is answered. */
export interface LongPoll {
  /**
   * Resolves when the checkout is woken or the wait ends. A wake since the last `next`, or since `begin`, resolves it
   * immediately.
   */
  next(): Promise<WakeReason>;
  end(): void;
}

/** How many long polls one checkout may have. */
const maxOfCheckout = 50;

/** The pause between two groups of long polls that are woken or ended, in milliseconds. */
const groupPauseMs = 100;
/** How many long polls are woken or ended in a second: each costs a read and an answer, and after its end a connection. */
const perSecond = 400;
/** Ending all long polls takes at most this time, in milliseconds. */
const endWithinMs = 5000;

/** The long polls of all checkouts. */
export function createLongPolls(clock: Clock, limits: { readonly waiters: number }) {
  const wakersByCheckout = new Map<string, Set<(reason: WakeReason) => void>>();
  const closers = new Set<() => void>();
  let isStopped = false;
  let cancelWakeAll = (): void => undefined;

  const begin = (checkoutId: string, ms: number, signal?: AbortSignal): LongPoll => {
    /** Why the long poll was woken since the last `next`; after a timeout or `closed`, every `next` resolves with it. */
    let reason: WakeReason | undefined;
    let resolveNext: ((reason: WakeReason) => void) | undefined;
    const settleNext = (): void => {
      if (reason === undefined || resolveNext === undefined) return;
      resolveNext(reason);
      resolveNext = undefined;
      if (!isEnd(reason)) reason = undefined;
    };
    const wake = (wakeReason: WakeReason): void => {
      if (reason === undefined || reason === 'all') reason = wakeReason;
      settleNext();
    };
    const endWith = (endReason: WakeReason) => (): void => {
      reason = endReason;
      settleNext();
    };
    const close = endWith('closed');
    const wakers = wakersByCheckout.get(checkoutId) ?? new Set();
    wakersByCheckout.set(checkoutId, wakers.add(wake));
    closers.add(close);
    const cancel = clock.schedule(ms, endWith('timeout'));
    signal?.addEventListener('abort', close, { once: true });
    if (signal?.aborted === true) close();
    return {
      // Not an async function: thousands of requests wait here, and a suspended function takes more memory than a promise.
      next: () =>
        new Promise((resolve) => {
          resolveNext = resolve;
          settleNext();
        }),
      end() {
        cancel();
        signal?.removeEventListener('abort', close);
        closers.delete(close);
        wakers.delete(wake);
        if (wakers.size === 0 && wakersByCheckout.get(checkoutId) === wakers) wakersByCheckout.delete(checkoutId);
      },
    };
  };

  const wake = (checkoutId: string, reason: WakeReason = 'changed'): void => {
    for (const wakeLongPoll of wakersByCheckout.get(checkoutId) ?? []) wakeLongPoll(reason);
  };

  /** Calls `act` for group after group of the items, and then `onEnd`. The returned function stops that. */
  const actInGroups = <T>(items: T[], rate: number, act: (item: T) => void, onEnd?: () => void): (() => void) => {
    const size = Math.ceil((rate * groupPauseMs) / 1000);
    let cancel = (): void => undefined;
    const actOnGroup = (): void => {
      for (const item of items.splice(0, size)) act(item);
      if (items.length > 0) cancel = clock.schedule(groupPauseMs, actOnGroup);
      else onEnd?.();
    };
    actOnGroup();
    return () => cancel();
  };

  return {
    /**
     * Begins a long poll of at most `ms` milliseconds, which ends when `signal` aborts. Returns undefined when there are too many
     * long polls, or after `stop`.
     */
    begin(checkoutId: string, ms: number, signal?: AbortSignal): LongPoll | undefined {
      const isFull = closers.size >= limits.waiters || isStopped;
      if (isFull || (wakersByCheckout.get(checkoutId)?.size ?? 0) >= maxOfCheckout) return undefined;
      return begin(checkoutId, ms, signal);
    },
    /** Wakes the long polls of a checkout, which was saved. */
    wake: (checkoutId: string): void => wake(checkoutId),
    /**
     * Wakes all long polls in groups, which are spread over `ms` milliseconds, and over more when there are many, so that not all
     * responses are sent at once.
     */
    wakeAll(ms: number): void {
      cancelWakeAll();
      const ids = [...wakersByCheckout.keys()];
      cancelWakeAll = actInGroups(ids, Math.min((1000 * ids.length) / ms, perSecond), (id) => wake(id, 'all'));
    },
    get size(): number {
      return closers.size;
    },
    start(): void {
      isStopped = false;
    },
    /**
     * Accepts no more long polls until `start` is called, and ends all, not at once: their payers come back over new connections,
     * which another server accepts one after the other. Resolves when all have ended.
     */
    async stop(): Promise<void> {
      isStopped = true;
      cancelWakeAll();
      const rate = Math.max(perSecond, (1000 * closers.size) / endWithinMs);
      await new Promise<void>((resolve) => void actInGroups([...closers], rate, (close) => close(), resolve));
    },
  };
}

export type LongPolls = ReturnType<typeof createLongPolls>;

/**
 * Loads a value until `isDone`: after each wake of the long poll, and every `intervalMs`, because a notification may be lost.
 * Resolves with the value that was loaded last, also when the time is over. `first` is the value before the wait.
 */
export async function loadUntil<T>(
  clock: Clock,
  longPoll: LongPoll | undefined,
  intervalMs: number,
  load: () => Promise<T>,
  isDone: (value: T) => boolean,
  first: Promise<T>,
): Promise<T> {
  if (longPoll === undefined) return first;
  try {
    let current = await first;
    for (let wake = longPoll.next(); !isDone(current);) {
      const reason = await resolveWithin(clock, intervalMs, wake);
      if (reason !== undefined && isEnd(reason)) break;
      if (reason !== undefined) wake = longPoll.next();
      current = await load();
    }
    return current;
  } finally {
    longPoll.end();
  }
}

const checkIntervalMs = 1000;
/** The responses to all long polls are spread over this time. */
const spreadMs = 5000;

/**
 * Wakes all long polls when the service stops answering and when it answers again. No save wakes them then, because an outage
 * changes no stored checkout.
 */
export function createOutageBroadcast(
  { clock, health }: { readonly clock: Clock; readonly health: ServiceHealth },
  longPolls: LongPolls,
): { start(): void; stop(): void } {
  let wasStale = health.isStale();
  let cancel: (() => void) | undefined;
  const check = (): void => {
    const isStale = health.isStale(); // read once: it may change between two reads
    if (isStale !== wasStale) longPolls.wakeAll(spreadMs);
    wasStale = isStale;
    cancel = clock.schedule(checkIntervalMs, check);
  };
  return {
    start() {
      if (cancel === undefined) check();
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}

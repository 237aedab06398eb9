import type { Clock } from '../../base/clock.ts';

/** `changed`: the checkout was saved, or all long polls were woken; `closed`: the client has disconnected, or the server stops. */
export type WakeReason = 'changed' | 'timeout' | 'closed';

/** A request that waits for its checkout to change. Call `end` when it is answered. */
export interface LongPoll {
  /** Resolves when the wait ends or the checkout is woken; at once when it was woken since the last call or `begin`. */
  next(): Promise<WakeReason>;
  end(): void;
}

/** The requests that wait for a change, by checkout. */
export interface LongPolls {
  /** Starts a wait of `ms` milliseconds; undefined when there are too many long polls, or after `stop`. */
  begin(checkoutId: string, ms: number, onDisconnect: OnDisconnect): LongPoll | undefined;
  /** Wakes the long polls of a checkout. */
  wake(checkoutId: string): void;
  /** Wakes all long polls in groups, spread over `ms`, so that the responses do not all come at once. */
  wakeAll(ms: number): void;
  /** The number of long polls. */
  readonly size: number;
  /** Ends all long polls and accepts no more. */
  stop(): void;
}

/** Calls the listener when the client disconnects, until the returned function is called. */
type OnDisconnect = (listener: () => void) => () => void;

interface Limits {
  readonly waiters: number;
  readonly waitersOfCheckout: number;
}

/** The pause between two groups of `wakeAll`. */
const stepMs = 100;

export function createLongPolls(clock: Clock, limits: Limits): LongPolls {
  const byCheckout = new Map<string, Set<() => void>>();
  const finishers = new Set<() => void>();
  let isStopped = false;
  let cancelWakeAll = (): void => undefined;

  const begin = (checkoutId: string, ms: number, onDisconnect: OnDisconnect): LongPoll => {
    let state: 'waiting' | WakeReason = 'waiting';
    let resolveNext: (() => void) | undefined;
    const wake = (): void => {
      if (state === 'waiting') state = 'changed';
      resolveNext?.();
    };
    const end = (reason: WakeReason) => (): void => {
      state = reason;
      resolveNext?.();
    };
    const finish = end('closed');
    const group = byCheckout.get(checkoutId) ?? new Set();
    byCheckout.set(checkoutId, group.add(wake));
    finishers.add(finish);
    const cancel = clock.schedule(ms, end('timeout'));
    const stopListening = onDisconnect(finish);
    return {
      async next() {
        if (state === 'waiting') await new Promise<void>((resolve) => (resolveNext = resolve));
        resolveNext = undefined;
        if (state === 'timeout' || state === 'closed') return state;
        state = 'waiting';
        return 'changed';
      },
      end() {
        cancel();
        stopListening();
        finishers.delete(finish);
        group.delete(wake);
        if (group.size === 0 && byCheckout.get(checkoutId) === group) byCheckout.delete(checkoutId);
      },
    };
  };

  const wake = (checkoutId: string): void => {
    for (const wakeOne of byCheckout.get(checkoutId) ?? []) wakeOne();
  };

  return {
    begin(checkoutId, ms, onDisconnect) {
      const isFull = finishers.size >= limits.waiters || isStopped;
      if (isFull || (byCheckout.get(checkoutId)?.size ?? 0) >= limits.waitersOfCheckout) return undefined;
      return begin(checkoutId, ms, onDisconnect);
    },
    wake,
    wakeAll(ms) {
      cancelWakeAll();
      const ids = [...byCheckout.keys()];
      const groupSize = Math.ceil((ids.length * stepMs) / ms);
      const wakeSome = (): void => {
        for (const id of ids.splice(0, groupSize)) wake(id);
        if (ids.length > 0) cancelWakeAll = clock.schedule(stepMs, wakeSome);
      };
      wakeSome();
    },
    get size() {
      return finishers.size;
    },
    stop() {
      isStopped = true;
      cancelWakeAll();
      for (const finish of finishers) finish();
    },
  };
}

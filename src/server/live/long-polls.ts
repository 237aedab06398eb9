import type { Clock } from '../../base/clock.ts';

/** The checkout was saved, or all were woken; the time is up; the request was given up, or the server stops. */
export type WakeReason = 'changed' | 'late' | 'given_up';

/** A request that waits for its checkout to change. It has to be ended. */
export interface LongPoll {
  /** Resolves when the checkout was woken since the last call (or since the waiter began), or when the waiting is over. */
  next(): Promise<WakeReason>;
  end(): void;
}

/** Who waits for which checkout. */
export interface LongPolls {
  /** Begins to listen at once; undefined when there are too many already. */
  begin(checkoutId: string, ms: number, onDisconnect: OnDisconnect): LongPoll | undefined;
  /** Wakes those that wait for a checkout. */
  wake(checkoutId: string): void;
  /** Wakes all, a few at a time within `ms`, so that their answers do not come all at once. */
  wakeAll(ms: number): void;
  /** How many wait. */
  readonly size: number;
  /** Ends all, and lets none begin. */
  stop(): void;
}

/** Calls a listener when the client has gone; returns how to stop listening. */
type OnDisconnect = (listener: () => void) => () => void;

interface Limits {
  readonly waiters: number;
  readonly waitersOfCheckout: number;
}

/** Between two wakes of some. */
const stepMs = 100;

export function createLongPolls(clock: Clock, limits: Limits): LongPolls {
  const byCheckout = new Map<string, Set<() => void>>();
  const enders = new Set<() => void>();
  let isStopped = false;
  let cancelWave = (): void => undefined;

  const begin = (checkoutId: string, ms: number, onDisconnect: OnDisconnect): LongPoll => {
    let state: 'waiting' | WakeReason = 'waiting';
    let settle: (() => void) | undefined;
    const wake = (): void => {
      if (state === 'waiting') state = 'changed';
      settle?.();
    };
    const end = (reason: WakeReason) => (): void => {
      state = reason;
      settle?.();
    };
    const finish = end('given_up');
    const group = byCheckout.get(checkoutId) ?? new Set();
    byCheckout.set(checkoutId, group.add(wake));
    enders.add(finish);
    const cancel = clock.schedule(ms, end('late'));
    const stopListening = onDisconnect(finish);
    return {
      async next() {
        if (state === 'waiting') await new Promise<void>((resolve) => (settle = resolve));
        settle = undefined;
        if (state === 'late' || state === 'given_up') return state;
        state = 'waiting';
        return 'changed';
      },
      end() {
        cancel();
        stopListening();
        enders.delete(finish);
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
      const isFull = enders.size >= limits.waiters || isStopped;
      if (isFull || (byCheckout.get(checkoutId)?.size ?? 0) >= limits.waitersOfCheckout) return undefined;
      return begin(checkoutId, ms, onDisconnect);
    },
    wake,
    wakeAll(ms) {
      cancelWave();
      const ids = [...byCheckout.keys()];
      const atOnce = Math.ceil((ids.length * stepMs) / ms);
      const wakeSome = (): void => {
        for (const id of ids.splice(0, atOnce)) wake(id);
        if (ids.length > 0) cancelWave = clock.schedule(stepMs, wakeSome);
      };
      wakeSome();
    },
    get size() {
      return enders.size;
    },
    stop() {
      isStopped = true;
      cancelWave();
      for (const finish of enders) finish();
    },
  };
}

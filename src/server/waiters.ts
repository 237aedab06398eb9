import type { Clock } from './clock.ts';

/** A request that waits for its checkout to change. It has to be ended. */
export interface Waiter {
  /**
   * Resolves with true when the checkout was saved since the last call (or since the waiter began), with false when the
   * time is up, the request was given up, or the server stops.
   */
  changed(): Promise<boolean>;
  end(): void;
}

/** Who waits for which checkout. */
export interface Waiters {
  /** Begins to listen at once; undefined when there are too many already. */
  begin(checkoutId: string, ms: number, signal?: AbortSignal): Waiter | undefined;
  /** Wakes those that wait for a checkout. */
  wake(checkoutId: string): void;
  /** How many wait. */
  readonly size: number;
  /** Ends all, and lets none begin. */
  stop(): void;
}

interface Limits {
  readonly waiters: number;
  readonly waitersOfCheckout: number;
}

export function createWaiters(clock: Clock, limits: Limits): Waiters {
  const byCheckout = new Map<string, Set<() => void>>();
  const enders = new Set<() => void>();
  let isStopped = false;

  const begin = (checkoutId: string, ms: number, signal?: AbortSignal): Waiter => {
    let state: 'waiting' | 'changed' | 'over' = 'waiting';
    let settle: (() => void) | undefined;
    const wake = (): void => {
      if (state === 'waiting') state = 'changed';
      settle?.();
    };
    const finish = (): void => {
      state = 'over';
      settle?.();
    };
    const group = byCheckout.get(checkoutId) ?? new Set();
    byCheckout.set(checkoutId, group.add(wake));
    enders.add(finish);
    signal?.addEventListener('abort', finish, { once: true });
    const cancel = clock.schedule(ms, finish);
    if (signal?.aborted === true) finish();
    return {
      async changed() {
        if (state === 'waiting') await new Promise<void>((resolve) => (settle = resolve));
        settle = undefined;
        if (state !== 'changed') return false;
        state = 'waiting';
        return true;
      },
      end() {
        cancel();
        signal?.removeEventListener('abort', finish);
        enders.delete(finish);
        group.delete(wake);
        if (group.size === 0 && byCheckout.get(checkoutId) === group) byCheckout.delete(checkoutId);
      },
    };
  };

  return {
    begin(checkoutId, ms, signal) {
      const isFull = enders.size >= limits.waiters || isStopped;
      if (isFull || (byCheckout.get(checkoutId)?.size ?? 0) >= limits.waitersOfCheckout) return undefined;
      return begin(checkoutId, ms, signal);
    },
    wake(checkoutId) {
      for (const wake of byCheckout.get(checkoutId) ?? []) wake();
    },
    get size() {
      return enders.size;
    },
    stop() {
      isStopped = true;
      for (const finish of enders) finish();
    },
  };
}

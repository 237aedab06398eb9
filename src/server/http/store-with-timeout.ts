import type { Clock } from '../../base/clock.ts';
import { StoreUnavailableError, type CheckoutStore } from '../ports/checkout-store.ts';

/** What a create request does with the store. */
export type LoadAndSave = Pick<CheckoutStore, 'load' | 'save'>;

/**
 * The store for one request, which waits for the store no longer than `ms` in all: each call alone is bounded, and a request
 * makes several. A save that is given up may still be committed, as after a lost connection.
 */
export function boundStore(store: LoadAndSave, clock: Clock, ms: number): LoadAndSave {
  const now = (): number => clock.monotonic?.() ?? clock.now();
  let leftMs = ms;
  const bounded = async <T>(work: Promise<T>): Promise<T> => {
    const startedAt = now();
    let cancel = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      cancel = clock.schedule(leftMs, () => reject(new StoreUnavailableError('timeout')));
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      cancel();
      leftMs = Math.max(0, leftMs - (now() - startedAt));
    }
  };
  return {
    load: (id) => bounded(store.load(id)),
    save: (checkout, outcomes) => bounded(store.save(checkout, outcomes)),
  };
}

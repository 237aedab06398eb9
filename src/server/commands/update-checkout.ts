import { StoreUnavailableError, type CheckoutRecord, type CheckoutStore } from '../ports/checkout-store.ts';
import type { NewOutcome } from '../ports/outcome-outbox.ts';
import type { Clock } from '../../base/clock.ts';

/** A decision about a checkout; without a record nothing is saved. */
export interface Decision<T> {
  readonly result: T;
  readonly record?: CheckoutRecord | undefined;
  readonly outcomes?: readonly NewOutcome[];
}

const maxTries = 100;

/**
 * Loads a checkout, decides, and saves the record of the decision. When the checkout was saved since it was loaded, it is
 * loaded again and `decide` is called again. Resolves with the decision's result once the record is on disk, or with
 * undefined when there is no such checkout.
 */
export async function updateCheckout<T>(
  store: Pick<CheckoutStore, 'load' | 'save'>,
  checkoutId: string,
  decide: (record: CheckoutRecord) => Decision<T> | Promise<Decision<T>>,
): Promise<T | undefined> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const loaded = await store.load(checkoutId);
    if (loaded === undefined) return undefined;
    const { result, record, outcomes = [] } = await decide(loaded);
    if (record === undefined) return result;
    if (await store.save({ ...record, version: loaded.version + 1 }, outcomes)) return result;
  }
  throw new Error(`a checkout could not be saved in ${maxTries} tries: others saved it each time`);
}

/** The methods of the store that a create request uses. */
export type LoadAndSave = Pick<CheckoutStore, 'load' | 'save'>;

/**
 * The store for one request. All its calls together wait at most `ms` milliseconds: the store itself limits each call, and a
 * request makes several. A call over the limit rejects with `StoreUnavailableError`; its save may still be committed.
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

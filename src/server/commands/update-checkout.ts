import type { CheckoutRecord, CheckoutStore } from '../ports/checkout-store.ts';
import type { NewOutcome } from '../ports/outcome-outbox.ts';

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

import type { CheckoutRecord, CheckoutStore, Outcome } from '../ports/checkout-store.ts';

/** What a decision over a checkout comes to; nothing is saved where there is no record. */
export interface Decision<T> {
  readonly result: T;
  readonly record?: CheckoutRecord | undefined;
  readonly outcomes?: readonly Outcome[];
}

const maxRounds = 100;

/**
 * Loads a checkout, decides, and saves what was decided; where somebody else saved in between, it is decided anew.
 * Resolves with the decision's result once it is on disk, or with undefined when there is no such checkout.
 */
export async function updateCheckout<T>(
  store: CheckoutStore,
  checkoutId: string,
  decide: (record: CheckoutRecord) => Decision<T> | Promise<Decision<T>>,
): Promise<T | undefined> {
  for (let round = 0; round < maxRounds; round += 1) {
    const loaded = await store.load(checkoutId);
    if (loaded === undefined) return undefined;
    const { result, record, outcomes = [] } = await decide(loaded);
    if (record === undefined) return result;
    if (await store.save({ ...record, version: loaded.version + 1 }, outcomes)) return result;
  }
  throw new Error('a checkout was saved by others again and again');
}

import type { Clock } from '../../base/clock.ts';
import { outcomesBetween } from '../domain/derive-outcomes.ts';
import { StoreUnavailableError, type CheckoutRecord } from '../ports/checkout-store.ts';
import type { NewOutcome } from '../ports/outcome-outbox.ts';
import type { ServerContext } from '../server-context.ts';

/** What `updateCheckout` saves and resolves with. Without a record nothing is saved. */
export interface Decision<T> {
  readonly result: T;
  readonly record?: CheckoutRecord | undefined;
}

export const maxTries = 100;

/** Kinds of outcomes that need a person at the shop to act. */
const kindsForPerson: readonly NewOutcome['kind'][] = [
  'duplicate_payment',
  'amount_mismatch',
  'test_payment',
  'create_unresolved',
  'invoice_unresolved',
];

/**
 * Loads a checkout, calls `decide`, and saves the record of the decision with the outcomes of its change. It is the only function
 * that saves a checkout. When another caller has saved the checkout in the meantime, loads it again and calls `decide` again.
 * Resolves with the decision's result once the record is on disk, or with
 * undefined when there is no such checkout.
 */
export async function updateCheckout<T>(
  { store, time, log }: Pick<ServerContext, 'time' | 'log'> & { readonly store: LoadSaveStore },
  checkoutId: string,
  decide: (record: CheckoutRecord) => Decision<T> | Promise<Decision<T>>,
): Promise<T | undefined> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const loaded = await store.load(checkoutId);
    if (loaded === undefined) return undefined;
    const { result, record } = await decide(loaded);
    if (record === undefined) return result;
    const outcomes = outcomesBetween(loaded, record, time.now());
    if (!(await store.save({ ...record, version: loaded.version + 1 }, outcomes, { loaded }))) continue;
    for (const { kind, externalId, invoiceId } of outcomes) {
      const fields = { checkout: checkoutId, external_id: externalId, invoice_id: invoiceId };
      log(kindsForPerson.includes(kind) ? 'error' : 'info', `outcome_${kind}`, fields);
    }
    return result;
  }
  throw new Error(`a checkout could not be saved in ${maxTries} tries: others saved it each time`);
}

/** The methods of the store that a create request uses. */
export type LoadSaveStore = Pick<ServerContext['store'], 'load' | 'save'>;

/**
 * Returns a store for one request whose calls wait at most `ms` milliseconds in total. The given store limits only each single
 * call, and a request makes several calls. A call over the limit rejects with `StoreUnavailableError`; a save over the limit
 * may still be committed.
 */
export function withStoreTimeout(store: LoadSaveStore, clock: Clock, ms: number): LoadSaveStore {
  const now = (): number => clock.monotonic?.() ?? clock.now();
  let remainingMs = ms;
  const withinLimit = async <T>(work: Promise<T>): Promise<T> => {
    const startedAt = now();
    let cancel = (): void => undefined;
    const timeout = new Promise<never>((_, reject) => {
      cancel = clock.schedule(remainingMs, () => reject(new StoreUnavailableError('timeout')));
    });
    try {
      return await Promise.race([work, timeout]);
    } finally {
      cancel();
      remainingMs = Math.max(0, remainingMs - (now() - startedAt));
    }
  };
  return {
    load: (id) => withinLimit(store.load(id)),
    save: (...args) => withinLimit(store.save(...args)),
  };
}

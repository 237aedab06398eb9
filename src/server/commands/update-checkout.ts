import { rejectAfter, type Clock } from '../../base/clock.ts';
import { outcomesBetween } from '../domain/checkout-status.ts';
import { checkoutIdOf, isOpenedBy } from '../domain/identifiers.ts';
import { needsPerson } from '../domain/merchant-changes.ts';
import {
  StoreUnavailableError,
  type CheckoutRecord,
  type CheckoutStore,
  type LoadPurpose,
} from '../ports/checkout-store.ts';
import type { ServerContext } from '../server-context.ts';

/** What `updateCheckout` saves and resolves with. Without a record nothing is saved. */
export interface Decision<T> {
  readonly result: T;
  readonly record?: CheckoutRecord | undefined;
}

export const maxTries = 100;

type Parts = Pick<ServerContext, 'time' | 'log' | 'statuses'> & { readonly store: LoadSaveStore };

/** Loads the checkout of a capability; undefined for every reason for which the payer gets none. */
export async function findCheckout(
  context: Pick<ServerContext, 'time' | 'timing'> & { readonly store: Pick<CheckoutStore, 'load'> },
  capability: string,
  purpose: LoadPurpose = 'invoice',
): Promise<CheckoutRecord | undefined> {
  const record = await context.store.load(checkoutIdOf(capability), { purpose });
  return isOpenedBy(context, capability, record) ? record : undefined;
}

/**
 * Saves a changed checkout with the outcomes of its change. Everything but the creation saves by it. Resolves with the saved
 * record once it is on disk, or with undefined, when another caller has saved the checkout since it was loaded.
 */
export async function saveCheckout(
  { store, time, log, statuses }: Parts,
  loaded: CheckoutRecord,
  changed: CheckoutRecord,
): Promise<CheckoutRecord | undefined> {
  const record = { ...changed, version: loaded.version + 1 };
  const outcomes = outcomesBetween(loaded, changed, time.now());
  if (!(await store.save(record, outcomes, { loaded }))) return undefined;
  for (const outcome of outcomes) {
    const fields = { checkout: record.id, external_id: outcome.externalId, invoice_id: outcome.invoiceId };
    log(needsPerson(record, outcome, statuses) ? 'error' : 'info', `outcome_${outcome.kind}`, fields);
  }
  return record;
}

/**
 * Loads a checkout, calls `decide`, and saves the record of the decision. When another caller has saved the checkout in the
 * meantime, loads it again and calls `decide` again. Resolves with the decision's result once the record is on disk, or with
 * undefined when there is no such checkout.
 * @param known - the checkout as it was saved before; it is not loaded then
 */
export async function updateCheckout<T>(
  parts: Parts,
  checkoutId: string,
  decide: (record: CheckoutRecord) => Decision<T>,
  known?: CheckoutRecord,
): Promise<T | undefined> {
  let loaded = known ?? (await parts.store.load(checkoutId));
  for (let tries = 0; tries < maxTries && loaded !== undefined; tries += 1) {
    const { result, record } = decide(loaded);
    if (record === undefined || (await saveCheckout(parts, loaded, record))) return result;
    loaded = await parts.store.load(checkoutId);
  }
  if (loaded === undefined) return undefined;
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
    try {
      return await rejectAfter(clock, remainingMs, work, () => new StoreUnavailableError('timeout'));
    } finally {
      remainingMs = Math.max(0, remainingMs - (now() - startedAt));
    }
  };
  return {
    load: (...args) => withinLimit(store.load(...args)),
    save: (...args) => withinLimit(store.save(...args)),
  };
}

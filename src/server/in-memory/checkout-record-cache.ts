import type { CheckoutStatus } from '../../checkout-api.ts';
import type { CheckoutRecord, CheckoutStore } from '../ports/checkout-store.ts';

/** A checkout as it was loaded, and the validator of its last view. */
export interface CachedRecord {
  readonly record: CheckoutRecord;
  view?: { readonly status: CheckoutStatus; readonly stale: boolean; readonly etag: string };
}

/**
 * The records of the checkouts that payers read last, for stores with `loadIfChanged`: a read of an unchanged checkout then
 * neither transfers nor parses it. Each read still queries the store, because another process may have saved the checkout.
 */
export interface RecordCache {
  /**
   * Resolves with the current record. With `isScheduleUsed` the record is always loaded, because the schedule of its attempts
   * may have changed without a new version.
   */
  load(checkoutId: string, isScheduleUsed: boolean): Promise<CachedRecord | undefined>;
}

/** With records of about 4 kB, the cache has about 8 MB. */
const maxEntries = 2000;

export function createRecordCache(store: Pick<CheckoutStore, 'load' | 'loadIfChanged'>): RecordCache {
  const entries = new Map<string, CachedRecord>();

  const putRecord = (checkoutId: string, record: CheckoutRecord | undefined): CachedRecord | undefined => {
    entries.delete(checkoutId);
    if (record === undefined) return undefined;
    const entry: CachedRecord = { record };
    if (store.loadIfChanged === undefined) return entry;
    entries.set(checkoutId, entry); // at the end: the first entry is the oldest
    const [oldest] = entries.size > maxEntries ? entries.keys() : [];
    if (oldest !== undefined) entries.delete(oldest);
    return entry;
  };

  return {
    async load(checkoutId, isScheduleUsed) {
      const cached = isScheduleUsed ? undefined : entries.get(checkoutId);
      if (cached === undefined) return putRecord(checkoutId, await store.load(checkoutId, { isView: true }));
      const loaded = await store.loadIfChanged?.(checkoutId, cached.record.version);
      return loaded === 'unchanged' ? cached : putRecord(checkoutId, loaded);
    },
  };
}

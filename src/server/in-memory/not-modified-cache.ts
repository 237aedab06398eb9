import type { Clock } from '../../base/clock.ts';

/** The last view of a pending checkout, without its body. It is valid until the checkout is saved again. */
export interface CachedView {
  /** The view is only for requests with this capability. */
  readonly capability: string;
  readonly etag: string;
  /** The version of the record that the view was made from. */
  readonly version: number;
  /** Whether the view is marked stale, because the invoice service does not answer. */
  readonly stale: boolean;
  /** Whether the payer counts as a viewer, so that the invoice is fetched often. */
  readonly isViewed: boolean;
  /** When the capability expires, in milliseconds since 1970. */
  readonly endsAt: number;
}

/**
 * The validators of recent views, so that requests for an unchanged checkout do not read the store. It is used only for 304: a
 * cached 200 could be older than a view that the payer has already received from another process.
 */
export interface NotModifiedCache {
  get(checkoutId: string): CachedView | undefined;
  /**
   * The view of the last successful load, which may be out of date: for use while the store is not available, or once the store
   * has confirmed its version.
   */
  lastKnown(checkoutId: string): CachedView | undefined;
  /**
   * Call it before a checkout is loaded. The returned function stores the checkout's view, unless the checkout was saved in
   * the meantime.
   */
  begin(checkoutId: string): (view: CachedView) => void;
  /** Call it when a checkout was saved. */
  forget(checkoutId: string): void;
  /** Call it when any checkout may have been saved. */
  forgetAll(): void;
}

interface Entry {
  /** When the load of the checkout began. */
  readonly loadedAt: number;
  view?: CachedView;
  /** The last entry that had a view. `lastKnown` returns it while this entry has none. */
  readonly previous: Pick<Entry, 'loadedAt' | 'view'> | undefined;
}

/** How long a view is used. The limit is for lost notifications of saves by another process. */
const maxAgeMs = 60_000;
/** How long a view is used while the store is not available. */
const maxOutageAgeMs = 10 * 60_000;
const maxEntries = 20_000;

export function createNotModifiedCache(clock: Pick<Clock, 'now'>): NotModifiedCache {
  const entries = new Map<string, Entry>();
  const isFresh = ({ loadedAt }: Entry): boolean => Math.abs(clock.now() - loadedAt) < maxAgeMs;
  /** Removes outdated entries, and the oldest entries above the limit. The oldest entries are first in the map. */
  const removeOldEntries = (): void => {
    for (const [checkoutId, entry] of entries) {
      if (isFresh(entry) && entries.size <= maxEntries) return;
      entries.delete(checkoutId);
    }
  };
  return {
    get(checkoutId) {
      const entry = entries.get(checkoutId);
      return entry !== undefined && isFresh(entry) ? entry.view : undefined;
    },
    lastKnown(checkoutId) {
      const entry = entries.get(checkoutId);
      const entryWithView = entry?.view === undefined ? entry?.previous : entry;
      return entryWithView !== undefined && Math.abs(clock.now() - entryWithView.loadedAt) < maxOutageAgeMs
        ? entryWithView.view
        : undefined;
    },
    begin(checkoutId) {
      const replaced = entries.get(checkoutId);
      const previous =
        replaced?.view === undefined ? replaced?.previous : { loadedAt: replaced.loadedAt, view: replaced.view };
      const entry: Entry = { loadedAt: clock.now(), previous };
      entries.delete(checkoutId);
      entries.set(checkoutId, entry);
      removeOldEntries();
      return (view) => {
        entry.view = view;
      };
    },
    forget: (checkoutId) => void entries.delete(checkoutId),
    forgetAll: () => entries.clear(),
  };
}

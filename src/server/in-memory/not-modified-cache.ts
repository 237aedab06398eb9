import type { Clock } from '../../base/clock.ts';

/** What a payer was shown of a checkout that waits for its payment, and will be shown until it is saved anew. */
export interface CachedView {
  readonly etag: string;
  /** Whether it was told as the last that is known of a service that does not answer. */
  readonly stale: boolean;
  /** Whether the watcher is told that a payer looks. */
  readonly isViewed: boolean;
  /** When the capability ends. */
  readonly endsAt: number;
}

/**
 * What was shown lately, so that many who ask whether it has changed cost the store nothing. It is only ever used to say
 * that nothing has: another process may have saved the checkout a moment ago, and who has seen that there would be
 * thrown back by an older picture from here.
 */
export interface NotModifiedCache {
  get(checkoutId: string): CachedView | undefined;
  /** The view of the last successful load, also an older one: for the time in which the store is not available. */
  lastKnown(checkoutId: string): CachedView | undefined;
  /**
   * To be called before a checkout is loaded; what was made of it is then kept by what this returns, unless the checkout
   * was saved meanwhile.
   */
  begin(checkoutId: string): (shown: CachedView) => void;
  /** A checkout was saved. */
  forget(checkoutId: string): void;
  /** Any checkout may have been saved. */
  forgetAll(): void;
}

interface Entry {
  readonly at: number;
  shown?: CachedView;
  /** The entry that this one replaced, when its view is all that is known. */
  readonly previous: Pick<Entry, 'at' | 'shown'> | undefined;
}

/** After so long the store is asked again: a notice of another process's save may have been lost. */
const keptMs = 60_000;
/** A view from before an outage of the store is used for so long. */
const outageMs = 10 * 60_000;
const most = 20_000;

export function createNotModifiedCache(clock: Pick<Clock, 'now'>): NotModifiedCache {
  const places = new Map<string, Entry>();
  const isFresh = ({ at }: Entry): boolean => Math.abs(clock.now() - at) < keptMs;
  /** The oldest stand first. */
  const tidy = (): void => {
    for (const [checkoutId, place] of places) {
      if (isFresh(place) && places.size <= most) return;
      places.delete(checkoutId);
    }
  };
  return {
    get(checkoutId) {
      const place = places.get(checkoutId);
      return place !== undefined && isFresh(place) ? place.shown : undefined;
    },
    lastKnown(checkoutId) {
      const place = places.get(checkoutId);
      const known = place?.shown === undefined ? place?.previous : place;
      return known !== undefined && Math.abs(clock.now() - known.at) < outageMs ? known.shown : undefined;
    },
    begin(checkoutId) {
      const replaced = places.get(checkoutId);
      const previous = replaced?.shown === undefined ? replaced?.previous : { at: replaced.at, shown: replaced.shown };
      const place: Entry = { at: clock.now(), previous };
      places.delete(checkoutId);
      places.set(checkoutId, place);
      tidy();
      return (shown) => {
        place.shown = shown;
      };
    },
    forget: (checkoutId) => void places.delete(checkoutId),
    forgetAll: () => places.clear(),
  };
}

import type { Checkout } from '../protocol.ts';
import type { Clock } from './clock.ts';

/** What a payer saw, and sees until the checkout is saved anew. Its clocks are those of the time when it was taken. */
export interface Shown {
  readonly checkout: Checkout;
  readonly etag: string;
  /** Whether the watcher is told that a payer looks. */
  readonly isWatched: boolean;
  /** When the capability ends. */
  readonly endsAt: number;
}

/** What was shown lately, so that many who ask for the same again and again cost the store nothing. */
export interface Recents {
  get(checkoutId: string): Shown | undefined;
  /**
   * To be called before a checkout is loaded; what was made of it is then kept by what this returns, unless the checkout
   * was saved meanwhile.
   */
  begin(checkoutId: string): (shown: Shown) => void;
  /** A checkout was saved. */
  forget(checkoutId: string): void;
}

interface Place {
  readonly at: number;
  shown?: Shown;
}

/** After so long the store is asked again: a notice of another process's save may have been lost. */
const keptMs = 15_000;
const most = 20_000;

export function createRecents(clock: Clock): Recents {
  const places = new Map<string, Place>();
  return {
    get(checkoutId) {
      const place = places.get(checkoutId);
      return place !== undefined && clock.now() - place.at < keptMs ? place.shown : undefined;
    },
    begin(checkoutId) {
      const place: Place = { at: clock.now() };
      places.delete(checkoutId); // the newest stand last
      places.set(checkoutId, place);
      const [oldest] = places.size > most ? places.keys() : [];
      if (oldest !== undefined) places.delete(oldest);
      return (shown) => {
        place.shown = shown;
      };
    },
    forget: (checkoutId) => void places.delete(checkoutId),
  };
}

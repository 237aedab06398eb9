import type { Clock } from '../../base/clock.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';

/** The last view of a pending checkout, and who may see it. */
export type KnownView = Pick<CheckoutRecord, 'capability' | 'capabilityAt'> & {
  /** The view's validator. */
  readonly etag: string;
  /** Whether the view says that the service does not answer. */
  readonly stale: boolean;
};

/** The maximum number of checkouts whose last view is known. */
const maxViews = 20_000;
/** How long a view is known, in milliseconds: a notification that was lost, which nobody has noticed, delays a payer by no more. */
const knownForMs = 60_000;

/**
 * The last views of pending checkouts, so that a payer who goes on waiting costs no read: whoever saves a checkout notifies the
 * processes, and its view is forgotten.
 */
export function createKnownViews(clock: Clock) {
  /** The oldest is first. */
  const views = new Map<string, KnownView & { readonly until: number }>();
  /** The checkouts that are being read. A save during the read makes its result one that may be old. */
  const reads = new Map<string, symbol>();
  return {
    find(checkoutId: string): KnownView | undefined {
      const view = views.get(checkoutId);
      return view !== undefined && clock.now() < view.until ? view : undefined;
    },
    /** Call it before a read of the checkout; and the returned function with its result, or without when there is no view to know. */
    beginRead(checkoutId: string): (view?: KnownView) => void {
      const read = Symbol();
      reads.set(checkoutId, read);
      return (view) => {
        if (reads.get(checkoutId) !== read) return;
        reads.delete(checkoutId);
        views.delete(checkoutId); // so that `set` adds it at the end
        if (view === undefined) return;
        views.set(checkoutId, { ...view, until: clock.now() + knownForMs });
        const [oldest] = views.size > maxViews ? views.keys() : [];
        if (oldest !== undefined) views.delete(oldest);
      };
    },
    /** Call it when the checkout was saved. */
    forget(checkoutId: string): void {
      views.delete(checkoutId);
      reads.delete(checkoutId);
    },
    /** Call it when notifications may have been lost. */
    forgetAll(): void {
      views.clear();
      reads.clear();
    },
  };
}

export type KnownViews = ReturnType<typeof createKnownViews>;

import { maxWaitSeconds } from '../../checkout-api.ts';
import type { ServerContext } from '../server-context.ts';
import { alignToTick } from '../../base/clock.ts';
import { errorFields } from '../ports/log.ts';

/** The pause before new viewers are stored, in milliseconds, so that one write stores many. */
const collectMs = 200;
/** A payer counts as a viewer for this long after a request, in milliseconds. */
export const viewedForMs = 45_000;
/** Maximum checkouts in one write. A larger batch would make payers' requests wait too long for the database. */
const batchSize = 100;

/**
 * Stores until when payers view the checkouts that they request through this process. Whichever process fetches the invoices
 * reads the stored time, and fetches them often.
 */
export function createViewers({ store, clock, time, timing, log }: ServerContext) {
  /** The stored end of each view, the earliest write first. */
  const storedUntil = new Map<string, number>();
  const waiting = new Map<string, number>();
  let cancel: (() => void) | undefined;

  const storeWaiting = async (): Promise<void> => {
    const entries = [...waiting];
    waiting.clear();
    for (let from = 0; from < entries.length; from += batchSize) {
      const batch = entries.slice(from, from + batchSize);
      const ids = batch.map(([id]) => id);
      const viewEnd = Math.min(...batch.map(([, end]) => end));
      await store.expedite(ids, alignToTick(time.now(), timing.fastMs), viewEnd);
      for (const id of ids) {
        storedUntil.delete(id); // so that `set` adds it at the end
        storedUntil.set(id, viewEnd);
      }
    }
  };

  const removeEnded = (): void => {
    for (const [id, end] of storedUntil) {
      if (end > time.now()) return;
      storedUntil.delete(id);
    }
  };

  return {
    /** Call it for each request of a payer for a pending checkout. The payer waits up to `waitMs` milliseconds for the response. */
    note(checkoutId: string, waitMs: number): void {
      removeEnded();
      const requestEnd = time.now() + waitMs;
      const storedEnd = storedUntil.get(checkoutId) ?? 0;
      // A stored view that lasts beyond the end of this request needs no write. A later end is from before a step of the clock.
      const latestEnd = time.now() + maxWaitSeconds * 1000 + viewedForMs;
      if (storedEnd > requestEnd + viewedForMs / 4 && storedEnd <= latestEnd) return;
      waiting.set(checkoutId, requestEnd + viewedForMs);
      cancel ??= clock.schedule(collectMs, () => {
        cancel = undefined;
        // The next requests of these payers are stored again.
        void storeWaiting().catch((error: unknown) => log('warn', 'expedite_failed', errorFields(error)));
      });
    },
    /** How many checkouts payers view through this process. */
    get size(): number {
      removeEnded();
      return storedUntil.size;
    },
    /** Cancels the next write. */
    stop(): void {
      cancel?.();
      cancel = undefined;
    },
  };
}

export type Viewers = ReturnType<typeof createViewers>;

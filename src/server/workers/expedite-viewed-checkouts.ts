import type { ServerContext } from '../server-context.ts';
import { alignToTick } from '../domain/next-fetch-time.ts';
import { errorFields } from '../ports/log.ts';
import { expediteBatches, type ActiveViewers } from './viewers-and-webhook-hints.ts';

/**
 * Stores which checkouts payers view through this process, and expedites their invoices. The process that fetches these
 * invoices reads the stored time, and schedules their next fetch accordingly.
 */
export type SaveViewers = () => Promise<void>;

export function createSaveViewers(
  { store, clock, time, timing, phase }: Pick<ServerContext, 'store' | 'clock' | 'time' | 'timing' | 'phase'>,
  viewers: ActiveViewers,
): SaveViewers {
  const storedUntil = new Map<string, number>();
  return async () => {
    const now = clock.now();
    const viewed = [...viewers.all()].filter(([id, viewEnd]) => {
      const storedEnd = storedUntil.get(id) ?? 0;
      return storedEnd < now + timing.watchedMs / 4 && storedEnd < viewEnd;
    });
    for (const id of storedUntil.keys()) if (!viewers.has(id)) storedUntil.delete(id);
    const at = alignToTick(time.now(), timing.fastMs, phase);
    // In the order of their last requests, so that the viewers of a batch have similar ends.
    for (const batch of expediteBatches(viewed)) {
      const checkoutIds = batch.map(([id]) => id);
      const viewEnd = Math.min(...batch.map(([, end]) => end));
      await store.expedite(checkoutIds, at, Math.round(time.now() + viewEnd - clock.now()));
      // A newly viewed checkout is stored again by the next call, because another process may have claimed its invoice before
      // this call, and scheduled it without the stored time.
      for (const id of checkoutIds) storedUntil.set(id, storedUntil.has(id) ? viewEnd : now);
    }
  };
}

/**
 * Calls `SaveViewers` at every tick while there are viewers. It is used in a process whose workers are not started. Otherwise
 * the status poller calls `SaveViewers`.
 */
export interface SaveViewersLoop {
  /** Starts the loop unless it is running. Call it when a payer views a checkout. */
  start(): void;
  /** Ends the loop. After `stop`, `start` does nothing. */
  stop(): void;
}

export function createSaveViewersLoop(
  { clock, log, timing }: ServerContext,
  viewers: ActiveViewers,
  saveViewers: SaveViewers,
): SaveViewersLoop {
  let isStopped = false;
  let isRunning = false;
  let cancel = (): void => undefined;

  const run = async (): Promise<void> => {
    isRunning = !viewers.all().next().done && !isStopped;
    if (!isRunning) return;
    try {
      await saveViewers();
    } catch (error) {
      log('warn', 'expedite_failed', errorFields(error)); // the viewers are saved at the next tick
    }
    cancel = clock.schedule(timing.fastMs, () => void run(), true);
  };

  return {
    start() {
      if (isRunning || isStopped) return;
      isRunning = true;
      cancel = clock.schedule(timing.fastMs, () => void run(), true);
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

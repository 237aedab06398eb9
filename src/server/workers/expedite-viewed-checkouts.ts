import type { ServerContext } from '../server-context.ts';
import { alignToTick } from '../domain/next-fetch-time.ts';
import { errorFields } from '../ports/log.ts';
import { expediteInBatches, type ActiveViewers } from './viewers-and-webhook-hints.ts';

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
    const checkoutIds = [...viewers.all()].filter((id) => (storedUntil.get(id) ?? 0) < now + timing.watchedMs / 2);
    for (const id of storedUntil.keys()) if (!viewers.has(id)) storedUntil.delete(id);
    const at = alignToTick(time.now(), timing.fastMs, phase);
    await expediteInBatches(store, checkoutIds, at, Math.round(time.now() + timing.watchedMs));
    // A newly viewed checkout is stored again by the next call, because another process may have claimed its invoice before
    // this call, and scheduled it without the stored time.
    for (const id of checkoutIds) storedUntil.set(id, storedUntil.has(id) ? now + timing.watchedMs : now);
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

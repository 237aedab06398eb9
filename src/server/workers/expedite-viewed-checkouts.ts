import type { ServerContext } from '../server-context.ts';
import { alignToTick } from '../domain/next-fetch-time.ts';
import { errorFields } from '../ports/log.ts';
import { expediteInBatches, type ActiveViewers } from './invoice-fetch-scheduler.ts';

/**
 * Stores which checkouts payers view through this process, and expedites their invoices. Whichever process fetches them then
 * reads from the store how soon they are due again.
 */
export type SaveViewers = () => Promise<void>;

export function createSaveViewers(
  { store, clock, time, timing, phase }: Pick<ServerContext, 'store' | 'clock' | 'time' | 'timing' | 'phase'>,
  viewers: ActiveViewers,
): SaveViewers {
  const storedUntil = new Map<string, number>();
  return async () => {
    const now = clock.now();
    const ids = [...viewers.all()].filter((id) => (storedUntil.get(id) ?? 0) < now + timing.watchedMs / 2);
    for (const id of storedUntil.keys()) if (!viewers.has(id)) storedUntil.delete(id);
    const at = alignToTick(time.now(), timing.fastMs, phase);
    await expediteInBatches(store, ids, at, Math.round(time.now() + timing.watchedMs));
    // A newly viewed checkout is stored again at the next call: a process that had claimed its invoice may have scheduled it late.
    for (const id of ids) storedUntil.set(id, storedUntil.has(id) ? now + timing.watchedMs : now);
  };
}

/**
 * Calls `SaveViewers` at every tick while there are viewers. It is for a process whose workers are not started; otherwise the
 * status poller calls it.
 */
export interface SaveViewersLoop {
  /** Starts the loop unless it runs. Call it when a payer views a checkout. */
  start(): void;
  /** Ends the loop. `start` does nothing after it. */
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
      log('warn', 'expedite_failed', errorFields(error)); // the next tick repeats it
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

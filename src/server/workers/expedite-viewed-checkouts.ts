import type { ServerContext } from '../server-context.ts';
import { alignToTick } from '../domain/fetch-and-retry-times.ts';
import { errorFields } from '../ports/log.ts';
import { expediteInBatches, type ActiveViewers } from './invoice-fetch-scheduler.ts';

/**
 * Stores which checkouts payers view through this process, and expedites their invoices: whichever process fetches them then
 * knows how soon they are due again.
 */
export type StoreViewers = () => Promise<void>;

export function createStoreViewers(
  { store, clock, time, timing, phase }: Pick<ServerContext, 'store' | 'clock' | 'time' | 'timing' | 'phase'>,
  viewers: ActiveViewers,
): StoreViewers {
  const storedUntil = new Map<string, number>();
  return async () => {
    const now = clock.now();
    const ids = [...viewers.all()].filter((id) => (storedUntil.get(id) ?? 0) < now + timing.watchedMs / 2);
    for (const id of storedUntil.keys()) if (!viewers.has(id)) storedUntil.delete(id);
    const at = alignToTick(time.now(), timing.fastMs, phase);
    await expediteInBatches(store, ids, at, Math.round(time.now() + timing.watchedMs));
    // The first time is repeated: a process that had claimed the invoice before may have scheduled it late.
    for (const id of ids) storedUntil.set(id, storedUntil.has(id) ? now + timing.watchedMs : now);
  };
}

/**
 * Does the same at every tick while there are viewers. It is for a process without workers, whose loops do not run.
 */
export interface ViewedCheckouts {
  /** Call it when a payer views a checkout. */
  viewed(): void;
  stop(): void;
}

export function createViewedCheckouts(
  { clock, log, timing }: ServerContext,
  viewers: ActiveViewers,
  storeViewers: StoreViewers,
): ViewedCheckouts {
  let isStopped = false;
  let isRunning = false;
  let cancel = (): void => undefined;

  const run = async (): Promise<void> => {
    isRunning = !viewers.all().next().done && !isStopped;
    if (!isRunning) return;
    try {
      await storeViewers();
    } catch (error) {
      log('warn', 'expedite_failed', errorFields(error)); // the next tick repeats it
    }
    cancel = clock.schedule(timing.fastMs, () => void run(), true);
  };

  return {
    viewed() {
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

import type { ServerContext } from '../server-context.ts';
import { alignToTick } from '../domain/fetch-and-retry-times.ts';
import { errorFields } from '../ports/log.ts';
import { expediteInBatches, type ActiveViewers } from './invoice-fetch-scheduler.ts';

/**
 * Makes the invoices that payers view through this process due at every tick, while there are such payers. It is for a
 * process without workers: those of other processes fetch the invoices, and do not know who views them.
 */
export interface ViewedCheckouts {
  /** Call it when a payer views a checkout. */
  viewed(): void;
  stop(): void;
}

export function createViewedCheckouts(context: ServerContext, viewers: ActiveViewers): ViewedCheckouts {
  const { store, clock, time, log, timing, phase } = context;
  let isStopped = false;
  let isRunning = false;
  let cancel = (): void => undefined;

  const expedite = async (ids: readonly string[]): Promise<void> => {
    try {
      const at = alignToTick(time.now(), timing.fastMs, phase);
      await expediteInBatches(store, ids, at);
    } catch (error) {
      log('warn', 'expedite_failed', errorFields(error)); // the next tick repeats it
    }
  };

  const run = async (): Promise<void> => {
    const ids = [...viewers.all()];
    isRunning = ids.length > 0 && !isStopped;
    if (!isRunning) return;
    await expedite(ids);
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

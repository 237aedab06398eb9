import { systemClock, type Clock } from '../base/clock.ts';
import type { CheckoutServer, Log } from '../server.ts';

const dayMs = 24 * 3_600_000;
/** The first purge waits until what had gathered before the start is done. */
const firstAfterMs = 10 * 60_000;

interface DailyPurgeOptions {
  readonly checkouts: Pick<CheckoutServer, 'purge'>;
  /** The age in days from which settled checkouts are deleted. */
  readonly afterDays: number;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Deletes old settled checkouts ten minutes after the start, then once a day. Returns a function that ends it. */
export function startDailyPurge({ checkouts, afterDays, log, clock = systemClock }: DailyPurgeOptions): () => void {
  const run = (): void => {
    cancel = clock.schedule(dayMs, run, true);
    checkouts.purge({ olderThan: clock.now() - afterDays * dayMs }).catch((error: unknown) => {
      // The name alone: a database puts values of rows into an error's message.
      log('error', 'purge_failed', { error: error instanceof Error ? error.name : 'unknown' });
    });
  };
  let cancel = clock.schedule(firstAfterMs, run, true);
  return () => cancel();
}

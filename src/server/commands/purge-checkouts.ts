import type { z } from 'zod';
import { parse, timeSchema } from '../domain/checkout-params.ts';
import { strictObject } from '../domain/strict-object.ts';
import { sleep } from '../../base/clock.ts';
import type { ServerContext } from '../server-context.ts';
import type { PurgePosition } from '../ports/checkout-store.ts';

/** What `purge` deletes. */
export interface PurgeOptions {
  /** Checkouts that were created before this time: a `Date`, or milliseconds since 1970. */
  readonly olderThan: Date | number;
}

const purgeOptions = strictObject({ olderThan: timeSchema } satisfies Record<keyof PurgeOptions, z.ZodType>);

/** How many checkouts one transaction examines. Payers' requests may wait for the transaction, so it must be short. */
const batchSize = 25;
/** The pause between two batches, in which payers are served. */
const pauseMs = 5;

export function createPurge({ store, clock, time, timing, log }: ServerContext) {
  let stopCount = 0;
  return {
    /**
     * Deletes settled checkouts. Resolves with the number of deleted checkouts. @throws CheckoutParamsError when `olderThan` is not a time since 2000, or another option is given
     */
    async run(options: PurgeOptions): Promise<number> {
      const { olderThan: createdBefore } = parse(purgeOptions, options);
      const expiredBefore = time.now() - timing.lifetimeMs;
      const stopCountAtStart = stopCount;
      let deletedCount = 0;
      let after: PurgePosition | undefined;
      do {
        const result = await store.purge({ createdBefore, expiredBefore, after, limit: batchSize });
        deletedCount += result.deleted;
        after = result.next;
        if (after !== undefined) await sleep(clock, pauseMs);
        if (after !== undefined && stopCount !== stopCountAtStart)
          throw new Error(
            `purge: the server was stopped after ${deletedCount} checkouts were deleted; call purge again`,
          );
      } while (after !== undefined);
      log('info', 'checkouts_purged', { deleted: deletedCount });
      return deletedCount;
    },
    /** Ends the runs under way after their current batch: they reject. */
    stop(): void {
      stopCount += 1;
    },
  };
}

import type { Clock } from '../../base/clock.ts';

/**
 * Calls `renew` every `ms` until the work is over, and settles as the work does. A failed renewal is repeated at the next
 * interval.
 */
export async function withLeaseRenewal<T>(
  clock: Clock,
  ms: number,
  renew: () => Promise<void>,
  work: Promise<T>,
): Promise<T> {
  let isOver = false;
  let cancel = (): void => undefined;
  const schedule = (): void => {
    cancel = clock.schedule(ms, () => {
      const next = (): void => {
        if (!isOver) schedule();
      };
      void renew().then(next, next);
    });
  };
  schedule();
  try {
    return await work;
  } finally {
    isOver = true;
    cancel();
  }
}

import type { Clock } from '../../base/clock.ts';

/** Beats every `ms` until the work is over, and settles as the work does. What a beat that fails has left out, the next does. */
export async function withLeaseRenewal<T>(
  clock: Clock,
  ms: number,
  beat: () => Promise<void>,
  work: Promise<T>,
): Promise<T> {
  let isOver = false;
  let cancel = (): void => undefined;
  const beatLater = (): void => {
    cancel = clock.schedule(ms, () => {
      const goOn = (): void => {
        if (!isOver) beatLater();
      };
      void beat().then(goOn, goOn);
    });
  };
  beatLater();
  try {
    return await work;
  } finally {
    isOver = true;
    cancel();
  }
}

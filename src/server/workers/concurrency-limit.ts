/** Work that goes on beside a loop, so much of it at once. */
export interface ConcurrencyLimit {
  isFull(): boolean;
  run(work: Promise<void>): void;
  /** Resolves when all that has begun is over. */
  idle(): Promise<void>;
}

/** @param onRoom - called when a full crew has room again */
export function createConcurrencyLimit(
  atOnce: number,
  onError: (error: unknown) => void,
  onRoom: () => void,
): ConcurrencyLimit {
  const works = new Set<Promise<void>>();
  return {
    isFull: () => works.size >= atOnce,
    run(work) {
      const tracked = work.catch(onError).finally(() => {
        works.delete(tracked);
        if (works.size === atOnce - 1) onRoom();
      });
      works.add(tracked);
    },
    async idle() {
      await Promise.all(works);
    },
  };
}

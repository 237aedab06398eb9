import type { Clock } from '../base/clock.ts';
import { StoreUnavailableError } from '../server.ts';

/** How long a caller waits for its turn. */
export interface TurnLimits {
  /** The longest wait in milliseconds. */
  readonly maxWaitMs: number;
  /** The caller begins something new: it is refused at once when it would wait longer, and others go before it. */
  readonly isNew?: boolean;
}

export type TurnQueue = ReturnType<typeof createTurnQueue>;

/** Lends a number of turns: first to callers that finish what has begun, and then to new ones, in the order of arrival. */
export function createTurnQueue(size: number, clock: Clock) {
  const waiting = { begun: new Set<() => void>(), isNew: new Set<() => void>() };
  let takenCount = 0;
  /** The moving average of how long a turn takes. */
  let turnMs = 0;

  const begin = (): (() => void) => {
    const startedAt = clock.now();
    return () => {
      turnMs += (clock.now() - startedAt - turnMs) / 20;
      const [next] = waiting.begun.size > 0 ? waiting.begun : waiting.isNew;
      if (next === undefined) takenCount -= 1;
      else next();
    };
  };

  return {
    /** Resolves with the function that ends the turn. @throws StoreUnavailableError `overloaded` */
    async take({ maxWaitMs, isNew = false }: TurnLimits): Promise<() => void> {
      if (takenCount < size) {
        takenCount += 1;
        return begin();
      }
      const expectedWaitMs = ((waiting.begun.size + waiting.isNew.size) * turnMs) / size;
      if (isNew && expectedWaitMs > maxWaitMs) throw new StoreUnavailableError('overloaded');
      const queue = isNew ? waiting.isNew : waiting.begun;
      return new Promise((resolve, reject) => {
        const startTurn = (): void => {
          queue.delete(startTurn);
          cancel();
          resolve(begin());
        };
        const cancel = clock.schedule(maxWaitMs, () => {
          queue.delete(startTurn);
          reject(new StoreUnavailableError('overloaded'));
        });
        queue.add(startTurn);
      });
    },
  };
}

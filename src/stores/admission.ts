import type { Clock } from '../base/clock.ts';
import { StoreUnavailableError } from '../server.ts';

/** How a caller waits for its turn. */
export interface TurnLimits {
  /** The longest wait in milliseconds. */
  readonly maxWaitMs: number;
  /**
   * Callers of a lower rank go first. Rank 0 finishes what has begun. The others begin something, and are refused at once when they
   * would wait longer than `maxWaitMs`.
   */
  readonly rank?: 0 | 1 | 2;
}

/** Lends a number of turns: in the order of the callers' ranks, and then of their arrival. */
export function createTurnQueue(size: number, clock: Clock) {
  const queues = [new Set<() => void>(), new Set<() => void>(), new Set<() => void>()] as const;
  let takenCount = 0;
  /** The moving average of how long a turn takes. */
  let turnMs = 0;

  const begin = (): (() => void) => {
    const startedAt = clock.now();
    return () => {
      turnMs += (clock.now() - startedAt - turnMs) / 20;
      const [next] = queues.find(({ size }) => size > 0) ?? [];
      if (next === undefined) takenCount -= 1;
      else next();
    };
  };

  return {
    /**
     * Resolves with the function that ends the turn.
     * @throws StoreUnavailableError `overloaded`, with the time after which a turn is to be expected
     */
    async take({ maxWaitMs, rank = 0 }: TurnLimits): Promise<() => void> {
      if (takenCount < size) {
        takenCount += 1;
        return begin();
      }
      const expectedMs = (): number => {
        const waitingCount = queues.slice(0, rank + 1).reduce((count, queue) => count + queue.size, 0);
        return (waitingCount * turnMs) / size;
      };
      const overloaded = () => new StoreUnavailableError('overloaded', { retryAfterMs: expectedMs() });
      if (rank > 0 && expectedMs() > maxWaitMs) throw overloaded();
      return new Promise((resolve, reject) => {
        const startTurn = (): void => {
          queues[rank].delete(startTurn);
          cancel();
          resolve(begin());
        };
        const cancel = clock.schedule(maxWaitMs, () => {
          queues[rank].delete(startTurn);
          reject(overloaded());
        });
        queues[rank].add(startTurn);
      });
    },
  };
}

/** A turn of the event loop that takes longer is slow, in milliseconds: Node accepts one connection a turn, and all others wait. */
const slowTurnMs = 100;
/**
 * When new orders are refused: so many turns in succession were slow, they took so long together, in milliseconds, and so many orders came
 * in each of their seconds. One long turn is no overload: a process that starts, a computer that slept, or a program that makes many
 * orders without a pause. Neither are few orders: other programs keep the processor then, and to refuse a buyer would help nobody.
 */
const overload = { slowTurns: 5, ms: 1000, ordersPerSecond: 10 };

/**
 * Notes a new order, and returns for how long the event loop has been overloaded, in milliseconds. A database that works in this thread, as
 * SQLite does, has no other queue. It is measured from an order on until a turn is quick.
 */
function createOverloadOfLoop(clock: Clock): () => number {
  let slowSince: number | undefined;
  let slowTurns = 0;
  let orders = 0;
  const measure = (): void => {
    const startedAt = clock.now();
    const end = (): void => {
      slowTurns += 1;
      if (clock.now() - startedAt > slowTurnMs) measure();
      else slowSince = undefined;
    };
    clock.schedule(0, end, true);
  };
  return () => {
    if (slowSince === undefined) {
      slowSince = clock.now();
      slowTurns = 0;
      orders = 0;
      measure();
    }
    orders += 1;
    const slowMs = clock.now() - slowSince;
    const areMany = orders > (slowMs / 1000) * overload.ordersPerSecond;
    return slowTurns >= overload.slowTurns && slowMs >= overload.ms && areMany ? slowMs : 0;
  };
}

/** How long a check of the database may take, and wait for the one before, in milliseconds. */
export const maxCheckMs = 1400;

/**
 * Admits work to the connections of a database: the one place that decides who waits, who goes first, and who is refused. Reads of
 * payers have connections of their own, so that they take none from an invoice that is being created. An invoice is refused only at its
 * beginning. New orders are refused before that, also while the event loop is slow, so that those that were admitted get one. A read
 * that nobody needs at once waits rather than being refused: a payer who is refused comes back, and costs more than his answer.
 * @param size - how many connections there are; one of them is that of the checks
 */
export function createAdmission(size: number, clock: Clock) {
  const readCount = Math.max(1, Math.floor(size * 0.4));
  const reads = createTurnQueue(readCount, clock);
  const work = createTurnQueue(Math.max(1, size - readCount - 1), clock);
  const overloadOfLoop = createOverloadOfLoop(clock);
  const kinds = {
    work: { turns: work, maxWaitMs: 1900 },
    invoice: { turns: work, rank: 1, maxWaitMs: 900 },
    order: { turns: work, rank: 2, maxWaitMs: 400 },
    tell: { turns: reads, maxWaitMs: 10_000 },
    look: { turns: reads, rank: 1, maxWaitMs: 2000 },
    hold: { turns: reads, rank: 2, maxWaitMs: 10_000 },
    check: { turns: createTurnQueue(1, clock), maxWaitMs: maxCheckMs },
  } satisfies Record<string, TurnLimits & { readonly turns: ReturnType<typeof createTurnQueue> }>;
  return async <T>(kind: keyof typeof kinds, run: () => Promise<T>): Promise<T> => {
    const { turns, ...limits } = kinds[kind];
    const overloadMs = kind === 'order' ? overloadOfLoop() : 0;
    if (overloadMs > 0) throw new StoreUnavailableError('overloaded', { retryAfterMs: overloadMs });
    const endTurn = await turns.take(limits);
    return run().finally(endTurn);
  };
}

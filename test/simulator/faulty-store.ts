import type { CheckoutStore } from '../../src/server.ts';
import type { SaveListener } from '../../src/server-internals.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { FaultName } from './plan.ts';
import type { Recorder } from './history.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface StoreFaultParts {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly recorder: Recorder;
  readonly has: (fault: FaultName) => boolean;
  /** Creates the error of a database that is not available. */
  readonly unavailable: (reason: string) => Error;
  /** Called with the function that ends a subscription. */
  readonly onSubscribe: (unsubscribe: () => void) => void;
}

/** A database that server processes share. It notifies them of saves, as the databases do. */
export interface SharedDatabase {
  readonly store: CheckoutStore;
  readonly listeners: Set<{ readonly hear: SaveListener; readonly lose: () => void }>;
  /** Until when it is away. */
  awayUntil: number;
}

/**
 * The store of one server process: a shared database that is slow, away, or commits without answering, and whose notifications
 * reach other processes later, or are lost.
 */
export function createFaultyStore(database: SharedDatabase, parts: StoreFaultParts): CheckoutStore {
  const { time, random, has, recorder, unavailable } = parts;
  const { store, listeners } = database;
  let own: SaveListener | undefined;

  const call = async (name: string, work: () => Promise<unknown>): Promise<unknown> => {
    if (has('store is slow') && random.chance(0.02)) await time.sleep(random.int(5, 4000));
    if (has('store is away') && time.now < database.awayUntil) {
      await time.sleep(random.int(0, 1500));
      throw unavailable('connection_lost');
    }
    const result = await work();
    if (has('store commits without answering') && random.chance(0.003)) {
      recorder.note(`store: no answer to ${name}`);
      await time.sleep(random.int(10, 4500));
      throw unavailable('timeout');
    }
    return result;
  };

  const notify: SaveListener = (checkoutId, hasOutcomes) => {
    for (const { hear, lose } of [...listeners])
      if (hear === own) hear(checkoutId, hasOutcomes);
      else if (has('store loses notifications') && random.chance(0.2)) time.schedule(2000, lose);
      else time.schedule(random.int(1, 40), () => hear(checkoutId, hasOutcomes));
  };

  return new Proxy(store, {
    get(target, name): unknown {
      if (name === 'subscribe')
        return (hear: SaveListener, lose: () => void = () => undefined) => {
          own = hear;
          const listener = { hear, lose };
          const unsubscribe = (): void => void listeners.delete(listener);
          listeners.add(listener);
          parts.onSubscribe(unsubscribe);
          return unsubscribe;
        };
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) =>
        call(String(name), async () => {
          const result: unknown = await Reflect.apply(member, target, args);
          if (name !== 'save' || result !== true) return result;
          const outcomeIds = idsOf(args[1]);
          for (const outcomeId of outcomeIds) recorder.add({ kind: 'outcome_saved', at: time.now, outcomeId });
          notify(idOf(args[0]), outcomeIds.length > 0);
          return result;
        });
    },
  });
}

function idOf(saved: unknown): string {
  const hasId = typeof saved === 'object' && saved !== null && 'id' in saved;
  return hasId && typeof saved.id === 'string' ? saved.id : '';
}

function idsOf(outcomes: unknown): readonly string[] {
  return Array.isArray(outcomes) ? outcomes.map(idOf) : [];
}

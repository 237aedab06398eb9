import type { CheckoutStore, Clock } from '../../src/server.ts';
import type { createAdmission } from '../../src/stores/admission.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { EventLoop } from './event-loop.ts';
import type { LoadCode } from './load-code.ts';
import type { LoadPlan } from './load-plan.ts';
import type { VirtualTime } from './virtual-time.ts';

type Purpose = Parameters<ReturnType<typeof createAdmission>>[0];

interface DatabaseParts {
  readonly plan: LoadPlan;
  readonly code: LoadCode;
  readonly time: VirtualTime;
  readonly random: SeededRandom;
}

/** How much longer than a read a transaction takes that writes. */
const writeFactor = 3;

/** What the store of PostgreSQL says that a method needs a connection for. */
function purposeOf(method: string, options: { readonly purpose?: Purpose | undefined } = {}): Purpose {
  if (method === 'insert') return 'order';
  if (method === 'loadByOrder') return 'look';
  return (method === 'load' ? options.purpose : undefined) ?? 'work';
}

/** A database that takes its time, behind the real admission to its connections. */
export class LoadDatabase {
  readonly #parts: DatabaseParts;
  readonly #store: CheckoutStore;
  readonly #onLost = new Set<() => void>();
  #isAway = false;

  constructor(parts: DatabaseParts) {
    this.#parts = parts;
    this.#store = parts.code.createMemoryStore();
  }

  /** The database is away: calls fail, and notifications may have been lost. */
  async restart(ms: number): Promise<void> {
    const { time, random } = this.#parts;
    this.#isAway = true;
    await time.sleep(ms);
    this.#isAway = false;
    for (const onLost of this.#onLost) time.schedule(random.int(1, 1000), onLost);
  }

  /** Opens the store of a process. */
  open(loop: EventLoop, clock: Clock): { readonly store: CheckoutStore; readonly close: () => void } {
    const { code, plan } = this.#parts;
    const admit = code.createAdmission(plan.pool, clock);
    let close = (): void => undefined;
    const subscribe: CheckoutStore['subscribe'] = (hear, lost = () => undefined) => {
      const onLost = (): void => loop.post(0, lost);
      this.#onLost.add(onLost);
      const unsubscribe = this.#store.subscribe((...saved) => loop.post(0, () => hear(...saved)));
      close = () => {
        this.#onLost.delete(onLost);
        unsubscribe();
      };
      return close;
    };
    const store = new Proxy(this.#store, {
      get: (target, name): unknown => {
        if (name === 'subscribe') return subscribe;
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return async (...args: readonly [unknown, object?]): Promise<unknown> => {
          this.#assertPresent(!this.#isAway);
          const method = String(name);
          return admit(purposeOf(method, args[1]), () =>
            this.#use(loop, method, () => Reflect.apply(member, target, args)),
          );
        };
      },
    });
    return { store, close: () => close() };
  }

  /** Uses a connection until the event loop has read the answer. */
  async #use(loop: EventLoop, method: string, work: () => unknown): Promise<unknown> {
    const { plan, time, random } = this.#parts;
    const isWrite = method === 'insert' || method === 'save';
    await time.sleep(plan.databaseMs * (isWrite ? writeFactor : 1) * (0.5 + random.next()));
    const isPresent = !this.#isAway;
    const result = isPresent ? await work() : undefined;
    await loop.enter(plan.requestMs / 4);
    this.#assertPresent(isPresent);
    return result;
  }

  #assertPresent(isPresent: boolean): void {
    if (!isPresent) throw new this.#parts.code.StoreUnavailableError('connection_lost');
  }
}

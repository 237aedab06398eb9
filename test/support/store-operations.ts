import type { CheckoutStore } from '../../src/server.ts';
import { makeCheckoutRecord, makeAttempt, makeOutcome } from './make-checkout-records.ts';
import { firstCreatedAt, idOf, openCount } from './fill-tables.ts';

/** The methods of the port that query the database. */
export type Operation = Exclude<keyof CheckoutStore, 'subscribe' | 'clock'>;

/**
 * Returns a function per store method that calls the method with the arguments of a real server, on a store that `fill` has
 * filled with `count` checkouts. Methods for payers and workers get open checkouts; methods for outcomes get paid checkouts.
 * @param batch - the maximum number of attempts in a claim, a reschedule or an `expedite`
 */
export function storeOperations(
  store: CheckoutStore,
  count: number,
  batch = 100,
): Record<Operation, () => Promise<unknown>> {
  const openCheckouts = openCount(count);
  const randomIndex = (): number => 1 + Math.floor(Math.random() * count);
  const randomOpenIndex = (): number => count - Math.floor(Math.random() * openCheckouts);
  const randomPaidIndex = (): number => randomOpenIndex() - openCheckouts;
  let addedCount = 0;
  let now = count + 1000;
  const claimedAttempts: { readonly externalId: string; readonly claimedUntil: number }[] = [];
  return {
    insert: () => store.insert(makeCheckoutRecord(`new ${(addedCount += 1)} ${Math.random()}`)),
    load: () => store.load(idOf('co', randomOpenIndex())),
    loadByOrder: () => store.loadByOrder(idOf('order', randomOpenIndex())),
    async save() {
      const record = await store.load(idOf('co', randomOpenIndex()));
      if (record === undefined) throw new Error('a checkout is missing');
      const outcome = makeOutcome(`new ${(addedCount += 1)} ${Math.random()}`, {
        checkoutId: record.id,
        orderId: record.params.orderId,
        kind: 'failed',
      });
      const attempts = [...record.attempts, makeAttempt(`new ${addedCount} ${Math.random()}`, { runAt: null })];
      return store.save({ ...record, version: record.version + 1, attempts }, [outcome]);
    },
    expediteUnresolved: () => store.expediteUnresolved(['paid'], now),
    async claimDueAttempts() {
      now += 20;
      for (const attempt of await store.claimDueAttempts(now, now + 4500, batch)) claimedAttempts.push(attempt);
    },
    reschedule: () =>
      store.reschedule(
        claimedAttempts.splice(0, batch).map(({ externalId, claimedUntil }) => ({
          externalId,
          runAt: now + 2000,
          answeredAt: now,
          checkedAt: now,
          claimedUntil,
        })),
      ),
    expedite: () =>
      store.expedite(
        Array.from({ length: batch }, () => idOf('co', randomOpenIndex())),
        now,
      ),
    // No row is due so late: this measures the fixed cost of a clock step, without the cost of moving rows.
    shiftSchedule: () => store.shiftSchedule(firstCreatedAt * 3, 1),
    noteTime: () => store.noteTime(firstCreatedAt + (addedCount += 1)),
    nextRunAt: () => store.nextRunAt(),
    claimOutcomes: () => store.claimOutcomes(firstCreatedAt * 2, firstCreatedAt * 2 + (addedCount += 1), 20),
    countOutcomes: () => store.countOutcomes(),
    renewOutcomeLeases: () =>
      store.renewOutcomeLeases(
        Array.from({ length: 20 }, () => ({ id: idOf('out', randomPaidIndex()), claimedUntil: now })),
        now,
      ),
    markOutcomeDelivered: () => store.markOutcomeDelivered(idOf('out', randomPaidIndex()), now),
    list: () => store.list({ now, limit: 100 }),
    listOutcomes: () => store.listOutcomes(idOf('co', randomPaidIndex())),
    readOutcomes: () => store.readOutcomes(0, 100),
    abandonOutcome: () => store.abandonOutcome({ id: idOf('out', randomPaidIndex()), claimedUntil: now }, now),
    redeliverOutcome: () => store.redeliverOutcome(idOf('out', randomPaidIndex()), now),
    retryOutcome: () => store.retryOutcome({ id: idOf('out', randomPaidIndex()), claimedUntil: now }, now),
    purge: () =>
      store.purge({
        createdBefore: firstCreatedAt + count * 500,
        expiredBefore: firstCreatedAt,
        after: { createdAt: firstCreatedAt + Math.floor((randomIndex() * 500) / 1000) * 1000, id: '' },
        limit: Math.ceil(batch / 4),
      }),
  };
}

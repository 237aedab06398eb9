import type { CheckoutStore } from '../../src/server.ts';
import { makeCheckoutRecord, makeAttempt, makeOutcome } from '../../src/testing/checkout-records.ts';
import { firstCreatedAt, idOf, openCount } from './fill.ts';

/** The methods of the port that query the database. */
export type Operation = Exclude<keyof CheckoutStore, 'subscribe' | 'clock'>;

/**
 * One call of each method as the server makes it, on a store that `fill` has filled with `count` checkouts. What payers and
 * workers do is about open checkouts, what a handler of outcomes does about those that were paid last.
 * @param batch - how many attempts a claim, a reschedule, an `expedite` are about at most
 */
export function storeOperations(
  store: CheckoutStore,
  count: number,
  batch = 100,
): Record<Operation, () => Promise<unknown>> {
  const open = openCount(count);
  const random = (): number => 1 + Math.floor(Math.random() * count);
  const randomOpen = (): number => count - Math.floor(Math.random() * open);
  const randomPaid = (): number => randomOpen() - open;
  let added = 0;
  let now = count + 1000;
  const claimed: { readonly externalId: string; readonly claimedUntil: number }[] = [];
  return {
    insert: () => store.insert(makeCheckoutRecord(`new ${(added += 1)} ${Math.random()}`)),
    load: () => store.load(idOf('chk', randomOpen())),
    loadIfChanged: async () => store.loadIfChanged?.(idOf('chk', randomOpen()), 1),
    loadByOrder: () => store.loadByOrder(idOf('order', randomOpen())),
    async save() {
      const record = await store.load(idOf('chk', randomOpen()));
      if (record === undefined) throw new Error('a checkout is missing');
      const outcome = makeOutcome(`new ${(added += 1)} ${Math.random()}`, {
        checkoutId: record.id,
        orderId: record.params.orderId,
        kind: 'failed',
      });
      const attempts = [...record.attempts, makeAttempt(`new ${added} ${Math.random()}`, { runAt: null })];
      return store.save({ ...record, version: record.version + 1, attempts }, [outcome]);
    },
    isPaidByOtherCheckout: () => store.isPaidByOtherCheckout(idOf('order', randomOpen()), idOf('chk', randomOpen())),
    async claimDueAttempts() {
      now += 20;
      for (const due of await store.claimDueAttempts(now, now + 4500, batch)) claimed.push(due);
    },
    reschedule: () =>
      store.reschedule(
        claimed.splice(0, batch).map(({ externalId, claimedUntil }) => ({
          externalId,
          runAt: now + 2000,
          checkedAt: now,
          claimedUntil,
        })),
      ),
    expedite: () =>
      store.expedite(
        Array.from({ length: batch }, () => idOf('chk', randomOpen())),
        now,
      ),
    renewAttemptLease: () => store.renewAttemptLease(idOf('ext', randomOpen()), 1, now),
    // No row is due later than that: the cost of a step of the clock besides that of the rows that it moves.
    shiftSchedule: () => store.shiftSchedule(firstCreatedAt * 3, 1),
    nextRunAt: () => store.nextRunAt(),
    claimOutcomes: () => store.claimOutcomes(firstCreatedAt * 2, firstCreatedAt * 2 + (added += 1), 20),
    oldestOutcomeAt: () => store.oldestOutcomeAt(),
    countUndeliveredOutcomes: () => store.countUndeliveredOutcomes(),
    renewOutcomeLeases: () =>
      store.renewOutcomeLeases(
        Array.from({ length: 20 }, () => ({ id: idOf('out', randomPaid()), claimedUntil: now })),
        now,
      ),
    markOutcomeDelivered: () => store.markOutcomeDelivered(idOf('out', randomPaid()), now),
    countAbandonedOutcomes: () => store.countAbandonedOutcomes(),
    listOutcomes: () => store.listOutcomes(idOf('chk', randomPaid())),
    abandonOutcome: () => store.abandonOutcome({ id: idOf('out', randomPaid()), claimedUntil: now }, now),
    redeliverOutcome: () => store.redeliverOutcome(idOf('out', randomPaid()), now),
    retryOutcome: () => store.retryOutcome({ id: idOf('out', randomPaid()), claimedUntil: now }, now),
    purge: () =>
      store.purge({
        createdBefore: firstCreatedAt + count * 500,
        unpaidCreatedBefore: firstCreatedAt,
        after: { createdAt: firstCreatedAt + Math.floor((random() * 500) / 1000) * 1000, id: '' },
        limit: Math.ceil(batch / 4),
      }),
  };
}

import type { CheckoutStore } from '../../src/server.ts';
import { makeCheckoutRecord, makeAttempt, makeOutcome } from '../../src/testing/checkout-records.ts';
import { firstCreatedAt, idOf } from './fill.ts';

/** The methods of the port that query the database. */
export type Operation = Exclude<keyof CheckoutStore, 'subscribe' | 'clock'>;

/**
 * One call of each method as the server makes it, on a store that `fill` has filled with `count` checkouts.
 * @param batch - how many attempts a claim and a reschedule are about; a tick expedites five times as many checkouts
 */
export function storeOperations(
  store: CheckoutStore,
  count: number,
  batch = 100,
): Record<Operation, () => Promise<unknown>> {
  const random = (): number => 1 + Math.floor(Math.random() * count);
  let added = 0;
  let now = count + 1000;
  const claimed: { readonly externalId: string; readonly claimedUntil: number }[] = [];
  const some = (prefix: string, length: number): string[] => Array.from({ length }, () => idOf(prefix, random()));
  return {
    insert: () => store.insert(makeCheckoutRecord(`new ${(added += 1)} ${Math.random()}`)),
    load: () => store.load(idOf('chk', random())),
    loadIfChanged: async () => store.loadIfChanged?.(idOf('chk', random()), 1),
    loadByOrder: () => store.loadByOrder(idOf('order', random())),
    async save() {
      const record = await store.load(idOf('chk', random()));
      if (record === undefined) throw new Error('a checkout is missing');
      const outcome = makeOutcome(`new ${(added += 1)} ${Math.random()}`, {
        checkoutId: record.id,
        orderId: record.params.orderId,
        kind: 'failed',
      });
      const attempts = [...record.attempts, makeAttempt(`new ${added} ${Math.random()}`, { runAt: null })];
      return store.save({ ...record, version: record.version + 1, attempts }, [outcome]);
    },
    isPaidByOtherCheckout: () => store.isPaidByOtherCheckout(idOf('order', random()), idOf('chk', random())),
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
    expedite: () => store.expedite(some('chk', 5 * batch), now),
    renewAttemptLease: () => store.renewAttemptLease(idOf('ext', random()), 1, now),
    shiftSchedule: () => store.shiftSchedule(now * 2, 1),
    nextRunAt: () => store.nextRunAt(),
    claimOutcomes: () => store.claimOutcomes(firstCreatedAt * 2, firstCreatedAt * 2 + (added += 1), 20),
    oldestOutcomeAt: () => store.oldestOutcomeAt(),
    countUndeliveredOutcomes: () => store.countUndeliveredOutcomes(),
    renewOutcomeLeases: () =>
      store.renewOutcomeLeases(
        some('out', 20).map((outcome) => ({ id: outcome, claimedUntil: now })),
        now,
      ),
    markOutcomeDelivered: () => store.markOutcomeDelivered(idOf('out', random()), now),
    countAbandonedOutcomes: () => store.countAbandonedOutcomes(),
    listOutcomes: () => store.listOutcomes(idOf('chk', random())),
    abandonOutcome: () => store.abandonOutcome({ id: idOf('out', random()), claimedUntil: now }, now),
    redeliverOutcome: () => store.redeliverOutcome(idOf('out', random()), now),
    retryOutcome: () => store.retryOutcome({ id: idOf('out', random()), claimedUntil: now }, now),
    purge: () =>
      store.purge({
        createdBefore: firstCreatedAt + count * 500,
        unpaidCreatedBefore: firstCreatedAt,
        after: { createdAt: firstCreatedAt + Math.floor((random() * 500) / 1000) * 1000, id: '' },
        limit: batch,
      }),
  };
}

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { openDatabase } from '../support/open-database.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { createMemoryStore, type CheckoutStore } from '../../src/server.ts';
import { allDatabases } from './databases.ts';
import { makeCheckoutRecord, makeAttempt, makeOutcome } from '../../src/testing/checkout-records.ts';
import { holds } from '../support/properties.ts';

const kinds = await allDatabases();
after(async () => {
  for (const kind of kinds) await kind.end();
});

/** A call of a store method. It must resolve with the same value in every store. */
type Call = (store: CheckoutStore) => Promise<unknown>;

const checkoutId = fc.constantFrom('a', 'b', 'c');
const time = fc.integer({ min: 0, max: 60 });
const outcomeNumber = fc.nat(2);
const maybeTime = fc.option(time, { nil: null });

/** The list in a fixed order, because the order of two items that are due at the same time is not specified. */
function sorted<T>(list: readonly T[], key: (item: T) => string): readonly T[] {
  return [...list].sort((a, b) => key(a).localeCompare(key(b)));
}

const calls: fc.Arbitrary<Call> = fc.oneof(
  checkoutId.map(
    (id): Call =>
      (store) =>
        store.load(id),
  ),
  fc
    .record({
      id: checkoutId,
      due: fc.array(maybeTime, { maxLength: 3 }),
      stale: fc.boolean(),
      outcomeNumbers: fc.array(outcomeNumber, { maxLength: 2 }),
    })
    .map(({ id, due, stale, outcomeNumbers }): Call => async (store) => {
      const known = await store.load(id);
      const attempts = due.map((runAt, at) =>
        makeAttempt(`${id}-${at}`, {
          runAt,
          callCount: (runAt ?? 0) % 3,
          leaseUntil: at === 0 ? 0 : (runAt ?? 0),
        }),
      );
      const kept = (known?.attempts ?? []).slice(attempts.length);
      const version = (known?.version ?? 0) + (stale ? 0 : 1);
      const outcomes = outcomeNumbers.map((number) =>
        makeOutcome(`out-${number}`, {
          occurredAt: number * 10,
          checkoutId: id,
          kind: number === 0 ? 'paid' : 'failed',
        }),
      );
      return store.save(makeCheckoutRecord(id, { version, attempts: [...attempts, ...kept] }), outcomes);
    }),
  fc.tuple(time, time).map(
    ([now, lease]): Call =>
      async (store) =>
        sorted(await store.claimDueAttempts(now, now + lease, 100), ({ externalId }) => externalId),
  ),
  fc.array(fc.tuple(checkoutId, fc.nat(2), maybeTime, maybeTime), { maxLength: 4 }).map((changes): Call => {
    const unique = new Map(changes.map(([id, at, runAt, checkedAt]) => [`${id}-${at}`, { runAt, checkedAt }]));
    return (store) =>
      store.reschedule([...unique].map(([externalId, times]) => ({ externalId, ...times, claimedUntil: null })));
  }),
  fc.tuple(fc.uniqueArray(checkoutId), time).map(
    ([ids, at]): Call =>
      (store) =>
        store.expedite(ids, at),
  ),
  fc.tuple(checkoutId, fc.nat(2), fc.nat(2), time).map(
    ([id, at, callCount, until]): Call =>
      (store) =>
        store.renewAttemptLease(`${id}-${at}`, callCount, until),
  ),
  fc.constant<Call>((store) => store.nextRunAt()),
  fc.tuple(time, time).map(
    ([now, lease]): Call =>
      async (store) =>
        sorted(await store.claimOutcomes(now, now + lease, 100), ({ id }) => id),
  ),
  fc.constant<Call>((store) => store.countUndeliveredOutcomes()),
  checkoutId.map(
    (id): Call =>
      (store) =>
        store.isPaidByOtherCheckout('order', id),
  ),
  fc.tuple(fc.uniqueArray(outcomeNumber), time, time).map(
    ([numbers, claimedUntil, until]): Call =>
      (store) =>
        store.renewOutcomeLeases(
          numbers.map((number) => ({ id: `out-${number}`, claimedUntil })),
          until,
        ),
  ),
  fc.tuple(outcomeNumber, time).map(
    ([id, at]): Call =>
      (store) =>
        store.markOutcomeDelivered(`out-${id}`, at),
  ),
  fc.constant<Call>((store) => store.countAbandonedOutcomes()),
  checkoutId.map(
    (id): Call =>
      (store) =>
        store.listOutcomes(id),
  ),
  fc.tuple(outcomeNumber, time, time).map(
    ([id, claimedUntil, at]): Call =>
      (store) =>
        store.abandonOutcome({ id: `out-${id}`, claimedUntil }, at),
  ),
  fc.tuple(outcomeNumber, time).map(
    ([id, at]): Call =>
      (store) =>
        store.redeliverOutcome(`out-${id}`, at),
  ),
  fc.tuple(outcomeNumber, time, time).map(
    ([id, claimedUntil, at]): Call =>
      (store) =>
        store.retryOutcome({ id: `out-${id}`, claimedUntil }, at),
  ),
);

for (const kind of kinds)
  test(`${kind.name} gives the same results as the memory store for any sequence of calls`, async () => {
    const property = fc.asyncProperty(fc.array(calls, { maxLength: 60, size: 'max' }), async (sequence) => {
      const database = await openDatabase(await kind.fresh(), checkoutMigrations);
      const stores = [createSqlStore(database), createMemoryStore()] as const;
      try {
        const notified: string[][] = [[], []];
        const subscribed = stores.map((store, at) => store.subscribe((id) => notified[at]?.push(id)));
        for (const store of stores) for (const id of ['a', 'b', 'c']) await store.insert(makeCheckoutRecord(id));
        for (const call of sequence) {
          const [result, expected] = [await call(stores[0]), await call(stores[1])];
          assert.deepEqual(result, expected);
        }
        for (const id of ['a', 'b', 'c']) assert.deepEqual(await stores[0].load(id), await stores[1].load(id));
        assert.deepEqual(notified[0], notified[1]);
        for (const unsubscribe of subscribed) unsubscribe();
      } finally {
        await database.close();
      }
    });
    await holds(property, kind.name === 'PostgreSQL' ? 20 : 50);
  });

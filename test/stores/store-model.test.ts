import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openDatabase } from '../support/open-database.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { createMemoryStore, type CheckoutStore } from '../../src/server.ts';
import { databasesOfFile } from './databases.ts';
import { makeCheckoutRecord, makeAttempt, makeOutcome } from '../../src/tools/testing/checkout-records.ts';
import { holds } from '../support/properties.ts';

const systems = await databasesOfFile();

/** A call of a store method, which must resolve with equal values in every store. */
type Call = (store: CheckoutStore) => Promise<unknown>;

const checkoutId = fc.constantFrom('a', 'b', 'c');
const time = fc.integer({ min: 0, max: 60 });
const outcomeNumber = fc.nat(2);
const timeOrNull = fc.option(time, { nil: null });

/** Sorts a list by a key, because the contract does not define the order of items that are due at the same time. */
function sortBy<T>(list: readonly T[], key: (item: T) => string): readonly T[] {
  return [...list].sort((left, right) => key(left).localeCompare(key(right)));
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
      runAts: fc.array(timeOrNull, { maxLength: 3 }),
      isStale: fc.boolean(),
      outcomeNumbers: fc.array(outcomeNumber, { maxLength: 2 }),
    })
    .map(({ id, runAts, isStale, outcomeNumbers }): Call => async (store) => {
      const storedCheckout = await store.load(id);
      const attempts = runAts.map((runAt, index) =>
        makeAttempt(`${id}-${index}`, {
          runAt,
          callCount: (runAt ?? 0) % 3,
          leaseUntil: index === 0 ? 0 : (runAt ?? 0),
        }),
      );
      const otherAttempts = (storedCheckout?.attempts ?? []).slice(attempts.length);
      const version = (storedCheckout?.version ?? 0) + (isStale ? 0 : 1);
      const outcomes = outcomeNumbers.map((number) =>
        makeOutcome(`out-${number}`, {
          occurredAt: number * 10,
          checkoutId: id,
          kind: number === 0 ? 'paid' : 'failed',
        }),
      );
      return store.save(makeCheckoutRecord(id, { version, attempts: [...attempts, ...otherAttempts] }), outcomes);
    }),
  fc.tuple(time, time).map(
    ([now, lease]): Call =>
      async (store) =>
        sortBy(await store.claimDueAttempts(now, now + lease, 100), ({ externalId }) => externalId),
  ),
  fc.array(fc.tuple(checkoutId, fc.nat(2), timeOrNull, timeOrNull), { maxLength: 4 }).map((changes): Call => {
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
        sortBy(await store.claimOutcomes(now, now + lease, 100), ({ id }) => id),
  ),
  fc.constant<Call>((store) => store.countOutcomes()),
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

for (const system of systems)
  test(`the store on ${system.name} returns the same results as the memory store for any sequence of calls`, async () => {
    const property = fc.asyncProperty(fc.array(calls, { maxLength: 60, size: 'max' }), async (sequence) => {
      const database = await openDatabase(await system.fresh());
      const stores = [createSqlStore(database), createMemoryStore()] as const;
      try {
        const notifiedIds: string[][] = [[], []];
        const unsubscribeFunctions = stores.map((store, at) => store.subscribe((id) => notifiedIds[at]?.push(id)));
        for (const store of stores) for (const id of ['a', 'b', 'c']) await store.insert(makeCheckoutRecord(id));
        for (const call of sequence) {
          const [result, expected] = [await call(stores[0]), await call(stores[1])];
          assert.deepEqual(result, expected);
        }
        for (const id of ['a', 'b', 'c']) assert.deepEqual(await stores[0].load(id), await stores[1].load(id));
        assert.deepEqual(notifiedIds[0], notifiedIds[1]);
        for (const unsubscribe of unsubscribeFunctions) unsubscribe();
      } finally {
        await database.close();
      }
    });
    await holds(property, system.name === 'PostgreSQL' ? 20 : 50);
  });

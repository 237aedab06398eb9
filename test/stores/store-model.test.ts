import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openStore } from '../support/open-database.ts';
import { createMemoryStore, type CheckoutStore } from '../../src/server.ts';
import { databasesOfFile } from './databases.ts';
import { makeCheckoutRecord, makeAttempt, makeOutcome } from '../support/make-checkout-records.ts';
import { holds } from '../support/property-tests.ts';

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

/** Calls of a method with any of the arguments. */
const callOf = <T>(args: fc.Arbitrary<T>, call: (store: CheckoutStore, args: T) => Promise<unknown>) =>
  args.map(
    (values): Call =>
      (store) =>
        call(store, values),
  );

interface SavedCheckout {
  readonly id: string;
  readonly runAts: readonly (number | null)[];
  readonly isStale: boolean;
  readonly outcomeNumbers: readonly number[];
}

/** Saves a checkout with attempts that are due at these times, and with outcomes. */
async function save(store: CheckoutStore, { id, runAts, isStale, outcomeNumbers }: SavedCheckout): Promise<boolean> {
  const storedCheckout = await store.load(id);
  const attempts = runAts.map((runAt, index) =>
    makeAttempt(`${id}-${index}`, { runAt, callCount: (runAt ?? 0) % 3, leaseUntil: index === 0 ? 0 : (runAt ?? 0) }),
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
}

const calls: fc.Arbitrary<Call> = fc.oneof(
  callOf(checkoutId, (store, id) => store.load(id)),
  callOf(
    fc.record({
      id: checkoutId,
      runAts: fc.array(timeOrNull, { maxLength: 3 }),
      isStale: fc.boolean(),
      outcomeNumbers: fc.array(outcomeNumber, { maxLength: 2 }),
    }),
    save,
  ),
  callOf(fc.tuple(time, time), async (store, [now, lease]) =>
    sortBy(await store.claimDueAttempts(now, now + lease, 100), ({ externalId }) => externalId),
  ),
  callOf(
    fc.array(fc.tuple(checkoutId, fc.nat(2), timeOrNull, timeOrNull, timeOrNull), { maxLength: 4 }),
    (store, changes) => {
      const unique = new Map(
        changes.map(([id, at, runAt, ...times]) => [
          `${id}-${at}`,
          { runAt, answeredAt: times[0], checkedAt: times[1] },
        ]),
      );
      return store.reschedule([...unique].map(([externalId, times]) => ({ externalId, ...times, claimedUntil: null })));
    },
  ),
  callOf(fc.tuple(fc.uniqueArray(checkoutId), time), (store, [ids, at]) => store.expedite(ids, at)),
  fc.constant<Call>((store) => store.nextRunAt()),
  callOf(fc.tuple(time, time), async (store, [now, lease]) =>
    sortBy(await store.claimOutcomes(now, now + lease, 100), ({ id }) => id),
  ),
  fc.constant<Call>((store) => store.countOutcomes()),
  callOf(fc.tuple(fc.uniqueArray(outcomeNumber), time, time), (store, [numbers, claimedUntil, until]) =>
    store.renewOutcomeLeases(
      numbers.map((number) => ({ id: `out-${number}`, claimedUntil })),
      until,
    ),
  ),
  callOf(fc.tuple(outcomeNumber, time), (store, [id, at]) => store.markOutcomeDelivered(`out-${id}`, at)),
  callOf(checkoutId, (store, id) => store.listOutcomes(id)),
  callOf(fc.tuple(outcomeNumber, time, time), (store, [id, claimedUntil, at]) =>
    store.abandonOutcome({ id: `out-${id}`, claimedUntil }, at),
  ),
  callOf(fc.tuple(outcomeNumber, time), (store, [id, at]) => store.redeliverOutcome(`out-${id}`, at)),
  callOf(fc.tuple(outcomeNumber, time, time), (store, [id, claimedUntil, at]) =>
    store.retryOutcome({ id: `out-${id}`, claimedUntil }, at),
  ),
);

for (const system of systems)
  test(`the store on ${system.name} returns the same results as the memory store for any sequence of calls`, async () => {
    const property = fc.asyncProperty(fc.array(calls, { maxLength: 60, size: 'max' }), async (sequence) => {
      const stores = [await openStore(await system.fresh()), createMemoryStore()] as const;
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
        await stores[0].close();
      }
    });
    await holds(property, system.name === 'PostgreSQL' ? 20 : 50);
  });

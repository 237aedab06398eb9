import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Rule } from './store-contract.ts';
import { aCheckout, anOutcome } from './store-records.ts';

/** The rules of the outbox. */
export function outcomeRules(name: string, rule: Rule): void {
  describe(`${name} keeps outcomes`, () => {
    rule('hands them out oldest first, exactly, and holds them', async (store) => {
      await store.insert(aCheckout('c'));
      const news = [
        anOutcome('b', { occurred_at: 20, kind: 'duplicate_payment' }),
        anOutcome('a', { occurred_at: 10, kind: 'failed' }),
      ];
      assert.equal(await store.save(aCheckout('c', { version: 2 }), news), true);
      assert.deepEqual(await store.claimOutcomes(9, 100, 10), []);
      assert.deepEqual(await store.claimOutcomes(20, 100, 1), [news[1]]);
      assert.deepEqual(await store.claimOutcomes(20, 100, 10), [news[0]]);
      assert.deepEqual(await store.claimOutcomes(99, 200, 10), []);
      assert.deepEqual(await store.claimOutcomes(100, 200, 10), [news[1], news[0]]);
    });

    rule('tells when the oldest that is not delivered occurred, held or not', async (store) => {
      assert.equal(await store.oldestOutcomeAt(), undefined);
      await store.insert(aCheckout('c'));
      const news = [anOutcome('a', { occurred_at: 20 }), anOutcome('b', { occurred_at: 10 })];
      assert.equal(await store.save(aCheckout('c', { version: 2 }), news), true);
      assert.equal(await store.oldestOutcomeAt(), 10);
      await store.claimOutcomes(30, 90, 1);
      await store.retryOutcome('b', 60);
      assert.equal(await store.oldestOutcomeAt(), 10);
      await store.markOutcomeDelivered('b', 40);
      assert.equal(await store.oldestOutcomeAt(), 20);
      await store.markOutcomeDelivered('a', 50);
      assert.equal(await store.oldestOutcomeAt(), undefined);
    });

    rule('never hands out what was delivered, nor keeps it twice', async (store) => {
      await store.insert(aCheckout('c'));
      assert.equal(await store.save(aCheckout('c', { version: 2 }), [anOutcome('a'), anOutcome('b')]), true);
      await store.claimOutcomes(1000, 2000, 10);
      await store.markOutcomeDelivered('a', 1500);
      assert.equal(await store.save(aCheckout('c', { version: 3 }), [anOutcome('a'), anOutcome('b')]), true);
      assert.deepEqual(
        (await store.claimOutcomes(2000, 3000, 10)).map(({ id }) => id),
        ['b'],
      );
      await store.markOutcomeDelivered('b', 2500);
      assert.deepEqual(await store.claimOutcomes(90_000, 90_001, 10), []);
    });

    rule('goes on holding those that are being delivered, and brings none back that was', async (store) => {
      await store.insert(aCheckout('c'));
      assert.equal(await store.save(aCheckout('c', { version: 2 }), [anOutcome('a'), anOutcome('b')]), true);
      await store.claimOutcomes(1000, 2000, 10);
      await store.markOutcomeDelivered('b', 1500);
      await store.renewOutcomeLeases(['a', 'b', 'nobody'], 3000);
      await store.renewOutcomeLeases([], 9000);
      assert.deepEqual(await store.claimOutcomes(2999, 4000, 10), []);
      assert.deepEqual(
        (await store.claimOutcomes(3000, 4000, 10)).map(({ id }) => id),
        ['a'],
      );
    });

    rule('hands out again, from the time that is said, what could not be delivered', async (store) => {
      await store.insert(aCheckout('c'));
      assert.equal(await store.save(aCheckout('c', { version: 2 }), [anOutcome('a')]), true);
      await store.claimOutcomes(1000, 90_000, 10);
      await store.retryOutcome('a', 3000);
      assert.deepEqual(await store.claimOutcomes(2999, 4000, 10), []);
      assert.equal((await store.claimOutcomes(3000, 4000, 10)).length, 1);
    });

    rule('trying again brings none back that was delivered, nor one that never was', async (store) => {
      await store.insert(aCheckout('c'));
      assert.equal(await store.save(aCheckout('c', { version: 2 }), [anOutcome('a')]), true);
      await store.markOutcomeDelivered('a', 1500);
      for (const id of ['a', 'nobody']) await store.retryOutcome(id, 3000);
      assert.deepEqual(await store.claimOutcomes(9000, 9001, 10), []);
      assert.equal(await store.oldestOutcomeAt(), undefined);
    });
  });
}

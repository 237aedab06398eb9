import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { CheckoutStore } from '../../../src/server.ts';
import type { Attempt, PurgePosition } from '../../../src/server-internals.ts';
import type { Rule } from './contract-rule-type.ts';
import { makeAttempt, makeCheckoutRecord, makeCreate, makeOutcome } from '../../support/make-checkout-records.ts';

/** The members of an attempt that is paid and no longer polled. */
const paidAttempt = { runAt: null, outcome: 'paid' } as const;

/** Inserts a checkout that a purge may delete: it is paid, and none of its attempts is polled. */
async function insertPaid(store: CheckoutStore, id: string, createdAt: number): Promise<void> {
  const attempts = [makeAttempt(`e of ${id}`, paidAttempt)];
  await store.insert(makeCheckoutRecord(id, { createdAt, paidExternalId: `e of ${id}`, attempts }));
}

/** Purges in batches of `limit`, and resolves with the number of deleted checkouts of each batch. */
async function purge(store: CheckoutStore, before: number, unpaidBefore = before, limit = 100): Promise<number[]> {
  const deletedCounts: number[] = [];
  let after: PurgePosition | undefined;
  do {
    const batch = { createdBefore: before, expiredBefore: unpaidBefore, after, limit };
    const result = await store.purge(batch);
    deletedCounts.push(result.deleted);
    after = result.next;
  } while (after !== undefined);
  return deletedCounts;
}

/** Declares the rules of `purge`. */
export function testPurges(name: string, rule: Rule): void {
  describe(`${name}, when it is purged,`, () => {
    rule('deletes older settled checkouts with their attempts and outcomes', async (store) => {
      for (const [id, createdAt] of [
        ['old', 99],
        ['younger', 100],
      ] as const)
        await insertPaid(store, id, createdAt);
      const record = (await store.load('old')) ?? assert.fail();
      await store.save({ ...record, version: 2 }, [makeOutcome('o', { checkoutId: 'old' })]);
      await store.markOutcomeDelivered('o', 2000);

      assert.deepEqual(await purge(store, 100), [1]);
      assert.equal(await store.load('old'), undefined);
      assert.equal(await store.loadByOrder(record.params.orderId), undefined);
      assert.equal(await store.save({ ...record, version: 3 }, []), false);
      assert.equal((await store.load('younger'))?.id, 'younger');
      await insertPaid(store, 'old', 99);
      assert.deepEqual(await store.load('old'), record, 'the same identifiers may be used again');
      await store.save({ ...record, version: 2 }, [makeOutcome('o', { checkoutId: 'old' })]);
      assert.equal((await store.claimOutcomes(5000, 6000, 10)).length, 1, 'the delivered outcome is deleted');
    });

    rule('keeps a checkout with money of another amount until a person has decided about it', async (store) => {
      const other = makeAttempt('e2', { runAt: null, outcome: 'amount_mismatch' });
      const counted = { ...other, externalId: 'e4', invoice: makeAttempt('e3').invoice };
      const paidBy = (id: string, attempts: readonly Attempt[]) =>
        makeCheckoutRecord(`c ${id}`, { createdAt: 1, paidExternalId: id, attempts });
      await store.insert(paidBy('e1', [makeAttempt('e1', paidAttempt), other]));
      await store.insert(paidBy('e3', [makeAttempt('e3', paidAttempt), counted]));
      assert.deepEqual(await purge(store, 100), [1], 'the money of e4 is counted for e3');
      const record = (await store.load('c e1')) ?? assert.fail();
      const resolution = { as: 'void', note: 'given back', at: 1 } as const;
      const attempts = record.attempts.map((attempt) => ({ ...attempt, resolution }));
      assert.equal(await store.save({ ...record, attempts, version: 2 }, []), true);
      assert.deepEqual(await purge(store, 100), [1]);
    });

    rule(
      'keeps a checkout with an attempt that has a runAt, whether or not a process has claimed the attempt',
      async (store) => {
        const attempts = [makeAttempt('e1', paidAttempt), makeAttempt('e2', { runAt: 1000 })];
        await store.insert(makeCheckoutRecord('c', { createdAt: 1, paidExternalId: 'e1', attempts }));
        const creating = makeCreate('e3', { state: 'creating', runAt: 1000 });
        await store.insert(makeCheckoutRecord('d', { createdAt: 1, attempts: [creating] }));
        assert.deepEqual(await purge(store, 100), [0]);
        await store.claimDueAttempts(1000, 2000, 10);
        assert.deepEqual(await purge(store, 100), [0]);
        await store.reschedule([{ externalId: 'e2', runAt: null, answeredAt: 1, checkedAt: 1, claimedUntil: null }]);
        assert.deepEqual(await purge(store, 100), [1]);
        assert.equal((await store.load('d'))?.id, 'd');
      },
    );

    rule(
      'keeps a checkout with an undelivered outcome, whether or not a process has claimed the outcome',
      async (store) => {
        await insertPaid(store, 'c', 1);
        const record = (await store.load('c')) ?? assert.fail();
        await store.save({ ...record, version: 2 }, [makeOutcome('o1'), makeOutcome('o2')]);
        await store.markOutcomeDelivered('o1', 1000);
        assert.deepEqual(await purge(store, 100), [0]);
        await store.claimOutcomes(1000, 9000, 10);
        assert.deepEqual(await purge(store, 100), [0]);
        await store.markOutcomeDelivered('o2', 2000);
        assert.deepEqual(await purge(store, 100), [1]);
      },
    );

    rule(
      'deletes an unpaid checkout only if it was created before both createdBefore and expiredBefore',
      async (store) => {
        await store.insert(makeCheckoutRecord('open', { createdAt: 50 }));
        await store.insert(
          makeCheckoutRecord('failed', { createdAt: 51, attempts: [makeAttempt('e', { runAt: null })] }),
        );
        await insertPaid(store, 'paid', 60);
        assert.deepEqual(await purge(store, 100, 50), [1]);
        assert.deepEqual(await purge(store, 100, 51), [1]);
        assert.deepEqual(await purge(store, 51, 100), [0], 'createdBefore applies to unpaid checkouts too');
        assert.deepEqual(await purge(store, 100, 100), [1]);
      },
    );

    rule('examines each checkout in one batch only, even if several were created at the same time', async (store) => {
      for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
        if (id === 'b' || id === 'd') await store.insert(makeCheckoutRecord(id, { createdAt: 10 }));
        else await insertPaid(store, id, id < 'f' ? 10 : 9);
      const { deleted, next } = await store.purge({
        createdBefore: 100,
        expiredBefore: 0,
        after: undefined,
        limit: 4,
      });
      assert.deepEqual([deleted, next], [3, { createdAt: 10, id: 'b' }], 'f, g, a; b is not paid');
      assert.deepEqual(await purge(store, 100, 0, 1), [0, 1, 0, 1, 0]);
      assert.deepEqual(await purge(store, 100, 100, 2), [2, 0]);
    });

    rule('deletes a checkout that is being saved either completely or not at all', async (store) => {
      const ids = Array.from({ length: 20 }, (_, n) => `c${n}`);
      for (const id of ids) await insertPaid(store, id, 1);
      const records = await Promise.all(ids.map((id) => store.load(id)));
      const saves = records.map(async (record = assert.fail()) => {
        const attempts = [...record.attempts, makeAttempt(`new of ${record.id}`)];
        return store.save({ ...record, version: 2, attempts }, []);
      });
      const [{ deleted }, ...isSaved] = await Promise.all([
        store.purge({ createdBefore: 100, expiredBefore: 100, after: undefined, limit: 100 }),
        ...saves,
      ]);
      assert.equal(deleted, isSaved.filter((saved) => !saved).length);
      for (const [n, id] of ids.entries())
        assert.equal((await store.load(id))?.attempts.length, isSaved[n] === true ? 2 : undefined);
      assert.equal((await store.claimDueAttempts(1000, 2000, 100)).length, ids.length - deleted);
    });
  });
}

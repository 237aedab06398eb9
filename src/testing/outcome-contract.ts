import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Rule } from './contract-rule.ts';
import { aCheckout, anOutcome } from './checkout-records.ts';

/** The rules of the outbox. */
export function outcomeRules(name: string, rule: Rule): void {
  describe(`${name} keeps outcomes`, () => {
    rule('hands them out oldest first, exactly, and holds them', async (store) => {
      await store.insert(aCheckout('c'));
      await store.insert(aCheckout('d'));
      const news = [
        anOutcome('b', { occurredAt: 20, kind: 'duplicate_payment' }),
        anOutcome('a', { occurredAt: 10, kind: 'create_unresolved', checkoutId: 'd', invoiceId: null }),
      ];
      for (const [at, outcome] of news.entries())
        assert.equal(await store.save(aCheckout(outcome.checkoutId, { version: 2 }), news.slice(at, at + 1)), true);
      assert.deepEqual(await store.claimOutcomes(9, 100, 10), []);
      assert.deepEqual(await store.claimOutcomes(20, 100, 1), [news[1]]);
      assert.deepEqual(await store.claimOutcomes(20, 100, 10), [news[0]]);
      assert.deepEqual(await store.claimOutcomes(99, 200, 10), []);
      assert.deepEqual(await store.claimOutcomes(100, 200, 10), [news[1], news[0]]);
    });

    rule('tells when the oldest that is not delivered occurred, held or not', async (store) => {
      assert.equal(await store.oldestOutcomeAt(), undefined);
      await store.insert(aCheckout('c'));
      await store.insert(aCheckout('d'));
      assert.equal(await store.countUndeliveredOutcomes(), 0);
      await store.save(aCheckout('c', { version: 2 }), [anOutcome('a', { occurredAt: 20 })]);
      const other = anOutcome('b', { occurredAt: 10, checkoutId: 'd', orderId: 'other' });
      await store.save(aCheckout('d', { version: 2 }), [other]);
      assert.equal(await store.oldestOutcomeAt(), 10);
      assert.equal(await store.countUndeliveredOutcomes(), 2);
      await store.claimOutcomes(30, 90, 1);
      await store.retryOutcome({ id: 'b', claimedUntil: 90 }, 60);
      assert.equal(await store.oldestOutcomeAt(), 10);
      await store.markOutcomeDelivered('b', 40);
      assert.equal(await store.oldestOutcomeAt(), 20);
      assert.equal(await store.countUndeliveredOutcomes(), 1);
      await store.markOutcomeDelivered('a', 50);
      assert.equal(await store.oldestOutcomeAt(), undefined);
      assert.equal(await store.countUndeliveredOutcomes(), 0);
    });

    rule('numbers the outcomes of each checkout from 1, whoever saves them and however often', async (store) => {
      for (const id of ['c', 'd']) await store.insert(aCheckout(id));
      const failed = anOutcome('failed', { kind: 'failed' });
      await store.save(aCheckout('c', { version: 2 }), [failed]);
      await store.save(aCheckout('c', { version: 3 }), [
        failed,
        anOutcome('paid'),
        anOutcome('second', { kind: 'duplicate_payment' }),
      ]);
      await store.save(aCheckout('d', { version: 2 }), [anOutcome('of d', { kind: 'expired', checkoutId: 'd' })]);
      const sequences: Record<string, number> = {};
      for (let round = 0; round < 4; round += 1)
        for (const { id, sequence } of await store.claimOutcomes(5000, 6000, 10)) {
          sequences[id] = sequence;
          await store.markOutcomeDelivered(id, 5000);
        }
      assert.deepEqual(sequences, { failed: 1, paid: 2, second: 3, 'of d': 1 });
    });

    rule('hands out no outcome of a checkout while an earlier one of it is not delivered', async (store) => {
      for (const id of ['c', 'd']) await store.insert(aCheckout(id));
      // The second one occurred earlier by the clock of another process.
      await store.save(aCheckout('c', { version: 2 }), [anOutcome('c1', { kind: 'failed', occurredAt: 500 })]);
      await store.save(aCheckout('c', { version: 3 }), [anOutcome('c2', { occurredAt: 400 })]);
      await store.save(aCheckout('d', { version: 2 }), [anOutcome('d1', { kind: 'failed', checkoutId: 'd' })]);
      const claimed = async (now: number) => (await store.claimOutcomes(now, 2000, 10)).map(({ id }) => id);
      assert.deepEqual(await claimed(400), [], 'the first one is not due');
      assert.deepEqual(await claimed(1000), ['c1', 'd1']);
      assert.deepEqual(await claimed(1500), [], 'the first one is being delivered');
      await store.retryOutcome({ id: 'c1', claimedUntil: 2000 }, 9000);
      assert.deepEqual(await claimed(8999), ['d1'], 'the first one is repeated later');
      assert.deepEqual(await claimed(9000), ['c1', 'd1']);
      await store.markOutcomeDelivered('c1', 9000);
      assert.deepEqual(await claimed(9001), ['c2', 'd1']);
    });

    rule(
      'saves nothing that makes an order paid by a second checkout, also when both are saved at once',
      async (store) => {
        const ids = ['c', 'd', 'e'];
        const { params } = aCheckout('c');
        for (const id of ids) await store.insert(aCheckout(id));
        const paid = (id: string) => anOutcome(`${id}.paid`, { checkoutId: id, orderId: params.orderId });
        const save = (id: string, version: number, outcomes = [paid(id)]) =>
          store.save(aCheckout(id, { version, params }), outcomes);
        const saved = await Promise.all(ids.map((id) => save(id, 2)));
        const first = ids[saved.indexOf(true)] ?? '';
        assert.deepEqual(
          saved,
          ids.map((id) => id === first),
          'one of them is saved',
        );
        for (const id of ids) {
          assert.equal(await store.isPaidByOtherCheckout(params.orderId, id), id !== first);
          assert.equal(await store.isPaidByOtherCheckout('another order', id), false);
          assert.equal((await store.load(id))?.version, id === first ? 2 : 1);
        }
        const duplicates = ids.filter((id) => id !== first);
        for (const id of duplicates) {
          assert.equal(await save(id, 2), false, 'nor later');
          assert.equal(await save(id, 2, [{ ...paid(id), id: `${id}.duplicate`, kind: 'duplicate_payment' }]), true);
        }
        assert.equal((await store.claimOutcomes(5000, 6000, 10)).length, 3);
      },
    );

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
      assert.equal(await store.save(aCheckout('c', { version: 2 }), [anOutcome('b'), anOutcome('a')]), true);
      await store.claimOutcomes(1000, 2000, 1);
      await store.markOutcomeDelivered('b', 1500);
      await store.claimOutcomes(1500, 2000, 1);
      await store.renewOutcomeLeases(
        ['a', 'b', 'nobody'].map((id) => ({ id, claimedUntil: 2000 })),
        3000,
      );
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
      await store.retryOutcome({ id: 'a', claimedUntil: 90_000 }, 3000);
      assert.deepEqual(await store.claimOutcomes(2999, 4000, 10), []);
      assert.equal((await store.claimOutcomes(3000, 4000, 10)).length, 1);
    });

    rule('trying again brings none back that was delivered, nor one that never was', async (store) => {
      await store.insert(aCheckout('c'));
      assert.equal(await store.save(aCheckout('c', { version: 2 }), [anOutcome('a')]), true);
      await store.markOutcomeDelivered('a', 1500);
      for (const id of ['a', 'nobody']) await store.retryOutcome({ id, claimedUntil: 1000 }, 3000);
      assert.deepEqual(await store.claimOutcomes(9000, 9001, 10), []);
      assert.equal(await store.oldestOutcomeAt(), undefined);
    });

    rule('keeps an abandoned one, hands out those after it, and the abandoned one only when asked', async (store) => {
      await store.insert(aCheckout('c'));
      const failed = anOutcome('a', { kind: 'failed' });
      await store.save(aCheckout('c', { version: 2 }), [failed, anOutcome('b')]);
      const claimed = async (now: number) => (await store.claimOutcomes(now, now + 100, 10)).map(({ id }) => id);
      assert.deepEqual(await claimed(1000), ['a']);
      await store.abandonOutcome({ id: 'a', claimedUntil: 999 }, 1050);
      assert.equal(await store.countAbandonedOutcomes(), 0, 'the lease is not held');
      await store.abandonOutcome({ id: 'a', claimedUntil: 1100 }, 1050);
      assert.deepEqual([await store.countAbandonedOutcomes(), await store.countUndeliveredOutcomes()], [1, 1]);
      assert.deepEqual(await claimed(9000), ['b']);
      await store.markOutcomeDelivered('b', 9050);
      assert.equal(await store.oldestOutcomeAt(), undefined);
      assert.deepEqual(await claimed(90_000), []);
      const times = async () =>
        (await store.listOutcomes('c')).map(({ id, deliveredAt, abandonedAt }) => [id, deliveredAt, abandonedAt]);
      assert.deepEqual(await times(), [
        ['a', null, 1050],
        ['b', 9050, null],
      ]);
      const purge = { createdBefore: 1e9, unpaidCreatedBefore: 1e9, after: undefined, limit: 10 };
      assert.equal((await store.purge(purge)).deleted, 0);

      assert.equal(await store.redeliverOutcome('nobody', 90_000), false);
      assert.equal(await store.redeliverOutcome('a', 90_000), true);
      assert.deepEqual(await claimed(89_999), []);
      assert.deepEqual(await claimed(90_000), ['a']);
      assert.equal(await store.countAbandonedOutcomes(), 0);
      await store.markOutcomeDelivered('a', 90_050);
      assert.equal(await store.redeliverOutcome('b', 91_000), true, 'also one that was delivered');
      assert.deepEqual(await claimed(91_000), ['b']);
      assert.deepEqual(await times(), [
        ['a', 90_050, null],
        ['b', null, null],
      ]);
      assert.deepEqual(await store.listOutcomes('nobody'), []);
    });

    rule('a change under a lease that is no longer held is dropped', async (store) => {
      await store.insert(aCheckout('c'));
      assert.equal(await store.save(aCheckout('c', { version: 2 }), [anOutcome('a')]), true);
      await store.claimOutcomes(1000, 2000, 10);
      await store.claimOutcomes(2000, 5000, 10); // another process, after the end of the lease
      const late = { id: 'a', claimedUntil: 2000 };
      await store.retryOutcome(late, 2500);
      await store.renewOutcomeLeases([late], 9000);
      assert.deepEqual(await store.claimOutcomes(4999, 6000, 10), []);
      assert.equal((await store.claimOutcomes(5000, 6000, 10)).length, 1);
    });
  });
}

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Rule } from './contract-rule-type.ts';
import { InvoiceClaimedError, type CheckoutRecord } from '../../../src/server-internals.ts';
import { makeAttempt, makeCheckoutRecord, makeHidden, makeOutcome } from '../../support/make-checkout-records.ts';

/** Declares the rules of the outbox: of storing and delivering outcomes. */
export function testOutcomes(name: string, rule: Rule): void {
  describe(`${name}, as an outbox,`, () => {
    rule('claims outcomes oldest first, and returns every member as it was saved', async (store) => {
      await store.insert(makeCheckoutRecord('c'));
      await store.insert(makeCheckoutRecord('d'));
      const saved = [
        makeOutcome('b', { occurredAt: 20, kind: 'resolved', decision: 'void', note: 'Возврат' }),
        makeOutcome('a', { occurredAt: 10, kind: 'paid', decidedBy: 'person', checkoutId: 'd', invoiceId: null }),
      ];
      for (const [index, outcome] of saved.entries())
        assert.equal(
          await store.save(makeCheckoutRecord(outcome.checkoutId, { version: 2 }), saved.slice(index, index + 1)),
          true,
        );
      assert.deepEqual(await store.claimOutcomes(9, 100, 10), []);
      assert.deepEqual(await store.claimOutcomes(20, 100, 1), [saved[1]]);
      assert.deepEqual(await store.claimOutcomes(20, 100, 10), [saved[0]]);
      assert.deepEqual(await store.claimOutcomes(99, 200, 10), []);
      assert.deepEqual(await store.claimOutcomes(100, 200, 10), [saved[1], saved[0]]);
    });

    rule('counts the undelivered outcomes, even if they are claimed, with the time of the oldest', async (store) => {
      const counts = async () => {
        const { undelivered, oldestAt } = await store.countOutcomes();
        return [undelivered, oldestAt];
      };
      assert.deepEqual(await counts(), [0, null]);
      await store.insert(makeCheckoutRecord('c'));
      await store.insert(makeCheckoutRecord('d'));
      await store.save(makeCheckoutRecord('c', { version: 2 }), [makeOutcome('a', { occurredAt: 20 })]);
      const outcomeOfOtherCheckout = makeOutcome('b', { occurredAt: 10, checkoutId: 'd', orderId: 'other' });
      await store.save(makeCheckoutRecord('d', { version: 2 }), [outcomeOfOtherCheckout]);
      assert.deepEqual(await counts(), [2, 10]);
      await store.claimOutcomes(30, 90, 1);
      await store.retryOutcome({ id: 'b', claimedUntil: 90 }, 60);
      assert.deepEqual(await counts(), [2, 10]);
      await store.markOutcomeDelivered('b', 40);
      assert.deepEqual(await counts(), [1, 20]);
      await store.markOutcomeDelivered('a', 50);
      assert.deepEqual(await counts(), [0, null]);
    });

    rule(
      'numbers the outcomes of each checkout from 1 in the order of their saves, and keeps the number of an outcome',
      async (store) => {
        for (const id of ['c', 'd']) await store.insert(makeCheckoutRecord(id));
        const failed = makeOutcome('failed', { kind: 'failed' });
        await store.save(makeCheckoutRecord('c', { version: 2 }), [failed]);
        await store.save(makeCheckoutRecord('c', { version: 3 }), [
          failed,
          makeOutcome('paid'),
          makeOutcome('second', { kind: 'duplicate_payment' }),
        ]);
        await store.save(makeCheckoutRecord('d', { version: 2 }), [
          makeOutcome('of d', { kind: 'expired', checkoutId: 'd' }),
        ]);
        const sequences: Record<string, number> = {};
        for (let round = 0; round < 4; round += 1)
          for (const { id, sequence } of await store.claimOutcomes(5000, 6000, 10)) {
            sequences[id] = sequence;
            await store.markOutcomeDelivered(id, 5000);
          }
        assert.deepEqual(sequences, { failed: 1, paid: 2, second: 3, 'of d': 1 });
      },
    );

    rule('claims no outcome of a checkout while an earlier outcome of the checkout is not delivered', async (store) => {
      for (const id of ['c', 'd']) await store.insert(makeCheckoutRecord(id));
      // The second outcome has an earlier time, as from a process whose clock is behind.
      await store.save(makeCheckoutRecord('c', { version: 2 }), [
        makeOutcome('c1', { kind: 'failed', occurredAt: 500 }),
      ]);
      await store.save(makeCheckoutRecord('c', { version: 3 }), [makeOutcome('c2', { occurredAt: 400 })]);
      await store.save(makeCheckoutRecord('d', { version: 2 }), [
        makeOutcome('d1', { kind: 'failed', checkoutId: 'd' }),
      ]);
      const claimIds = async (now: number) => (await store.claimOutcomes(now, 2000, 10)).map(({ id }) => id);
      assert.deepEqual(await claimIds(400), [], 'the first outcome is not due');
      assert.deepEqual(await claimIds(1000), ['c1', 'd1']);
      assert.deepEqual(await claimIds(1500), [], 'the first outcome is being delivered');
      await store.retryOutcome({ id: 'c1', claimedUntil: 2000 }, 9000);
      assert.deepEqual(await claimIds(8999), ['d1'], 'the first outcome is retried later');
      assert.deepEqual(await claimIds(9000), ['c1', 'd1']);
      await store.markOutcomeDelivered('c1', 9000);
      assert.deepEqual(await claimIds(9001), ['c2', 'd1']);
    });

    rule('gives an invoice to the first checkout that stores it, also of concurrent saves', async (store) => {
      const ids = ['c', 'd', 'e'];
      for (const id of ids) await store.insert(makeCheckoutRecord(id));
      const invoice = { id: 'inv_shared', amount: '1500.00' };
      const withInvoice = (id: string): CheckoutRecord =>
        makeCheckoutRecord(id, { version: 2, attempts: [makeAttempt(`attempt of ${id}`, { invoice })] });
      const results = await Promise.allSettled(
        ids.map((id) => store.save(withInvoice(id), [makeOutcome(id, { checkoutId: id })])),
      );
      const claimed = ids.filter((_, index) => results[index]?.status === 'fulfilled');
      assert.equal(claimed.length, 1, 'exactly one of the saves succeeds');
      for (const [index, id] of ids.entries()) {
        const result = results[index];
        if (result?.status === 'rejected')
          assert.ok(result.reason instanceof InvoiceClaimedError, String(result.reason));
        assert.equal((await store.load(id))?.version, claimed.includes(id) ? 2 : 1);
        assert.equal((await store.listOutcomes(id)).length, claimed.includes(id) ? 1 : 0);
        if (claimed.includes(id)) continue;
        const attempts = [makeHidden(`attempt of ${id}`, { reason: 'foreign_invoice', runAt: null, invoice })];
        assert.equal(await store.save(makeCheckoutRecord(id, { version: 2, attempts }), []), true);
        assert.deepEqual((await store.load(id))?.attempts, attempts);
      }
      const [owner = ''] = claimed;
      const again = { ...withInvoice(owner), version: 3 };
      assert.equal(await store.save(again, []), true, 'the owner keeps its claim');
    });

    rule(
      'reads the outcomes of all checkouts in one order, also of concurrent saves, with their deliveries',
      async (store) => {
        const ids = Array.from({ length: 20 }, (_, n) => `c${n}`);
        for (const id of ids) await store.insert(makeCheckoutRecord(id));
        const read: string[] = [];
        let position = 0;
        const readOn = async (): Promise<void> => {
          for (const outcome of (await store.readOutcomes(position, 7)).outcomes) {
            assert.ok(outcome.position > position, 'positions grow');
            position = outcome.position;
            read.push(outcome.id);
          }
        };
        const saves = ids.map(async (checkoutId) => {
          for (const version of [2, 3])
            await store.save(makeCheckoutRecord(checkoutId, { version }), [
              makeOutcome(`${checkoutId} ${version}`, { checkoutId }),
            ]);
        });
        for (let round = 0; round < 5; round += 1) await readOn();
        await Promise.all(saves);
        for (let round = 0; round < 10; round += 1) await readOn();
        assert.equal(read.length, 40);
        assert.equal(new Set(read).size, 40);
        for (const id of ids)
          assert.ok(read.indexOf(`${id} 2`) < read.indexOf(`${id} 3`), 'in the order of a checkout');
        const { storeId, lastPosition, outcomes } = await store.readOutcomes(position, 7);
        assert.deepEqual([lastPosition, outcomes], [position, []]);
        assert.equal((await store.readOutcomes(0, 1)).storeId, storeId);
        const failed = { at: 50, status: 503, error: 'HTTP 503' };
        const delivered = { at: 60, status: 200, error: null };
        await store.claimOutcomes(5000, 6000, 100);
        await store.retryOutcome({ id: 'c0 2', claimedUntil: 6000 }, 7000, failed);
        const find = async () => (await store.readOutcomes(0, 100)).outcomes.find(({ id }) => id === 'c0 2');
        const { deliveries, nextDeliveryAt } = (await find()) ?? {};
        assert.deepEqual([deliveries, nextDeliveryAt], [[failed], 7000]);
        await store.markOutcomeDelivered('c0 2', 60, delivered);
        const [listed] = await store.listOutcomes('c0');
        assert.deepEqual([listed?.deliveries, listed?.nextDeliveryAt], [[failed, delivered], null]);
      },
    );

    rule('gives no outcome a position of a purged one', async (store) => {
      const save = async (id: string): Promise<number> => {
        await store.insert(makeCheckoutRecord(id, { createdAt: 1 }));
        await store.save(makeCheckoutRecord(id, { createdAt: 1, version: 2 }), [makeOutcome(id, { checkoutId: id })]);
        return (await store.readOutcomes(0, 10)).outcomes.at(-1)?.position ?? 0;
      };
      const first = await save('a');
      await store.markOutcomeDelivered('a', 10, { at: 10, status: null, error: null });
      assert.equal((await store.purge({ createdBefore: 5, expiredBefore: 5, after: undefined, limit: 10 })).deleted, 1);
      assert.ok((await save('b')) > first);
    });

    rule('never claims a delivered outcome, and stores an outcome with a known id only once', async (store) => {
      await store.insert(makeCheckoutRecord('c'));
      assert.equal(
        await store.save(makeCheckoutRecord('c', { version: 2 }), [makeOutcome('a'), makeOutcome('b')]),
        true,
      );
      await store.claimOutcomes(1000, 2000, 10);
      await store.markOutcomeDelivered('a', 1500);
      assert.equal(
        await store.save(makeCheckoutRecord('c', { version: 3 }), [makeOutcome('a'), makeOutcome('b')]),
        true,
      );
      assert.deepEqual(
        (await store.claimOutcomes(2000, 3000, 10)).map(({ id }) => id),
        ['b'],
      );
      await store.markOutcomeDelivered('b', 2500);
      assert.deepEqual(await store.claimOutcomes(90_000, 90_001, 10), []);
    });

    rule('renews the leases of claimed outcomes, and leaves delivered outcomes delivered', async (store) => {
      await store.insert(makeCheckoutRecord('c'));
      assert.equal(
        await store.save(makeCheckoutRecord('c', { version: 2 }), [makeOutcome('b'), makeOutcome('a')]),
        true,
      );
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

    rule('claims an outcome whose delivery failed from its retry time on', async (store) => {
      await store.insert(makeCheckoutRecord('c'));
      assert.equal(await store.save(makeCheckoutRecord('c', { version: 2 }), [makeOutcome('a')]), true);
      await store.claimOutcomes(1000, 90_000, 10);
      await store.retryOutcome({ id: 'a', claimedUntil: 90_000 }, 3000);
      assert.deepEqual(await store.claimOutcomes(2999, 4000, 10), []);
      assert.equal((await store.claimOutcomes(3000, 4000, 10)).length, 1);
    });

    rule(
      'keeps an abandoned outcome, claims the later ones, and claims the abandoned one only on request',
      async (store) => {
        await store.insert(makeCheckoutRecord('c'));
        const failed = makeOutcome('a', { kind: 'failed' });
        await store.save(makeCheckoutRecord('c', { version: 2 }), [failed, makeOutcome('b')]);
        const claimIds = async (now: number) => (await store.claimOutcomes(now, now + 100, 10)).map(({ id }) => id);
        assert.deepEqual(await claimIds(1000), ['a']);
        await store.abandonOutcome({ id: 'a', claimedUntil: 999 }, 1050);
        assert.equal((await store.countOutcomes()).abandoned, 0, 'the lease is not held');
        await store.abandonOutcome({ id: 'a', claimedUntil: 1100 }, 1050);
        assert.deepEqual(await store.countOutcomes(), { undelivered: 1, oldestAt: 1000, abandoned: 1 });
        assert.deepEqual(await claimIds(9000), ['b']);
        await store.markOutcomeDelivered('b', 9050);
        assert.equal((await store.countOutcomes()).oldestAt, null);
        assert.deepEqual(await claimIds(90_000), []);
        const deliveryTimes = async () =>
          (await store.listOutcomes('c')).map(({ id, deliveredAt, abandonedAt }) => [id, deliveredAt, abandonedAt]);
        assert.deepEqual(await deliveryTimes(), [
          ['a', null, 1050],
          ['b', 9050, null],
        ]);
        const purgeBatch = { createdBefore: 1e9, expiredBefore: 1e9, after: undefined, limit: 10 };
        assert.equal((await store.purge(purgeBatch)).deleted, 0);

        assert.equal(await store.redeliverOutcome('nobody', 90_000), undefined);
        assert.equal(await store.redeliverOutcome('a', 90_000), 'c');
        assert.deepEqual(await claimIds(89_999), []);
        assert.deepEqual(await claimIds(90_000), ['a']);
        assert.equal((await store.countOutcomes()).abandoned, 0);
        await store.markOutcomeDelivered('a', 90_050);
        assert.equal(await store.redeliverOutcome('b', 91_000), 'c', 'a delivered outcome can be delivered once more');
        assert.deepEqual(await claimIds(91_000), ['b']);
        assert.deepEqual(await deliveryTimes(), [
          ['a', 90_050, null],
          ['b', null, null],
        ]);
        assert.deepEqual(await store.listOutcomes('nobody'), []);
      },
    );

    rule('does not make an outcome claimable during its lease, but one that waits for a late retry', async (store) => {
      await store.insert(makeCheckoutRecord('c'));
      await store.save(makeCheckoutRecord('c', { version: 2 }), [makeOutcome('a')]);
      await store.claimOutcomes(1000, 5000, 10);
      assert.equal(await store.redeliverOutcome('a', 0, 5000), 'c');
      assert.deepEqual(await store.claimOutcomes(4999, 9000, 10), []);
      await store.retryOutcome({ id: 'a', claimedUntil: 5000 }, 90_000);
      await store.redeliverOutcome('a', 0, 8000);
      assert.equal((await store.claimOutcomes(4000, 8000, 10)).length, 1);
      await store.markOutcomeDelivered('a', 4500);
      await store.redeliverOutcome('a', 0, 8500);
      assert.equal((await store.claimOutcomes(4500, 8500, 10)).length, 1, 'a delivered one is claimable at once');
    });

    rule('marks an outcome as delivered for good, even for a process whose lease has ended', async (store) => {
      await store.insert(makeCheckoutRecord('c'));
      assert.equal(await store.save(makeCheckoutRecord('c', { version: 2 }), [makeOutcome('a')]), true);
      await store.claimOutcomes(1000, 2000, 10);
      await store.claimOutcomes(2000, 5000, 10); // another process, after the end of the lease
      await store.markOutcomeDelivered('a', 2500);
      for (const id of ['a', 'nobody']) await store.retryOutcome({ id, claimedUntil: 5000 }, 3000);
      assert.deepEqual(await store.claimOutcomes(9000, 9001, 10), []);
      assert.equal((await store.countOutcomes()).undelivered, 0);
      assert.deepEqual(
        (await store.listOutcomes('c')).map(({ deliveredAt }) => deliveredAt),
        [2500],
      );
    });

    rule('drops a change by a process whose lease has ended', async (store) => {
      await store.insert(makeCheckoutRecord('c'));
      assert.equal(await store.save(makeCheckoutRecord('c', { version: 2 }), [makeOutcome('a')]), true);
      await store.claimOutcomes(1000, 2000, 10);
      await store.claimOutcomes(2000, 5000, 10); // another process, after the end of the lease
      const endedLease = { id: 'a', claimedUntil: 2000 };
      await store.retryOutcome(endedLease, 2500);
      await store.renewOutcomeLeases([endedLease], 9000);
      assert.deepEqual(await store.claimOutcomes(4999, 6000, 10), []);
      assert.equal((await store.claimOutcomes(5000, 6000, 10)).length, 1);
    });
  });
}

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Rule } from './contract-rule-type.ts';
import { hasInvoice, type CheckoutRecord } from '../../../src/server-internals.ts';
import { makeAttempt, makeCheckoutRecord, makeCreate, makeOutcome } from '../../support/make-checkout-records.ts';

/** Declares the rules of `shiftSchedule`, which moves the schedule after a step of the clock. */
export function testClockSteps(name: string, rule: Rule): void {
  describe(`${name}, when its schedule is shifted after a step of the clock,`, () => {
    for (const [direction, ms] of [
      ['back', -1000],
      ['forward', 1000],
    ] as const) {
      rule(`moves later attempts ${direction}, with their leases and the times of their last fetch`, async (store) => {
        const creating = { state: 'creating', runAt: 5000, leaseUntil: 5000 } as const;
        const attempts = [
          makeAttempt('due', { runAt: 2000, answeredAt: 1500, checkedAt: 1500 }),
          makeAttempt('later', { runAt: 2001, answeredAt: 1900, checkedAt: 1800 }),
          makeAttempt('never fetched', { runAt: 4000 }),
          makeCreate('creating', creating),
          makeAttempt('ended', { runAt: null, answeredAt: 3000, checkedAt: 2900 }),
        ];
        const record = makeCheckoutRecord('c', { attempts });
        await store.insert(record);
        await store.shiftSchedule(2000, ms);
        const loaded = await store.load('c');
        assert.deepEqual(
          loaded?.attempts.map((attempt) => [
            attempt.externalId,
            attempt.runAt,
            hasInvoice(attempt) ? [attempt.answeredAt, attempt.checkedAt] : null,
            attempt.leaseUntil,
          ]),
          [
            ['due', 2000, [1500, 1500], 0],
            ['later', 2001 + ms, [1900 + ms, 1800 + ms], 0],
            ['never fetched', 4000 + ms, [null, null], 0],
            ['creating', 5000 + ms, null, 5000 + ms],
            ['ended', null, [3000, 2900], 0],
          ],
        );
        assert.equal(loaded.version, 1, 'nothing that a payer sees has changed');
        const times = (record: CheckoutRecord) =>
          record.attempts.filter(hasInvoice).map((known) => [known.createdAt, known.expiresAt]);
        assert.deepEqual(times(loaded), times(record));
        assert.deepEqual(
          (await store.claimDueAttempts(4000 + ms, 9000, 10)).map(({ externalId }) => externalId).sort(),
          ['due', 'later', 'never fetched'],
        );
        assert.equal(await store.nextRunAt(), 5000 + ms);
      });

      rule(`moves claimed attempts, claimed outcomes and outcomes to retry ${direction}`, async (store) => {
        for (const id of ['c', 'd', 'e'])
          await store.insert(makeCheckoutRecord(id, { attempts: [makeAttempt(`attempt of ${id}`)] }));
        for (const id of ['c', 'd', 'e'])
          await store.save(makeCheckoutRecord(id, { version: 2, attempts: [makeAttempt(`attempt of ${id}`)] }), [
            makeOutcome(`outcome of ${id}`, { checkoutId: id, orderId: id, occurredAt: 1000 }),
          ]);
        assert.equal((await store.claimDueAttempts(1000, 5000, 10)).length, 3);
        assert.equal((await store.claimOutcomes(1000, 5000, 10)).length, 3);
        await store.retryOutcome({ id: 'outcome of d', claimedUntil: 5000 }, 6000);
        await store.markOutcomeDelivered('outcome of e', 1500);
        await store.shiftSchedule(2000, ms);
        assert.equal((await store.claimDueAttempts(4999 + ms, 9000, 10)).length, 0);
        assert.equal((await store.claimDueAttempts(5000 + ms, 9000, 10)).length, 3);
        const claimIds = async (now: number) => (await store.claimOutcomes(now, 90_000, 10)).map(({ id }) => id);
        assert.deepEqual(await claimIds(4999 + ms), []);
        assert.deepEqual(await claimIds(5000 + ms), ['outcome of c']);
        assert.deepEqual(await claimIds(5999 + ms), []);
        assert.deepEqual(await claimIds(6000 + ms), ['outcome of d']);
        assert.deepEqual(await claimIds(80_000), [], 'a delivered outcome stays delivered');
        assert.equal((await store.countOutcomes()).undelivered, 2);
      });
    }

    rule('tells the time that was stored before, also when the new one is earlier', async (store) => {
      assert.equal(await store.noteTime(5000), undefined);
      assert.equal(await store.noteTime(2000), 5000);
      assert.equal(await store.noteTime(3000), 2000);
    });

    rule('does not move attempts and outcomes that are due already', async (store) => {
      await store.insert(
        makeCheckoutRecord('c', { attempts: [makeAttempt('e1', { runAt: 500, answeredAt: 400, checkedAt: 400 })] }),
      );
      await store.save(
        makeCheckoutRecord('c', {
          version: 2,
          attempts: [makeAttempt('e1', { runAt: 500, answeredAt: 400, checkedAt: 400 })],
        }),
        [makeOutcome('o1', { occurredAt: 600 })],
      );
      await store.shiftSchedule(1000, 5000);
      assert.equal(await store.nextRunAt(), 500);
      assert.deepEqual(
        ((await store.load('c')) ?? assert.fail()).attempts.filter(hasInvoice).map(({ answeredAt }) => answeredAt),
        [400],
      );
      assert.equal((await store.claimOutcomes(600, 700, 10)).length, 1);
    });
  });
}

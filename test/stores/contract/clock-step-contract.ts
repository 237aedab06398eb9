import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Rule } from './contract-rule-type.ts';
import { hasInvoice } from '../../../src/server-internals.ts';
import { makeAttempt, makeCheckoutRecord, makeCreate, makeOutcome } from '../../support/make-checkout-records.ts';

/** Declares the rules of `limitDelays` and `noteTime`, which help after a step of the clock. */
export function testClockSteps(name: string, rule: Rule): void {
  describe(`${name}, after a step of the clock,`, () => {
    rule('makes attempts due that are due later, and ends their leases and last fetches', async (store) => {
      const attempts = [
        makeAttempt('due', { runAt: 2000, checkedAt: 1500 }),
        makeAttempt('later', { runAt: 9000, checkedAt: 8000 }),
        makeAttempt('never fetched', { runAt: 4000 }),
        makeCreate('under way', { state: 'creating', runAt: 9000, leaseUntil: 9000 }),
        makeCreate('to be repeated', { state: 'in_doubt', runAt: 2500 }),
        makeAttempt('ended', { runAt: null, checkedAt: 3000 }),
      ];
      await store.insert(makeCheckoutRecord('c', { attempts }));
      await store.limitDelays(2000, 5000);
      const loaded = await store.load('c');
      assert.deepEqual(
        loaded?.attempts.map((attempt) => [
          attempt.externalId,
          attempt.runAt,
          hasInvoice(attempt) ? attempt.checkedAt : null,
          attempt.leaseUntil,
        ]),
        [
          ['due', 2000, 1500, 0],
          ['later', 2000, 2000, 0],
          ['never fetched', 2000, null, 0],
          ['under way', 2000, null, 5000],
          ['to be repeated', 2000, null, 0],
          ['ended', null, 3000, 0],
        ],
      );
      assert.equal(loaded.version, 1, 'nothing that a payer sees has changed');
      assert.equal((await store.claimDueAttempts(1999, 9000, 10)).length, 0);
      assert.equal((await store.claimDueAttempts(2000, 9000, 10)).length, 5);
    });

    rule('ends claims and views, and makes outcomes due', async (store) => {
      for (const id of ['c', 'd', 'e']) {
        const attempts = [makeAttempt(`attempt of ${id}`)];
        await store.insert(makeCheckoutRecord(id, { attempts }));
        await store.save(makeCheckoutRecord(id, { version: 2, attempts }), [
          makeOutcome(`outcome of ${id}`, { checkoutId: id, orderId: id, occurredAt: 1000 }),
        ]);
      }
      await store.expedite(['c'], 1000, 70_000);
      assert.equal((await store.claimDueAttempts(1000, 5000, 10)).length, 3);
      assert.equal((await store.claimOutcomes(1000, 5000, 10)).length, 3);
      await store.retryOutcome({ id: 'outcome of d', claimedUntil: 5000 }, 60_000);
      await store.markOutcomeDelivered('outcome of e', 1500);
      await store.limitDelays(2000, 4000);
      assert.equal((await store.claimDueAttempts(1999, 9000, 10)).length, 0);
      assert.equal((await store.claimOutcomes(1999, 9000, 10)).length, 0);
      const claimed = await store.claimDueAttempts(2000, 9000, 10);
      assert.deepEqual(claimed.map((due) => (due.invoiceId === null ? null : due.viewedUntil)).sort(), [
        4000,
        null,
        null,
      ]);
      const claimedOutcomes = await store.claimOutcomes(2000, 9000, 10);
      assert.deepEqual(claimedOutcomes.map(({ id }) => id).sort(), ['outcome of c', 'outcome of d']);
      assert.equal((await store.countOutcomes()).undelivered, 2);
    });

    rule('tells the time that was stored before, also when the new one is earlier', async (store) => {
      assert.equal(await store.noteTime(5000), undefined);
      assert.equal(await store.noteTime(2000), 5000);
      assert.equal(await store.noteTime(3000), 2000);
    });

    rule('leaves attempts and outcomes that are due already', async (store) => {
      const attempts = [makeAttempt('e1', { runAt: 500, checkedAt: 400 })];
      await store.insert(makeCheckoutRecord('c', { attempts }));
      await store.save(makeCheckoutRecord('c', { version: 2, attempts }), [makeOutcome('o1', { occurredAt: 600 })]);
      await store.limitDelays(1000, 5000);
      assert.equal(await store.nextRunAt(), 500);
      assert.equal((await store.claimOutcomes(600, 700, 10)).length, 1);
    });
  });
}

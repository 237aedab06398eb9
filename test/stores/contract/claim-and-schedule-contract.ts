import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { CheckoutStore } from '../../../src/server.ts';
import {
  makeAttempt,
  makeCheckoutRecord,
  makeCreate,
  makeHidden,
  makeRejected,
} from '../../support/make-checkout-records.ts';
import { hasInvoice } from '../../../src/server-internals.ts';
import type { Rule } from './contract-rule-type.ts';

/** Claims due attempts, and resolves with their external identifiers. */
const claimDue = async (store: CheckoutStore, now: number, leaseUntil = now, limit = 100): Promise<readonly string[]> =>
  (await store.claimDueAttempts(now, leaseUntil, limit)).map(({ externalId }) => externalId);

/** Declares the rules of claims, leases and schedules of attempts. */
export function testClaims(name: string, rule: Rule): void {
  describe(`${name}, when processes claim attempts,`, () => {
    rule('claims due attempts of some checkouts before all others that are due', async (store) => {
      for (const number of [1, 2, 3, 4])
        await store.insert(
          makeCheckoutRecord(`c${number}`, { attempts: [makeAttempt(`e${number}`, { runAt: 100 * number })] }),
        );
      const claimOf = async (...ids: string[]): Promise<string[]> =>
        (await store.claimDueAttempts(350, 2000, 10, ids)).map(({ externalId }) => externalId);
      assert.deepEqual(await claimOf('c3', 'c4', 'other'), ['e3'], 'c4 is not due');
      assert.deepEqual(await claimOf('c3'), [], 'it is claimed');
      assert.deepEqual(await claimDue(store, 350), ['e1', 'e2']);
    });

    rule(
      'claims due attempts, earliest first and at most as many as requested, and returns them with all members of a DueAttempt',
      async (store) => {
        const fetchedAttempt = makeHidden('e1', {
          runAt: 300,
          answeredAt: 5,
          checkedAt: 4,
          createdAt: 7,
          outcome: 'expired',
          serviceStatus: 'X',
        });
        const creating = makeCreate('e4', { runAt: 100, state: 'creating' });
        await store.insert(
          makeCheckoutRecord('c1', { attempts: [fetchedAttempt, makeAttempt('e2', { runAt: 1001 })] }),
        );
        await store.insert(makeCheckoutRecord('c2', { attempts: [makeAttempt('e3', { runAt: null }), creating] }));
        assert.deepEqual(await claimDue(store, 99), []);
        assert.deepEqual(await store.claimDueAttempts(1000, 2000, 1), [
          {
            checkoutId: 'c2',
            externalId: 'e4',
            invoiceId: null,
            createdAt: 1_700_000_000_456,
            runAt: 100,
            claimedUntil: 2000,
          },
        ]);
        assert.deepEqual(await store.claimDueAttempts(1000, 2000, 100), [
          {
            checkoutId: 'c1',
            externalId: 'e1',
            invoiceId: 'inv of e1',
            isHidden: true,
            serviceStatus: 'X',
            outcome: 'expired',
            createdAt: 7,
            expiresAt: 1_700_000_900_000,
            answeredAt: 5,
            checkedAt: 4,
            runAt: 300,
            viewedUntil: null,
            claimedUntil: 2000,
          },
        ]);
        const dueLater = await store.claimDueAttempts(2000, 2000, 100);
        assert.deepEqual(
          new Map(dueLater.map((due) => [due.externalId, due.invoiceId === null ? null : due.isHidden])),
          new Map([
            ['e1', true],
            ['e2', false],
            ['e4', null],
          ]),
        );
      },
    );

    rule('returns each claimed attempt with the latest viewedUntil that was stored for it', async (store) => {
      const attempts = [makeAttempt('e1', { runAt: 900 }), makeAttempt('e2', { runAt: 100 })];
      await store.insert(makeCheckoutRecord('c1', { attempts }));
      await store.expedite(['c1'], 500, 5000);
      await store.expedite(['c1'], 500, 4000);
      await store.expedite(['c1'], 500);
      const claimed = await store.claimDueAttempts(500, 2000, 100);
      assert.deepEqual(
        claimed.map((due) => [due.externalId, due.runAt, due.invoiceId === null ? undefined : due.viewedUntil]),
        [
          ['e2', 100, 5000],
          ['e1', 500, 5000],
        ],
      );
      await store.expedite(['c1'], 700, 6000);
      assert.deepEqual(await claimDue(store, 1999), [], 'the attempts are still claimed');
    });

    rule('claims an attempt a second time only after its lease has ended', async (store) => {
      const attempts = Array.from({ length: 30 }, (_, n) => makeAttempt(`e${n}`, { runAt: n }));
      await store.insert(makeCheckoutRecord('c', { attempts }));
      const claimed = await Promise.all([7, 7, 7, 7, 7].map(async (limit) => claimDue(store, 100, 500, limit)));
      assert.equal(claimed.flat().length, 30);
      assert.equal(new Set(claimed.flat()).size, 30);
      assert.deepEqual(await claimDue(store, 499, 900), []);
      assert.equal((await claimDue(store, 500, 900)).length, 30);
    });

    rule(
      'ends the claim of an attempt that is rescheduled or saved, so that it can be claimed at its new runAt',
      async (store) => {
        await store.insert(
          makeCheckoutRecord('c', { attempts: [makeAttempt('e1'), makeAttempt('e2'), makeAttempt('e3')] }),
        );
        assert.equal((await claimDue(store, 1000, 9000)).length, 3);
        await store.reschedule([
          { externalId: 'e1', runAt: 2000, answeredAt: 1000, checkedAt: 900, claimedUntil: 9000 },
          { externalId: 'e2', runAt: null, answeredAt: 1001, checkedAt: 1001, claimedUntil: null },
          { externalId: 'nobody', runAt: 1, answeredAt: 1, checkedAt: 1, claimedUntil: null },
        ]);
        await store.reschedule([]);
        assert.deepEqual(await claimDue(store, 1999), []);
        assert.deepEqual(await claimDue(store, 2000, 9000), ['e1']);
        const loaded = await store.load('c');
        assert.ok(loaded);
        assert.deepEqual(
          loaded.attempts.filter(hasInvoice).map(({ runAt, answeredAt, checkedAt }) => [runAt, answeredAt, checkedAt]),
          [
            [2000, 1000, 900],
            [null, 1001, 1001],
            [1000, null, null],
          ],
        );
        assert.equal(loaded.version, 1, 'nothing that a payer sees has changed');
        assert.equal(await store.save({ ...loaded, version: 2 }, []), true);
        assert.deepEqual(new Set(await claimDue(store, 2000, 9000)), new Set(['e1', 'e3']));
      },
    );

    rule('expedites the attempts of the given checkouts that are due later, and no other attempts', async (store) => {
      await store.insert(
        makeCheckoutRecord('c1', { attempts: [makeAttempt('e1', { runAt: 5000 }), makeAttempt('e2', { runAt: 400 })] }),
      );
      await store.insert(makeCheckoutRecord('c2', { attempts: [makeAttempt('e3', { runAt: 5000 })] }));
      await store.insert(
        makeCheckoutRecord('c3', {
          attempts: [makeAttempt('e4', { runAt: 5000 }), makeAttempt('e5', { runAt: null })],
        }),
      );
      await store.expedite([], 1);
      await store.expedite(['c1', 'c3', 'nobody'], 500);
      const runAtsOf = async (id: string) => (await store.load(id))?.attempts.map(({ runAt }) => runAt);
      assert.deepEqual(
        [await runAtsOf('c1'), await runAtsOf('c2'), await runAtsOf('c3')],
        [[500, 400], [5000], [500, null]],
      );
      assert.deepEqual(await claimDue(store, 499), ['e2']);
      assert.equal((await claimDue(store, 500)).length, 3);
    });

    rule('expedites paid and ended invoices only on request, and never a create in doubt', async (store) => {
      const inDoubt = makeCreate('e1', { runAt: 5000 });
      const paid = makeAttempt('e2', { outcome: 'paid', runAt: null });
      const ended = makeAttempt('e3', { outcome: 'expired', runAt: null });
      const late = makeAttempt('e5', { outcome: 'failed', runAt: 6000 });
      const foreign = makeHidden('e4', { reason: 'foreign_invoice', runAt: null });
      await store.insert(makeCheckoutRecord('c', { attempts: [inDoubt, paid, ended, foreign, late] }));
      await store.expedite(['c'], 500);
      assert.deepEqual(await claimDue(store, 4999), []);
      await store.expedite(['c'], 500, undefined, true);
      assert.deepEqual(new Set(await claimDue(store, 4999)), new Set(['e2', 'e3', 'e5']));
    });

    rule('fetches a claimed invoice again that was expedited during the claim', async (store) => {
      for (const [id, newRunAt, expected] of [
        ['earlier', 1200, 1200],
        ['later', 9000, 1500],
        ['never', null, 1500],
      ] as const)
        for (const isRequested of [true, false]) {
          const checkoutId = `${id} ${isRequested}`;
          await store.insert(
            makeCheckoutRecord(checkoutId, { attempts: [makeAttempt(`attempt ${checkoutId}`, { runAt: 1000 })] }),
          );
          const [claim] = await store.claimDueAttempts(1000, 2000, 1);
          assert.ok(claim);
          for (const at of [1500, 1300]) await store.expedite([checkoutId], at, undefined, isRequested);
          assert.deepEqual(await store.claimDueAttempts(1500, 2000, 1), [], 'the claim is kept');
          const { externalId, claimedUntil, runAt: claimedRunAt } = claim;
          await store.reschedule([
            { externalId, runAt: newRunAt, answeredAt: 1000, checkedAt: 1000, claimedUntil, claimedRunAt },
          ]);
          assert.equal((await store.load(checkoutId))?.attempts[0]?.runAt, expected, checkoutId);
          await store.claimDueAttempts(9000, 90_000, 1);
        }
    });

    rule('makes an unresolved invoice due when its status word is among the given words', async (store) => {
      const attempt = makeAttempt('e', { runAt: null, serviceStatus: 'Settled' });
      await store.insert(makeCheckoutRecord('c', { attempts: [attempt] }));
      await store.expediteUnresolved(['settled'], 500);
      assert.deepEqual(await claimDue(store, 500), [], 'it is not unresolved');
      const record = makeCheckoutRecord('c', { version: 2, attempts: [{ ...attempt, outcome: 'unresolved' }] });
      await store.save(record, []);
      await store.expediteUnresolved(['paid'], 500);
      assert.deepEqual(await claimDue(store, 500), []);
      await store.expediteUnresolved(['paid', 'settled'], 500);
      assert.deepEqual(await claimDue(store, 500), ['e']);
    });

    rule('drops a change by a process whose lease has ended', async (store) => {
      const attempts = [makeCreate('saved'), makeAttempt('claimed by another process'), makeAttempt('expedited')];
      await store.insert(makeCheckoutRecord('c', { attempts }));
      const staleClaims = await store.claimDueAttempts(1000, 2000, 10);
      assert.deepEqual(new Set(staleClaims.map(({ claimedUntil }) => claimedUntil)), new Set([2000]));
      const changedAttempts = attempts.map((attempt, index) =>
        index === 0 ? makeRejected(attempt.externalId) : { ...attempt, runAt: 1500 },
      );
      assert.ok(await store.save(makeCheckoutRecord('c', { version: 2, attempts: changedAttempts }), []));
      assert.equal((await store.claimDueAttempts(1500, 4000, 10)).length, 2);
      await store.reschedule(
        staleClaims.map(({ externalId, claimedUntil }) => ({
          externalId,
          runAt: 1600,
          answeredAt: 1,
          checkedAt: 1,
          claimedUntil,
        })),
      );
      assert.deepEqual(await claimDue(store, 3999), [], 'a rejected create is never claimed again');
      assert.deepEqual(
        (await store.load('c'))?.attempts.map(({ runAt }) => runAt),
        [null, 1500, 1500],
      );
    });

    rule('returns from nextRunAt when the next attempt is due or the next lease ends', async (store) => {
      assert.equal(await store.nextRunAt(), undefined);
      const attempts = [900, null, 700, 800].map((runAt, n) => makeAttempt(`e${n}`, { runAt }));
      await store.insert(makeCheckoutRecord('c', { attempts }));
      assert.equal(await store.nextRunAt(), 700);
      await store.claimDueAttempts(700, 5000, 10);
      assert.equal(await store.nextRunAt(), 800);
      await store.claimDueAttempts(900, 6000, 10);
      assert.equal(await store.nextRunAt(), 5000);
      await store.reschedule(
        attempts.map(({ externalId }) => ({
          externalId,
          runAt: null,
          answeredAt: 700,
          checkedAt: 700,
          claimedUntil: null,
        })),
      );
      assert.equal(await store.nextRunAt(), undefined);
    });
  });
}

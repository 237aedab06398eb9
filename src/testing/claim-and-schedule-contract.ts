import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { CheckoutStore } from '../server.ts';
import { aCheckout, anAttempt } from './checkout-records.ts';
import type { Rule } from './contract-rule.ts';

const due = async (store: CheckoutStore, now: number, leaseUntil = now, limit = 100): Promise<readonly string[]> =>
  (await store.claimDueAttempts(now, leaseUntil, limit)).map(({ externalId }) => externalId);

/** The rules of claims, leases and schedules of attempts. */
export function claimRules(name: string, rule: Rule): void {
  describe(`${name} hands out work`, () => {
    rule(
      'takes what is due, earliest first, as many as are asked for, with what is needed to act on it',
      async (store) => {
        const late = anAttempt('e1', {
          runAt: 300,
          checkedAt: 5,
          createdAt: 7,
          outcome: 'expired',
          serviceStatus: 'X',
        });
        const asking = anAttempt('e4', { runAt: 100, stage: 'creating', invoice: null, expiresAt: null });
        await store.insert(aCheckout('c1', { attempts: [late, anAttempt('e2', { runAt: 1001 })] }));
        await store.insert(aCheckout('c2', { attempts: [anAttempt('e3', { runAt: null }), asking] }));
        assert.deepEqual(await due(store, 99), []);
        assert.deepEqual(await store.claimDueAttempts(1000, 2000, 1), [
          {
            checkoutId: 'c2',
            externalId: 'e4',
            stage: 'creating',
            invoiceId: null,
            serviceStatus: 'PENDING',
            outcome: 'pending',
            createdAt: 1_700_000_000_456,
            expiresAt: null,
            checkedAt: null,
            runAt: 100,
            claimedUntil: 2000,
          },
        ]);
        assert.deepEqual(await store.claimDueAttempts(1000, 2000, 100), [
          {
            checkoutId: 'c1',
            externalId: 'e1',
            stage: 'created',
            invoiceId: 'inv of e1',
            serviceStatus: 'X',
            outcome: 'expired',
            createdAt: 7,
            expiresAt: 1_700_000_900_000,
            checkedAt: 5,
            runAt: 300,
            claimedUntil: 2000,
          },
        ]);
        assert.deepEqual(new Set(await due(store, 2000)), new Set(['e1', 'e2', 'e4']));
      },
    );

    rule('nobody takes what somebody holds, until the lease is over', async (store) => {
      const attempts = Array.from({ length: 30 }, (_, n) => anAttempt(`e${n}`, { runAt: n }));
      await store.insert(aCheckout('c', { attempts }));
      const taken = await Promise.all([7, 7, 7, 7, 7].map(async (limit) => due(store, 100, 500, limit)));
      assert.equal(taken.flat().length, 30);
      assert.equal(new Set(taken.flat()).size, 30);
      assert.deepEqual(await due(store, 499, 900), []);
      assert.equal((await due(store, 500, 900)).length, 30);
    });

    rule('what is rescheduled or saved is let go of, and due when that says', async (store) => {
      await store.insert(aCheckout('c', { attempts: [anAttempt('e1'), anAttempt('e2'), anAttempt('e3')] }));
      assert.equal((await due(store, 1000, 9000)).length, 3);
      await store.reschedule([
        { externalId: 'e1', runAt: 2000, checkedAt: 1000, claimedUntil: 9000 },
        { externalId: 'e2', runAt: null, checkedAt: 1001, claimedUntil: null },
        { externalId: 'nobody', runAt: 1, checkedAt: 1, claimedUntil: null },
      ]);
      await store.reschedule([]);
      assert.deepEqual(await due(store, 1999), []);
      assert.deepEqual(await due(store, 2000, 9000), ['e1']);
      const loaded = await store.load('c');
      assert.ok(loaded);
      assert.deepEqual(
        loaded.attempts.map(({ runAt, checkedAt }) => [runAt, checkedAt]),
        [
          [2000, 1000],
          [null, 1001],
          [1000, null],
        ],
      );
      assert.equal(loaded.version, 1, 'nothing that a payer sees has changed');
      assert.equal(await store.save({ ...loaded, version: 2 }, []), true);
      assert.deepEqual(new Set(await due(store, 2000, 9000)), new Set(['e1', 'e3']));
    });

    rule('hastens what is due later, of the checkouts that are named alone', async (store) => {
      await store.insert(
        aCheckout('c1', { attempts: [anAttempt('e1', { runAt: 5000 }), anAttempt('e2', { runAt: 400 })] }),
      );
      await store.insert(aCheckout('c2', { attempts: [anAttempt('e3', { runAt: 5000 })] }));
      await store.insert(
        aCheckout('c3', { attempts: [anAttempt('e4', { runAt: 5000 }), anAttempt('e5', { runAt: null })] }),
      );
      await store.expedite([], 1);
      await store.expedite(['c1', 'c3', 'nobody'], 500);
      const at = async (id: string) => (await store.load(id))?.attempts.map(({ runAt }) => runAt);
      assert.deepEqual([await at('c1'), await at('c2'), await at('c3')], [[500, 400], [5000], [500, null]]);
      assert.deepEqual(await due(store, 499), ['e2']);
      assert.equal((await due(store, 500)).length, 3);
    });

    rule('what is held is not hastened: it is being looked at', async (store) => {
      await store.insert(aCheckout('c', { attempts: [anAttempt('e1')] }));
      assert.deepEqual(await due(store, 1000, 9000), ['e1']);
      for (const at of [1000, 1500]) await store.expedite(['c'], at);
      assert.deepEqual(await due(store, 1500), []);
    });

    rule('goes on holding an attempt for the call that holds it, as long as it has no answer', async (store) => {
      const asking = { stage: 'creating', invoice: null, callCount: 2, leaseUntil: 1000 } as const;
      const answered = anAttempt('e3', { callCount: 2, leaseUntil: 0, runAt: 1000 });
      const attempts = [anAttempt('e1', asking), anAttempt('e2', asking), answered];
      await store.insert(aCheckout('c', { attempts }));
      await store.renewAttemptLease('e1', 2, 4000);
      await store.renewAttemptLease('e2', 1, 4000);
      await store.renewAttemptLease('e3', 2, 4000);
      await store.renewAttemptLease('nobody', 2, 4000);
      const loaded = await store.load('c');
      assert.deepEqual(
        loaded?.attempts.map(({ leaseUntil, runAt }) => [leaseUntil, runAt]),
        [
          [4000, 4000],
          [1000, 1000],
          [0, 1000],
        ],
      );
      assert.equal(loaded.version, 1, 'nothing that a payer sees has changed');
      assert.deepEqual(new Set(await due(store, 3999, 9000)), new Set(['e2', 'e3']));
      assert.deepEqual(await due(store, 4000, 9000), ['e1']);
    });

    rule('a change under a lease that is no longer held is dropped', async (store) => {
      const attempts = [anAttempt('saved', { stage: 'in_doubt' }), anAttempt('claimed anew'), anAttempt('expedited')];
      await store.insert(aCheckout('c', { attempts }));
      const late = await store.claimDueAttempts(1000, 2000, 10);
      assert.deepEqual(new Set(late.map(({ claimedUntil }) => claimedUntil)), new Set([2000]));
      const rejected = attempts.map((attempt, at) =>
        at === 0 ? { ...attempt, stage: 'rejected' as const, runAt: null } : { ...attempt, runAt: 1500 },
      );
      assert.ok(await store.save(aCheckout('c', { version: 2, attempts: rejected }), []));
      assert.equal((await store.claimDueAttempts(1500, 4000, 10)).length, 2);
      await store.reschedule(
        late.map(({ externalId, claimedUntil }) => ({
          externalId,
          runAt: 1600,
          checkedAt: 1,
          claimedUntil,
        })),
      );
      assert.deepEqual(await due(store, 3999), [], 'a rejected create is never claimed again');
      assert.deepEqual(
        (await store.load('c'))?.attempts.map(({ runAt }) => runAt),
        [null, 1500, 1500],
      );
    });

    rule('tells when the next is due, the end of a lease among them', async (store) => {
      assert.equal(await store.nextRunAt(), undefined);
      const attempts = [900, null, 700, 800].map((runAt, n) => anAttempt(`e${n}`, { runAt }));
      await store.insert(aCheckout('c', { attempts }));
      assert.equal(await store.nextRunAt(), 700);
      await store.claimDueAttempts(700, 5000, 10);
      assert.equal(await store.nextRunAt(), 800);
      await store.claimDueAttempts(900, 6000, 10);
      assert.equal(await store.nextRunAt(), 5000);
      await store.reschedule(
        attempts.map(({ externalId }) => ({ externalId, runAt: null, checkedAt: 700, claimedUntil: null })),
      );
      assert.equal(await store.nextRunAt(), undefined);
    });
  });
}

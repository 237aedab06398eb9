import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CheckoutRecord, CheckoutStore } from '../../src/server.ts';
import { outcomeRules } from './outcome-contract.ts';
import { purgeRules } from './purge-contract.ts';
import { aCheckout, anAttempt, anOutcome } from './checkout-records.ts';
import { scheduleRules } from './schedule-contract.ts';

/** A store to be tested, empty, and how it is put away. */
export interface StoreUnderTest {
  readonly store: CheckoutStore;
  readonly close: () => Promise<void>;
}

/** Checks a store that is empty. */
export type Rule = (title: string, check: (store: CheckoutStore) => Promise<void>) => void;

/** The rules that every store holds (src/server/ports/checkout-store.ts). */
export function storeContract(name: string, create: () => Promise<StoreUnderTest>): void {
  const rule: Rule = (title, check) => {
    test(title, async () => {
      const { store, close } = await create();
      try {
        await check(store);
      } finally {
        await close();
      }
    });
  };
  const due = async (store: CheckoutStore, now: number, leaseUntil = now, limit = 100): Promise<readonly string[]> =>
    (await store.claimDueAttempts(now, leaseUntil, limit)).map(({ externalId }) => externalId);

  describe(`${name} keeps checkouts`, () => {
    rule('gives back exactly what it was given', async (store) => {
      const refused = anAttempt('e2', {
        stage: 'rejected',
        refusal: 'amount_out_of_limits',
        invoice: null,
        runAt: null,
      });
      const asking = anAttempt('e3', {
        method: null,
        stage: 'creating',
        invoice: null,
        expiresAt: null,
        serviceStatus: null,
      });
      const e1 = anAttempt('e1', { replaced: true, method: { type: 'CARD' } });
      const record = aCheckout('c', { attempts: [e1, refused, asking] });
      await store.insert(record);
      assert.deepEqual(await store.load('c'), record);
      const typed = aCheckout('typed', {
        params: {
          ...record.params,
          orderId: 'typed',
          amount: null,
          amountLimits: { minAmount: '0.01' },
          currency: null,
          description: null,
          reference: null,
          expiresAt: null,
          metadata: null,
        },
        paidExternalId: 'x',
        paidAt: 1_700_000_900_001,
        closedAt: 1_700_000_900_002,
      });
      await store.insert(typed);
      assert.deepEqual(await store.load('typed'), typed);
    });

    rule('keeps decimals to the last digit, and as they were written', async (store) => {
      for (const amount of ['0.10', '1500', '1500.000', '12345678901234567890.123456789012345678901234567890']) {
        const attempt = anAttempt(`e ${amount}`, { amount, invoice: { id: 'inv', amount } });
        await store.insert(aCheckout(amount, { attempts: [attempt] }));
        const loaded = await store.load(amount);
        assert.equal(loaded?.attempts[0]?.amount, amount);
        assert.equal(loaded.attempts[0].invoice?.amount, amount);
      }
    });

    rule('knows nothing of a checkout that is not there', async (store) => {
      assert.equal(await store.load('nobody'), undefined);
      assert.equal(await store.save(aCheckout('nobody', { version: 2 }), []), false);
      assert.equal(await store.load('nobody'), undefined);
    });

    rule('refuses a second checkout under the same identifier', async (store) => {
      await store.insert(aCheckout('c'));
      const { params } = aCheckout('another');
      await assert.rejects(store.insert(aCheckout('c', { hookSecret: 'other', params })));
      assert.deepEqual(await store.load('c'), aCheckout('c'));
    });

    rule('keeps one checkout of an order, also when two are added at once', async (store) => {
      const { params } = aCheckout('c');
      assert.equal(await store.loadByOrder(params.orderId), undefined);
      const ids = ['c', 'd', 'e', 'f'];
      const added = await Promise.all(ids.map((id) => store.insert(aCheckout(id, { params }))));
      assert.deepEqual(added.filter(Boolean).length, 1);
      const kept = aCheckout(ids[added.indexOf(true)] ?? '', { params, attempts: [anAttempt('e1')], version: 2 });
      assert.equal(await store.save(kept, []), true);
      assert.deepEqual(await store.loadByOrder(params.orderId), kept);
      for (const id of ids) assert.deepEqual(await store.load(id), id === kept.id ? kept : undefined);
      assert.equal(await store.insert(aCheckout('other')), true);
    });

    rule('saves only on the version that it was loaded as, and then all of it or nothing', async (store) => {
      await store.insert(aCheckout('c'));
      const second = aCheckout('c', { version: 2, paidExternalId: 'e1', attempts: [anAttempt('e1')] });
      assert.equal(await store.save(second, [anOutcome('o1')]), true);
      for (const version of [1, 2, 4]) {
        const late = aCheckout('c', { version, attempts: [anAttempt('e1', { outcome: 'paid' }), anAttempt('e2')] });
        assert.equal(await store.save(late, [anOutcome('o2')]), false, `version ${version}`);
      }
      assert.deepEqual(await store.load('c'), second);
      assert.deepEqual(
        (await store.claimOutcomes(5000, 5000, 10)).map(({ id }) => id),
        ['o1'],
      );
    });

    rule('lets one of many who save at once through', async (store) => {
      await store.insert(aCheckout('c'));
      const saves = Array.from({ length: 20 }, async (_, n) =>
        store.save(aCheckout('c', { version: 2, hookSecret: String(n) }), [anOutcome(`o${n}`)]),
      );
      const won = (await Promise.all(saves)).flatMap((saved, n) => (saved ? [n] : []));
      assert.equal(won.length, 1);
      assert.equal((await store.load('c'))?.hookSecret, String(won[0]));
      assert.deepEqual(
        (await store.claimOutcomes(5000, 5000, 100)).map(({ id }) => id),
        [`o${won[0]}`],
      );
    });

    rule('shares no memory with those who use it', async (store) => {
      await store.insert(aCheckout('c', { attempts: [anAttempt('e')] }));
      const first = await store.load('c');
      assert.notEqual(first, await store.load('c'));
      assert.notEqual(first?.attempts[0], (await store.load('c'))?.attempts[0]);
    });
  });

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
          externalId: externalId,
          runAt: 1600,
          checkedAt: 1,
          claimedUntil: claimedUntil,
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
      const attempts = [900, null, 700, 800].map((runAt, n) => anAttempt(`e${n}`, { runAt: runAt }));
      await store.insert(aCheckout('c', { attempts }));
      assert.equal(await store.nextRunAt(), 700);
      await store.claimDueAttempts(700, 5000, 10);
      assert.equal(await store.nextRunAt(), 800);
      await store.claimDueAttempts(900, 6000, 10);
      assert.equal(await store.nextRunAt(), 5000);
      await store.reschedule(
        attempts.map(({ externalId }) => ({ externalId: externalId, runAt: null, checkedAt: 700, claimedUntil: null })),
      );
      assert.equal(await store.nextRunAt(), undefined);
    });
  });

  for (const rules of [outcomeRules, purgeRules, scheduleRules]) rules(name, rule);

  describe(`${name} tells of changes`, () => {
    rule('once for each save that succeeded, until nobody listens', async (store) => {
      await store.insert(aCheckout('c'));
      const heard: string[] = [];
      const stop = store.subscribe((id) => void heard.push(id));
      await store.save(aCheckout('c', { version: 2 }), []);
      await store.save(aCheckout('c', { version: 2 }), []);
      await store.reschedule([]);
      assert.deepEqual(heard, ['c']);
      stop();
      await store.save(aCheckout('c', { version: 3 }), []);
      assert.deepEqual(heard, ['c']);
    });

    rule('a listener that hears of a save loads what was saved', async (store) => {
      await store.insert(aCheckout('c'));
      const seen: Promise<CheckoutRecord | undefined>[] = [];
      const stop = store.subscribe((id) => void seen.push(store.load(id)));
      await store.save(aCheckout('c', { version: 2 }), []);
      stop();
      assert.equal((await seen[0])?.version, 2);
    });
  });
}

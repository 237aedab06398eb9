import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CheckoutRecord, CheckoutStore } from '../server.ts';
import { claimRules } from './claim-and-schedule-contract.ts';
import type { Rule } from './contract-rule.ts';
import { outcomeRules } from './outcome-contract.ts';
import { purgeRules } from './purge-contract.ts';
import { aCheckout, anAttempt, anOutcome } from './checkout-records.ts';
import { scheduleRules } from './clock-step-contract.ts';

/** A store to be tested, empty, and how it is put away. */
export interface StoreUnderTest {
  readonly store: CheckoutStore;
  readonly close: () => Promise<void>;
}

/**
 * Declares tests of `node:test` for each rule of `CheckoutStore`. A merchant's own store passes all of them.
 * @param name - what the store is called in the tests' titles
 * @param create - opens a new, empty store for each test
 */
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
  describe(`${name} keeps checkouts`, () => {
    rule('tells a caller that its version is the current one, where it has loadIfChanged', async (store) => {
      if (store.loadIfChanged === undefined) return;
      const record = aCheckout('c', { attempts: [anAttempt('e1')] });
      await store.insert(record);
      assert.equal(await store.loadIfChanged('c', 1), 'unchanged');
      const saved = { ...record, version: 2, closedAt: 1_700_000_000_456 };
      assert.equal(await store.save(saved, []), true);
      assert.deepEqual(await store.loadIfChanged('c', 1), saved);
      assert.equal(await store.loadIfChanged('c', 2), 'unchanged');
      assert.equal(await store.loadIfChanged('other', 1), undefined);
    });

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

  for (const rules of [claimRules, outcomeRules, purgeRules, scheduleRules]) rules(name, rule);

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

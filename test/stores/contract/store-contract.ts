import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CheckoutStore, InvoiceOutcome } from '../../../src/server.ts';
import {
  defaultStatuses,
  type Attempt,
  type CheckoutRecord,
  type ListCheckouts,
} from '../../../src/server-internals.ts';
import { outcomeKinds } from '../../../src/server/ports/outcome-outbox.ts';
import { testClaims } from './claim-and-schedule-contract.ts';
import type { Rule } from './contract-rule-type.ts';
import { testOutcomes } from './outcome-contract.ts';
import { testPurges } from './purge-contract.ts';
import {
  makeAttempt,
  makeCheckoutRecord,
  makeCreate,
  makeHidden,
  makeOutcome,
  makeRejected,
} from '../../support/make-checkout-records.ts';
import { testClockSteps } from './clock-step-contract.ts';

/** An empty store to test, and the function that closes it. */
export interface StoreUnderTest {
  readonly store: CheckoutStore;
  readonly close: () => Promise<void>;
}

/**
 * Declares a test for each rule of `CheckoutStore`.
 * @param name - the name of the store in the titles of the tests
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
  describe(`${name}, when it saves and loads checkouts,`, () => {
    rule('loads the version of a checkout as it is stored', async (store) => {
      const record = makeCheckoutRecord('c', { attempts: [makeAttempt('e1')] });
      await store.insert(record);
      assert.equal(await store.save({ ...record, version: 2, closedAt: 1_700_000_000_456 }, []), true);
      for (const purpose of ['invoice', 'tell', 'look', 'hold', undefined] as const) {
        assert.equal((await store.load('c', { purpose }))?.version, 2);
        assert.equal(await store.load('other', { purpose }), undefined);
      }
    });

    rule('loads every member of a checkout exactly as it was inserted', async (store) => {
      const attempts = [
        makeAttempt('e1', { method: { type: 'CARD' }, statusHistory: [{ at: 7, status: 'Ждём "оплату"' }] }),
        makeRejected('e2', { reason: 'amount_out_of_limits' }),
        makeCreate('e3', { method: null, state: 'creating' }),
        makeCreate('e4', { state: 'unresolved', runAt: null, resolution: { as: 'paid', note: 'Банк: "да"', at: 7 } }),
        makeHidden('e5', { expiresAt: null, serviceStatus: null, answeredAt: 5, checkedAt: 5 }),
        makeAttempt('e6', { outcome: 'amount_mismatch', paidAmount: '0.10' }),
      ];
      const record = makeCheckoutRecord('c', { attempts, actions: [{ at: 5, action: 'resolve', target: 'e4' }] });
      await store.insert(record);
      assert.deepEqual(await store.load('c'), record);
      const recordWithNulls = makeCheckoutRecord('typed', {
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
      await store.insert(recordWithNulls);
      assert.deepEqual(await store.load('typed'), recordWithNulls);
    });

    rule('stores decimals exactly as they were written', async (store) => {
      for (const amount of ['0.10', '1500', '1500.000', '12345678901234567890.123456789012345678901234567890']) {
        const attempt = makeAttempt(`e ${amount}`, { amount, invoice: { id: `inv ${amount}`, amount } });
        await store.insert(makeCheckoutRecord(amount, { attempts: [attempt] }));
        const loaded = await store.load(amount);
        assert.deepEqual(loaded?.attempts, [attempt]);
      }
    });

    rule('returns undefined for a checkout that does not exist', async (store) => {
      assert.equal(await store.load('nobody'), undefined);
      assert.equal(await store.save(makeCheckoutRecord('nobody', { version: 2 }), []), false);
      assert.equal(await store.load('nobody'), undefined);
    });

    rule('refuses to insert a second checkout with the same identifier', async (store) => {
      await store.insert(makeCheckoutRecord('c'));
      const { params } = makeCheckoutRecord('another');
      await assert.rejects(store.insert(makeCheckoutRecord('c', { hookSecret: 'other', params })));
      assert.deepEqual(await store.load('c'), makeCheckoutRecord('c'));
    });

    rule('stores one checkout of an order, even if several are inserted at the same time', async (store) => {
      const { params } = makeCheckoutRecord('c');
      assert.equal(await store.loadByOrder(params.orderId), undefined);
      const ids = ['c', 'd', 'e', 'f'];
      const isInserted = await Promise.all(ids.map((id) => store.insert(makeCheckoutRecord(id, { params }))));
      assert.deepEqual(isInserted.filter(Boolean).length, 1);
      const storedRecord = makeCheckoutRecord(ids[isInserted.indexOf(true)] ?? '', {
        params,
        attempts: [makeAttempt('e1')],
        version: 2,
      });
      assert.equal(await store.save(storedRecord, []), true);
      assert.deepEqual(await store.loadByOrder(params.orderId), storedRecord);
      for (const id of ids) assert.deepEqual(await store.load(id), id === storedRecord.id ? storedRecord : undefined);
      assert.equal(await store.insert(makeCheckoutRecord('other')), true);
    });

    rule(
      'saves a checkout only if its version is one more than the stored version, and otherwise saves nothing',
      async (store) => {
        await store.insert(makeCheckoutRecord('c'));
        const nextRecord = makeCheckoutRecord('c', { version: 2, paidExternalId: 'e1', attempts: [makeAttempt('e1')] });
        assert.equal(await store.save(nextRecord, [makeOutcome('o1')]), true);
        for (const version of [1, 2, 4]) {
          const conflictingRecord = makeCheckoutRecord('c', {
            version,
            attempts: [makeAttempt('e1', { outcome: 'paid' }), makeAttempt('e2')],
          });
          assert.equal(await store.save(conflictingRecord, [makeOutcome('o2')]), false, `version ${version}`);
        }
        assert.deepEqual(await store.load('c'), nextRecord);
        assert.deepEqual(
          (await store.claimOutcomes(5000, 5000, 10)).map(({ id }) => id),
          ['o1'],
        );
      },
    );

    rule('lists checkouts newest first, in pages, by order, status and time', async (store) => {
      const attemptOf = (id: string, outcome: InvoiceOutcome) => [makeAttempt(`attempt of ${id}`, { outcome })];
      const open = { params: { ...makeCheckoutRecord('x').params, expiresAt: null } };
      const expired = makeCheckoutRecord('d', { createdAt: 300, closedAt: 350, attempts: attemptOf('d', 'expired') });
      const records = [
        makeCheckoutRecord('a', { createdAt: 100, ...open, params: { ...open.params, orderId: 'a' } }),
        makeCheckoutRecord('b', { createdAt: 200, attempts: attemptOf('b', 'pending') }),
        makeCheckoutRecord('c', { createdAt: 200, attempts: attemptOf('c', 'failed') }),
        expired,
        makeCheckoutRecord('e', {
          createdAt: 400,
          attempts: attemptOf('e', 'paid'),
          paidExternalId: 'attempt of e',
          closedAt: 450,
        }),
      ];
      for (const record of records) await store.insert(record);
      const idsOf = async (query: Partial<ListCheckouts>) =>
        (await store.list({ now: 500, limit: 10, ...query })).map(({ id }) => id).join('');
      assert.deepEqual((await store.list({ now: 500, limit: 1 }))[0], records[4]);
      assert.equal(await idsOf({}), 'edcba');
      assert.equal(await idsOf({ limit: 2 }), 'ed');
      assert.equal(await idsOf({ after: { createdAt: 200, id: 'c' } }), 'ba');
      assert.equal(await idsOf({ createdAfter: 200 }), 'ed');
      assert.equal(await idsOf({ createdBefore: 200 }), 'a');
      assert.equal(await idsOf({ orderId: 'order of c' }), 'c');
      for (const search of ['c', 'order of c', 'attempt of c', 'inv of attempt of c'])
        assert.equal(await idsOf({ search }), 'c', search);
      assert.equal(await idsOf({ search: '№ 1001' }), 'edcba');
      assert.equal(await idsOf({ search: '1001' }), '');
      assert.equal(await store.save({ ...expired, version: 2 }, [makeOutcome('out', { checkoutId: 'd' })]), true);
      assert.equal(await idsOf({ search: 'out' }), 'd');
      assert.equal(await idsOf({ undelivered: true }), 'd');
      const [outcome] = await store.claimOutcomes(5000, 6000, 1);
      await store.abandonOutcome({ id: outcome?.id ?? '', claimedUntil: 6000 }, 5000);
      assert.equal(await idsOf({ undelivered: true }), 'd');
      await store.markOutcomeDelivered('out', 5000);
      assert.equal(await idsOf({ undelivered: true }), '');
      for (const [status, ids] of [
        ['open', 'a'],
        ['pending', 'b'],
        ['failed', 'c'],
        ['closed', 'd'],
        ['paid', 'e'],
        ['expired', ''],
      ] as const)
        assert.equal(await idsOf({ status }), ids, status);
      const { expiresAt } = records[2]?.params ?? {};
      assert.equal(await idsOf({ status: 'closed', now: expiresAt ?? 0 }), 'dc');
      assert.equal(await store.save({ ...makeCheckoutRecord('d', { createdAt: 300 }), version: 3 }, []), true);
      assert.equal(await idsOf({ status: 'open' }), 'da');
    });

    rule(
      'lists the checkouts that a person has to decide about, and those with an outcome of a kind',
      async (store) => {
        const resolution = { as: 'void', note: 'seen', at: 1 } as const;
        const decisions: Readonly<Record<string, readonly Attempt[]>> = {
          a: [makeAttempt('a', { outcome: 'amount_mismatch' })],
          b: [makeCreate('b', { state: 'unresolved' })],
          c: [makeAttempt('c', { outcome: 'unresolved' })],
          d: [makeAttempt('d', { serviceStatus: ' Held_By_Bank', runAt: 700 })],
          e: [makeHidden('e', { outcome: 'unresolved', reason: 'mismatch' })],
          f: [makeAttempt('f', { serviceStatus: ' Pending ', runAt: 700 })],
          g: [makeAttempt('g', { serviceStatus: null, runAt: 700 })],
          h: [makeAttempt('h', { serviceStatus: ' ', runAt: 700 })],
          i: [makeAttempt('i', { outcome: 'amount_mismatch', resolution })],
          j: [makeHidden('j', { outcome: 'unresolved', reason: 'foreign_invoice' })],
          k: [makeRejected('k')],
          l: [makeAttempt('l', { outcome: 'paid' }), makeAttempt('m', { outcome: 'amount_mismatch' })],
          // The service returned one invoice for two requests: its money is counted for the other one.
          o: [
            makeAttempt('o', { outcome: 'paid' }),
            makeAttempt('p', { outcome: 'amount_mismatch', invoice: makeAttempt('o').invoice }),
          ],
          q: [
            makeAttempt('q', { outcome: 'amount_mismatch', resolution: { ...resolution, as: 'paid' } }),
            makeAttempt('r', { outcome: 'amount_mismatch', invoice: makeAttempt('q').invoice }),
          ],
          n: [makeAttempt('n', { serviceStatus: 'HELD_BY_BANK', runAt: 700, resolution })],
        };
        for (const [index, [id, attempts]] of Object.entries(decisions).entries())
          await store.insert(
            makeCheckoutRecord(id, {
              createdAt: index,
              attempts,
              paidExternalId: ['l', 'o', 'q'].includes(id) ? id : null,
            }),
          );
        const idsOf = async (query: Partial<ListCheckouts>) =>
          (await store.list({ now: 500, limit: 100, ...query })).map(({ id }) => id).join('');
        assert.equal(await idsOf({ undecided: defaultStatuses }), 'ledcba');
        assert.equal(await idsOf({ undecided: { ...defaultStatuses, pending: ['held_by_bank'] } }), 'lfecba');
        assert.equal(await idsOf({ undecided: defaultStatuses, orderId: 'order of c' }), 'c');
        const [a] = await store.list({ now: 500, limit: 1, orderId: 'order of a' });
        const kinds = [
          makeOutcome('1', { checkoutId: 'a', kind: 'amount_mismatch' }),
          makeOutcome('2', { checkoutId: 'a', kind: 'paid' }),
        ];
        assert.equal(a !== undefined && (await store.save({ ...a, version: 2 }, kinds)), true);
        for (const kind of outcomeKinds)
          assert.equal(await idsOf({ kind }), kind === 'paid' || kind === 'amount_mismatch' ? 'a' : '', kind);
      },
    );

    rule('accepts exactly one of several concurrent saves', async (store) => {
      await store.insert(makeCheckoutRecord('c'));
      const saves = Array.from({ length: 20 }, async (_, n) =>
        store.save(makeCheckoutRecord('c', { version: 2, hookSecret: String(n) }), [makeOutcome(`o${n}`)]),
      );
      const accepted = (await Promise.all(saves)).flatMap((saved, n) => (saved ? [n] : []));
      assert.equal(accepted.length, 1);
      assert.equal((await store.load('c'))?.hookSecret, String(accepted[0]));
      assert.deepEqual(
        (await store.claimOutcomes(5000, 5000, 100)).map(({ id }) => id),
        [`o${accepted[0]}`],
      );
    });

    rule(
      'returns and stores copies, so that a change of a caller’s object does not change the stored checkout',
      async (store) => {
        const attempts = [makeAttempt('e1')];
        await store.insert(makeCheckoutRecord('c', { attempts }));
        attempts.push(makeAttempt('e2'));
        assert.equal((await store.load('c'))?.attempts.length, 1);
        assert.equal(await store.save(makeCheckoutRecord('c', { version: 2, attempts }), []), true);
        attempts.push(makeAttempt('e3'));
        const firstLoad = await store.load('c');
        const secondLoad = await store.load('c');
        assert.equal(firstLoad?.attempts.length, 2);
        assert.notEqual(firstLoad, secondLoad);
        assert.notEqual(firstLoad.attempts[0], secondLoad?.attempts[0]);
      },
    );
  });

  for (const declareRules of [testClaims, testOutcomes, testPurges, testClockSteps]) declareRules(name, rule);

  describe(`${name}, when it notifies listeners,`, () => {
    rule('calls a listener once for each successful save, until the listener is unsubscribed', async (store) => {
      await store.insert(makeCheckoutRecord('c'));
      const notifiedIds: string[] = [];
      const stop = store.subscribe((id) => void notifiedIds.push(id));
      await store.save(makeCheckoutRecord('c', { version: 2 }), []);
      await store.save(makeCheckoutRecord('c', { version: 2 }), []);
      await store.reschedule([]);
      assert.deepEqual(notifiedIds, ['c']);
      stop();
      await store.save(makeCheckoutRecord('c', { version: 3 }), []);
      assert.deepEqual(notifiedIds, ['c']);
    });

    rule('calls a listener only when the saved checkout can already be loaded', async (store) => {
      await store.insert(makeCheckoutRecord('c'));
      const loads: Promise<CheckoutRecord | undefined>[] = [];
      const stop = store.subscribe((id) => void loads.push(store.load(id)));
      await store.save(makeCheckoutRecord('c', { version: 2 }), []);
      stop();
      assert.equal((await loads[0])?.version, 2);
    });
  });
}

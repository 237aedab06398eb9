import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sql, type Kysely } from 'kysely';
import { makeOldDatabase, openDatabase } from '../../support/open-database.ts';
import type { CheckoutTables } from '../../../src/stores/table-row-types.ts';
import { checkoutMigrations } from '../../../src/stores/migrations/checkout-tables.ts';
import { createSqlStore } from '../../../src/stores/sql-store.ts';
import { makeCheckoutRecord, makeAttempt, makeOutcome } from '../../../src/testing/checkout-records.ts';
import { allDatabases } from '../databases.ts';

// A database that was created by the first released step (`checkout-1`) keeps its data.

/** The names of the stages in `checkout-1`. */
const oldStages = { creating: 'asking', in_doubt: 'unknown', created: 'made', rejected: 'refused' } as const;

const attempts = [
  makeAttempt('rejected', {
    stage: 'rejected',
    invoice: null,
    expiresAt: null,
    serviceStatus: null,
    runAt: null,
    refusal: 'try_again',
    callCount: 1,
  }),
  makeAttempt('in_doubt', {
    stage: 'in_doubt',
    invoice: null,
    expiresAt: null,
    serviceStatus: null,
    runAt: 3000,
    replaced: true,
    callCount: 7,
  }),
  makeAttempt('created', { outcome: 'paid', runAt: 2000, replaced: true }),
  makeAttempt('creating', {
    stage: 'creating',
    invoice: null,
    expiresAt: null,
    serviceStatus: null,
    leaseUntil: 1500,
    runAt: 1000,
    callCount: 1,
  }),
];
const record = makeCheckoutRecord('c', {
  params: { ...makeCheckoutRecord('c').params, reference: null, expiresAt: null, metadata: null },
  version: 4,
  paidExternalId: 'created',
  paidAt: 1000,
  attempts: attempts.map((attempt) => ({ ...attempt, method: null })),
});

const { params } = record;
const oldParams = JSON.stringify({
  order_id: params.orderId,
  amount: params.amount,
  amount_limits: params.amountLimits,
  currency: params.currency,
  description: params.description,
  success_url: params.successUrl,
  fail_url: params.failUrl,
});

/** Inserts the rows of the record with the columns and values of `checkout-1`. */
async function insertOldRows(db: Kysely<CheckoutTables>): Promise<void> {
  await sql`
    insert into checkouts (id, hook_secret, terms, created_at, version, paid_external_id, saved_at)
    values (${record.id}, ${record.hookSecret}, ${oldParams}, ${record.createdAt},
      ${record.version}, ${record.paidExternalId}, 5)
  `.execute(db);
  for (const [position, attempt] of attempts.entries())
    await sql`
      insert into attempts (external_id, checkout_id, position, keys, payment_method_id, attempt_amount, request, stage,
        tries, lease_until, replaced, asked_at, invoice, invoice_id, expires_at, service_status, outcome, due_at, take_at,
        checked_at, refusal)
      values (${attempt.externalId}, ${record.id}, ${position}, ${JSON.stringify(attempt.keys)},
        ${attempt.paymentMethodId}, ${attempt.amount}, ${JSON.stringify(attempt.request)}, ${oldStages[attempt.stage]},
        ${attempt.callCount}, ${attempt.leaseUntil}, ${Number(attempt.replaced)}, ${attempt.createdAt},
        ${attempt.invoice === null ? null : JSON.stringify(attempt.invoice)}, ${attempt.invoice?.id ?? null},
        ${attempt.expiresAt}, ${attempt.serviceStatus}, ${attempt.outcome}, ${attempt.runAt}, ${attempt.runAt},
        ${attempt.checkedAt}, ${attempt.refusal})
    `.execute(db);
  for (const [id, kind, externalId] of [
    ['a.paid', 'paid', 'created'],
    ['b.paid_again', 'paid_again', 'unknown'],
    ['c.failed', 'failed', 'unknown'],
  ] as const)
    await sql`
      insert into outcomes (id, kind, order_id, checkout_id, external_id, invoice_id, amount, occurred_at, take_at,
        delivered_at)
      values (${id}, ${kind}, 'order', 'c', ${externalId}, 'inv', '10', 1000, 1000, null)
    `.execute(db);
}

const systems = await allDatabases();
after(async () => {
  for (const system of systems) await system.end();
});

for (const system of systems)
  describe(`a database of the first version on ${system.name}, after all migrations,`, () => {
    test('has its attempts in every stage, its due times, and its outcomes with their identifiers', async () => {
      const place = await system.fresh();
      const oldDatabase = await makeOldDatabase(place, checkoutMigrations.slice(0, 1));
      await insertOldRows(oldDatabase);
      await oldDatabase.destroy();

      const database = await openDatabase(place, checkoutMigrations);
      const store = createSqlStore(database);
      assert.deepEqual(await store.load('c'), record);
      assert.deepEqual(
        (await store.claimDueAttempts(9000, 10_000, 10)).map(({ externalId, stage, runAt }) => [
          externalId,
          stage,
          runAt,
        ]),
        [
          ['creating', 'creating', 1000],
          ['created', 'created', 2000],
          ['in_doubt', 'in_doubt', 3000],
        ],
      );
      const commonMembers = { amount: '10', expectedAmount: '10', externalId: 'unknown' };
      for (const expected of [
        makeOutcome('a.paid', { ...commonMembers, externalId: 'created', expectedAmount: '1500.00', mode: 'TEST' }),
        makeOutcome('b.paid_again', { ...commonMembers, kind: 'duplicate_payment', sequence: 2 }),
        makeOutcome('c.failed', { ...commonMembers, kind: 'failed', sequence: 3 }),
      ]) {
        assert.deepEqual(await store.claimOutcomes(9000, 10_000, 10), [expected]);
        await store.markOutcomeDelivered(expected.id, 9000);
      }
      await database.close();

      const reopened = await openDatabase(place, checkoutMigrations);
      assert.deepEqual(
        await createSqlStore(reopened).load('c'),
        record,
        'opening the database a second time changes nothing',
      );
      await reopened.close();
    });

    test('has the newest of several checkouts of one order as the checkout of the order', async () => {
      const place = await system.fresh();
      const oldDatabase = await makeOldDatabase(place, checkoutMigrations.slice(0, 1));
      for (const [id, createdAt] of [
        ['older', 1000],
        ['newest', 3000],
        ['oldest', 500],
      ] as const)
        await sql`
          insert into checkouts (id, hook_secret, terms, created_at, version, paid_external_id, saved_at)
          values (${id}, 's', ${oldParams}, ${createdAt}, 1, null, 5)
        `.execute(oldDatabase);
      await oldDatabase.destroy();

      const database = await openDatabase(place, checkoutMigrations);
      const store = createSqlStore(database);
      assert.equal((await store.loadByOrder(params.orderId))?.id, 'newest');
      for (const id of ['older', 'oldest'])
        assert.equal((await store.load(id))?.id, id, 'the other checkouts can still be loaded');
      assert.equal(await store.insert(makeCheckoutRecord('another', { params })), false);
      await database.close();
    });
  });

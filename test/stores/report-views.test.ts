import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { makeAttempt, makeCheckoutRecord, makeOutcome } from '../support/make-checkout-records.ts';
import { openStore } from '../support/open-database.ts';
import { databasesOfFile } from './databases.ts';

// The two views are for reports: plain columns, no secrets, and times that a spreadsheet reads.

const systems = await databasesOfFile();

for (const system of systems)
  test(`the views on ${system.name} have the order, status, amount, method and times of checkouts and outcomes`, async () => {
    const store = await openStore(await system.fresh());
    const { params } = makeCheckoutRecord('c');
    const paid = makeAttempt('paid', { method: { type: 'CARD' }, outcome: 'paid' });
    const attempts = [paid, makeAttempt('later')];
    const record = makeCheckoutRecord('c', { paidExternalId: 'paid', attempts });
    await store.insert(makeCheckoutRecord('c', { attempts: [] }));
    await store.save({ ...record, version: 2 }, [
      makeOutcome('out', { externalId: 'paid', amount: '1500.00', decidedBy: 'person' }),
    ]);
    await store.insert(
      makeCheckoutRecord('closed', { params: { ...params, orderId: 'o', amount: null }, closedAt: 1 }),
    );
    const read = async (view: string) => {
      const { rows } = await sql<Readonly<Record<string, unknown>>>`
        select * from ${sql.table(view)} order by order_id desc`.execute(store.db);
      return rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
        ),
      );
    };
    const none = { paid_at: null, closed_at: null, method: null, mode: null, amount: null };
    const created_at = new Date(1_700_000_000_123).toISOString();
    const common = { reference: '№ 1001', currency: 'RUB', created_at };
    assert.deepEqual(await read('checkouts_view'), [
      {
        ...common,
        ...none,
        order_id: 'order of c',
        checkout_id: 'c',
        status: 'paid',
        amount: '1500.00',
        method: 'CARD',
        mode: 'TEST',
        paid_at: new Date(1_700_000_900_001).toISOString(),
      },
      {
        ...common,
        ...none,
        order_id: 'o',
        checkout_id: 'closed',
        status: 'closed',
        closed_at: '1970-01-01T00:00:00.001Z',
      },
    ]);
    assert.deepEqual(await read('outcomes_view'), [
      {
        order_id: 'order',
        checkout_id: 'c',
        outcome_id: 'out',
        kind: 'paid',
        decision: null,
        decided_by: 'person',
        amount: '1500.00',
        expected_amount: '0.10',
        method: 'CARD',
        mode: 'LIVE',
        occurred_at: '1970-01-01T00:00:01.000Z',
        delivered_at: null,
        abandoned_at: null,
      },
    ]);
    await assert.rejects(sql`delete from ${sql.table('checkouts_view')}`.execute(store.db), 'a view is read-only');
    await store.close();
  });

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { makeAttempt, makeCheckoutRecord, makeCreate, makeOutcome } from '../support/make-checkout-records.ts';
import { openStore } from '../support/open-database.ts';
import { databasesOfFile } from './databases.ts';

// The database itself refuses what cannot be, also from a statement that is typed by hand. Each row names the constraint.

const systems = await databasesOfFile();

/** A table, the row to change by its key, and the assignments that are refused. */
const refused = [
  ['outcomes', "id = 'out'", "kind = 'PAID!!'"],
  ['outcomes', "id = 'out'", "kind = 'resolved'"],
  ['outcomes', "id = 'out'", "decision = 'paid'"],
  ['outcomes', "id = 'out'", "amount = 'ten'"],
  ['outcomes', "id = 'out'", "expected_amount = '1,5'"],
  ['outcomes', "id = 'out'", 'mode = null'],
  ['outcomes', "id = 'out'", "mode = 'live'"],
  ['outcomes', "id = 'out'", 'sequence = 0'],
  ['outcomes', "id = 'out'", "checkout_id = 'nobody'"],
  ['checkouts', "id = 'c'", 'version = -1'],
  ['checkouts', "id = 'c'", "status = 'closed'"],
  ['checkouts', "id = 'c'", "paid_external_id = 'e1'"],
  ['checkouts', "id = 'c'", 'order_id = null'],
  ['checkouts', "id = 'd'", "order_id = 'order of c'"],
  ['attempts', "external_id = 'e1'", "state = 'open'"],
  ['attempts', "external_id = 'e1'", "state = 'creating'"],
  ['attempts', "external_id = 'e1'", "reason = 'mismatch'"],
  ['attempts', "external_id = 'e1'", "outcome = 'PAID'"],
  ['attempts', "external_id = 'e1'", "outcome = 'paid'"],
  ['attempts', "external_id = 'e1'", 'invoice = null'],
  ['attempts', "external_id = 'e1'", 'status_history = null'],
  ['attempts', "external_id = 'e1'", "attempt_amount = '1.'"],
  ['attempts', "external_id = 'e2'", "invoice_id = 'inv'"],
  ['attempts', "external_id = 'e3'", "claimed_invoice_id = 'inv of e1'"],
  ['deliveries', "outcome_id = 'out'", "outcome_id = 'nobody'"],
  ['schedules', "attempt_id = 'e1'", "attempt_id = 'nobody'"],
] as const;

for (const system of systems)
  test(`${system.name} refuses unknown words, amounts that are none, missing modes, lost references and second claims`, async () => {
    const store = await openStore(await system.fresh());
    await store.insert(makeCheckoutRecord('c', { attempts: [makeAttempt('e1'), makeCreate('e2')] }));
    await store.insert(makeCheckoutRecord('d', { attempts: [makeAttempt('e3')] }));
    await store.save({ ...makeCheckoutRecord('d', { attempts: [makeAttempt('e3')] }), version: 2 }, [
      makeOutcome('out', { checkoutId: 'd' }),
    ]);
    await store.markOutcomeDelivered('out', 5, { at: 5, status: 200, error: null });
    for (const [table, row, assignment] of refused)
      await assert.rejects(
        sql`update ${sql.table(table)} set ${sql.raw(assignment)} where ${sql.raw(row)}`.execute(store.db),
        /constraint/i,
        `${table}: ${assignment}`,
      );
    await store.close();
  });

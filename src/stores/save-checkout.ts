import { CompiledQuery, sql, type Kysely, type RawBuilder, type Transaction } from 'kysely';
import { z } from 'zod';
import type { CheckoutRecord, MerchantTransaction, SqlTransaction } from '../server.ts';
import { toAttemptRows, toCheckoutRow, toScheduleRows } from './checkout-rows.ts';
import { selectRecords, toRecord } from './select-records.ts';
import type { CheckoutTables, AttemptsTable, SchedulesTable } from './table-row-types.ts';

// Creates a checkout in an open transaction, which may be the merchant's own, of another driver or with other settings.
// `db` is the store's database; it only compiles the statements.

/** Adds a new checkout; false when its order has one already. */
export async function insertCheckout(
  db: Kysely<CheckoutTables>,
  transaction: MerchantTransaction,
  checkout: CheckoutRecord,
): Promise<boolean> {
  const inserted = await executeIn(
    transaction,
    db
      .insertInto('checkouts')
      .values({ ...toCheckoutRow(checkout, Date.now()), order_id: checkout.params.orderId })
      .onConflict((conflict) => conflict.column('order_id').doNothing())
      .returning('id')
      .compile(),
  );
  if (inserted.length === 0) return false;
  if (checkout.attempts.length === 0) return true;
  for (const insert of [
    db.insertInto('attempts').values(toAttemptRows(checkout)).returning('external_id').compile(),
    db.insertInto('schedules').values(toScheduleRows(checkout)).returning('attempt_id').compile(),
  ])
    await executeIn(transaction, insert);
  return true;
}

/** The checkout of an order, as the transaction reads it. */
export async function loadByOrderIn(
  db: Kysely<CheckoutTables>,
  transaction: MerchantTransaction,
  orderId: string,
): Promise<CheckoutRecord | undefined> {
  const query = selectRecords(db).where('checkouts.order_id', '=', orderId).compile();
  const [first] = await executeIn(transaction, query);
  return toRecord(first);
}

const row = z.custom<object>((value) => typeof value === 'object' && value !== null);
const result = z.union([z.array(row), z.object({ rows: z.array(row) }).transform(({ rows }) => rows)]);

/** Runs a statement, and resolves with its rows. @throws TypeError when `executeSql` returns none */
async function executeIn(transaction: MerchantTransaction, query: CompiledQuery): Promise<readonly object[]> {
  const { sql, parameters } = query;
  // Plugins of the merchant, such as one that renames columns, are not for the store's statements.
  const answer = isKysely(transaction)
    ? await transaction.withoutPlugins().executeQuery(CompiledQuery.raw(sql, [...parameters]))
    : isSql(transaction) && (await transaction.executeSql(sql, parameters));
  const { success, data } = result.safeParse(answer);
  if (!success) throw new TypeError('transaction.executeSql: must return the rows of the statement');
  return data;
}

function isSql(transaction: MerchantTransaction): transaction is SqlTransaction {
  return 'executeSql' in transaction;
}

function isKysely(transaction: MerchantTransaction): transaction is Transaction<CheckoutTables> {
  return !isSql(transaction);
}

/** What a save may change of an attempt. */
const attemptColumns = [
  'position',
  'keys',
  'payment_method_id',
  'method',
  'attempt_amount',
  'request',
  'stage',
  'replaced',
  'attempt_created_at',
  'invoice',
  'invoice_id',
  'expires_at',
  'service_status',
  'outcome',
  'refusal',
] as const satisfies readonly (keyof AttemptsTable)[];

const scheduleColumns = [
  'call_count',
  'lease_until',
  'run_at',
  'claimable_at',
  'checked_at',
] as const satisfies readonly (keyof SchedulesTable)[];

/** The values of the row that could not be inserted, for an update of the row that is there. */
const excluded = (names: readonly string[]): Record<string, RawBuilder<unknown>> =>
  Object.fromEntries(names.map((name) => [name, sql.ref(`excluded.${name}`)]));

/** Writes the attempts and their schedules, one statement each. The row of an attempt that is as it was is not written again. */
export async function saveAttempts(transaction: Transaction<CheckoutTables>, checkout: CheckoutRecord): Promise<void> {
  if (checkout.attempts.length === 0) return;
  await transaction
    .insertInto('attempts')
    .values(toAttemptRows(checkout))
    .onConflict((conflict) =>
      conflict
        .column('external_id')
        .doUpdateSet(excluded(attemptColumns))
        .where((row) =>
          row.or(
            attemptColumns.map((name) => row(`attempts.${name}`, 'is distinct from', row.ref(`excluded.${name}`))),
          ),
        ),
    )
    .execute();
  await transaction
    .insertInto('schedules')
    .values(toScheduleRows(checkout))
    .onConflict((conflict) => conflict.column('attempt_id').doUpdateSet(excluded(scheduleColumns)))
    .execute();
}

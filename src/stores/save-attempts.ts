import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { CheckoutRecord } from '../server.ts';
import { toAttemptRows, toScheduleRows } from './checkout-rows.ts';
import type { AttemptsTable, CheckoutTables, SchedulesTable } from './table-row-types.ts';

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

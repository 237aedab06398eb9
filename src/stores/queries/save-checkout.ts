import { CompiledQuery, sql, type Kysely, type RawBuilder, type Transaction, type Insertable } from 'kysely';
import { z } from 'zod';
import { CheckoutParamsError, type MerchantTransaction } from '../../server.ts';
import {
  type Attempt,
  type CheckoutRecord,
  hasInvoice,
  listedStatusOf,
  type InvoiceAttempt,
} from '../../server-internals.ts';
import type { Database } from '../database.ts';
import { selectRecords, toRecord } from './select-records.ts';
import type { CheckoutTables, AttemptsTable, SchedulesTable, CheckoutsTable } from '../table-row-types.ts';

// Writes a checkout in an open transaction. A new checkout may be created in the merchant's own transaction, which may belong
// to another driver. Then `db`, the store's database, only compiles the statements.

/** Adds a new checkout. Resolves with false when the order already has a checkout. */
export async function insertCheckout(
  { db, machineClock }: Pick<Database, 'db' | 'machineClock'>,
  transaction: MerchantTransaction,
  checkout: CheckoutRecord,
): Promise<boolean> {
  const insertedRows = await executeIn(
    transaction,
    db
      .insertInto('checkouts')
      .values({ ...toCheckoutRow(checkout, machineClock.now()), order_id: checkout.params.orderId })
      .onConflict((conflict) => conflict.column('order_id').doNothing())
      .returning('id')
      .compile(),
  );
  if (insertedRows.length === 0) return false;
  if (checkout.attempts.length === 0) return true;
  for (const insert of [
    db.insertInto('attempts').values(toAttemptRows(checkout, checkout.attempts)).returning('external_id').compile(),
    db.insertInto('schedules').values(toScheduleRows(checkout.attempts)).returning('attempt_id').compile(),
  ])
    await executeIn(transaction, insert);
  return true;
}

/**
 * Saves a checkout without its attempts, and notifies the other processes. Resolves with false when it was saved since it was
 * loaded.
 */
export async function updateCheckoutIn(
  { db, machineClock, notification }: Pick<Database, 'db' | 'machineClock' | 'notification'>,
  transaction: MerchantTransaction,
  checkout: CheckoutRecord,
  hasOutcomes = false,
  isOwn = false,
): Promise<boolean> {
  const update = db
    .updateTable('checkouts')
    .set(toCheckoutRow(checkout, machineClock.now()))
    .where('id', '=', checkout.id)
    .where('version', '=', checkout.version - 1)
    .returning((notification(checkout.id, hasOutcomes, isOwn) ?? sql`1`).as('notified'))
    .compile();
  return (await executeIn(transaction, update)).length > 0;
}

/** Loads the checkout of an order in the transaction. */
export async function loadByOrderIn(
  db: Kysely<CheckoutTables>,
  transaction: MerchantTransaction,
  orderId: string,
): Promise<CheckoutRecord | undefined> {
  const query = selectRecords(db).where('checkouts.order_id', '=', orderId).compile();
  const [row] = await executeIn(transaction, query);
  return toRecord(row);
}

const rowSchema = z.custom<object>((value) => typeof value === 'object' && value !== null);
const rowsSchema = z.union([z.array(rowSchema), z.object({ rows: z.array(rowSchema) }).transform(({ rows }) => rows)]);

/** Runs a statement, and resolves with its rows. @throws CheckoutParamsError when `executeSql` does not return rows */
async function executeIn(transaction: MerchantTransaction, query: CompiledQuery): Promise<readonly object[]> {
  const { sql, parameters } = query;
  // The merchant's plugins, such as one that renames columns, must not change the store's statements.
  const result = await ('executeSql' in transaction
    ? transaction.executeSql(sql, parameters)
    : transaction.withoutPlugins().executeQuery(CompiledQuery.raw(sql, [...parameters])));
  const { success, data } = rowsSchema.safeParse(result);
  if (!success) {
    const path = 'transaction.executeSql';
    throw new CheckoutParamsError({ path, message: `${path}: must return the rows of the statement` });
  }
  return data;
}

/** Assignments for `on conflict do update`: each column but the first gets the value of the row that could not be inserted. */
const excludedValues = (rows: readonly object[]): Record<string, RawBuilder<unknown>> =>
  Object.fromEntries(
    Object.keys(rows[0] ?? {})
      .slice(1)
      .map((name) => [name, sql.ref(`excluded.${name}`)]),
  );

/**
 * Writes attempts and their schedules, on PostgreSQL in one statement. Rows of attempts that did not change are not written.
 */
export async function saveAttempts(
  transaction: Transaction<CheckoutTables>,
  checkout: CheckoutRecord,
  attempts: readonly Attempt[],
  hasWritesInQueries: boolean,
): Promise<void> {
  if (attempts.length === 0) return;
  const attemptRows = toAttemptRows(checkout, attempts);
  const scheduleRows = toScheduleRows(attempts);
  const changes = excludedValues(attemptRows);
  const isChanged = Object.entries(changes).map(
    ([name, value]) => sql`${sql.ref(`attempts.${name}`)} is distinct from ${value}`,
  );
  const insertAttempts = transaction
    .insertInto('attempts')
    .values(attemptRows)
    .onConflict((conflict) =>
      conflict
        .column('external_id')
        .doUpdateSet(changes)
        .where(sql<boolean>`(${sql.join(isChanged, sql` or `)})`),
    );
  if (!hasWritesInQueries) await insertAttempts.execute();
  await (hasWritesInQueries ? transaction.with('saved_attempts', () => insertAttempts) : transaction)
    .insertInto('schedules')
    .values(scheduleRows)
    .onConflict((conflict) => conflict.column('attempt_id').doUpdateSet(excludedValues(scheduleRows)))
    .execute();
}

/** The row of a checkout, without `order_id`, because a save never changes it. `savedAt` is in milliseconds since 1970. */
function toCheckoutRow(checkout: CheckoutRecord, savedAt: number): Omit<Insertable<CheckoutsTable>, 'order_id'> {
  const { status, closesAt } = listedStatusOf(checkout);
  return {
    id: checkout.id,
    capability: checkout.capability,
    capability_at: checkout.capabilityAt,
    hook_secret: checkout.hookSecret,
    params: JSON.stringify(checkout.params),
    created_at: checkout.createdAt,
    version: checkout.version,
    paid_external_id: checkout.paidExternalId,
    paid_at: checkout.paidAt,
    closed_at: checkout.closedAt,
    actions: JSON.stringify(checkout.actions),
    status,
    closes_at: closesAt,
    reference: checkout.params.reference,
    saved_at: savedAt,
  };
}

/** The rows of a checkout's attempts, without their schedules. */
function toAttemptRows(checkout: CheckoutRecord, attempts: readonly Attempt[]): Insertable<AttemptsTable>[] {
  return attempts.map((attempt) => {
    const known = hasInvoice(attempt) ? attempt : undefined;
    return {
      external_id: attempt.externalId,
      checkout_id: checkout.id,
      position: checkout.attempts.indexOf(attempt),
      keys: JSON.stringify(attempt.keys),
      payment_method_id: attempt.paymentMethodId,
      method: attempt.method === null ? null : JSON.stringify(attempt.method),
      attempt_amount: attempt.amount,
      request: JSON.stringify(attempt.request),
      state: attempt.state,
      reason: 'reason' in attempt ? attempt.reason : null,
      resolution: attempt.resolution === null ? null : JSON.stringify(attempt.resolution),
      attempt_created_at: attempt.createdAt,
      invoice: known === undefined ? null : JSON.stringify(known.invoice),
      invoice_id: known?.invoice.id ?? null,
      expires_at: known?.expiresAt ?? null,
      service_status: known?.serviceStatus ?? null,
      status_history: known === undefined ? null : JSON.stringify(known.statusHistory),
      outcome: known?.outcome ?? null,
      paid_amount: known?.paidAmount ?? null,
      claimed_invoice_id: known === undefined ? null : claimedInvoiceOf(checkout, known),
    };
  });
}

/** The first attempt with an invoice claims it for its checkout. The invoice of another checkout is not claimed. */
function claimedInvoiceOf(checkout: CheckoutRecord, attempt: InvoiceAttempt): string | null {
  const isClaimant = (other: InvoiceAttempt): boolean =>
    other.invoice.id === attempt.invoice.id && !(other.state === 'hidden' && other.reason === 'foreign_invoice');
  const claimant = checkout.attempts.filter(hasInvoice).find(isClaimant);
  return claimant?.externalId === attempt.externalId ? attempt.invoice.id : null;
}

/** The schedule rows of a checkout's attempts. No process has claimed them. */
function toScheduleRows(attempts: readonly Attempt[]): Insertable<SchedulesTable>[] {
  return attempts.map((attempt) => ({
    attempt_id: attempt.externalId,
    call_count: attempt.callCount,
    lease_until: attempt.leaseUntil,
    run_at: attempt.runAt,
    claimable_at: attempt.runAt,
    answered_at: hasInvoice(attempt) ? attempt.answeredAt : null,
    checked_at: hasInvoice(attempt) ? attempt.checkedAt : null,
  }));
}

import { sql, type ExpressionBuilder, type Kysely, type Transaction } from 'kysely';
import type { CheckoutStore, NewOutcome, OutcomeLease } from '../../server.ts';
import type { Database } from '../database-interface.ts';
import { claimDueRows } from './claim-due-rows.ts';
import { toOutcome, toOutcomeRow } from '../map-records-to-rows.ts';
import type { CheckoutTables } from '../table-row-types.ts';

// The outbox: outcomes that are stored with the change that they report, and delivered later.

/** The methods of the store that deliver outcomes, and the one that finds a payment by another checkout. */
type OutcomeQueries = Pick<
  CheckoutStore,
  | 'isPaidByOtherCheckout'
  | 'claimOutcomes'
  | 'oldestOutcomeAt'
  | 'countUndeliveredOutcomes'
  | 'renewOutcomeLeases'
  | 'markOutcomeDelivered'
  | 'retryOutcome'
>;

/** The condition of an outcome that waits for its delivery while no earlier one of its checkout does. */
const isNext = sql`delivered_at is null and abandoned_at is null and not exists (
  select 1 from ${sql.table('outcomes')} as earlier
  where earlier.checkout_id = ${sql.ref('outcomes.checkout_id')} and earlier.sequence < ${sql.ref('outcomes.sequence')}
    and earlier.delivered_at is null and earlier.abandoned_at is null)`;

export function createOutcomeQueries(database: Database): OutcomeQueries {
  const { db, read, write } = database;
  return {
    isPaidByOtherCheckout: (orderId, checkoutId) => read(() => isPaidByOther(db, orderId, checkoutId)),

    async claimOutcomes(now, leaseUntil, limit) {
      const claimed = await claimDueRows(database, { table: 'outcomes', condition: isNext, now, leaseUntil, limit });
      return claimed.map(toOutcome).sort((a, b) => a.occurredAt - b.occurredAt);
    },

    async oldestOutcomeAt() {
      const row = await db
        .selectFrom('outcomes')
        .select((from) => from.fn.min('occurred_at').as('at'))
        .where('delivered_at', 'is', null)
        .where('abandoned_at', 'is', null)
        .executeTakeFirst();
      return row?.at ?? undefined;
    },

    async countUndeliveredOutcomes() {
      const row = await db
        .selectFrom('outcomes')
        .select((from) => from.fn.countAll<number>().as('count'))
        .where('delivered_at', 'is', null)
        .where('abandoned_at', 'is', null)
        .executeTakeFirst();
      return row?.count ?? 0;
    },

    async renewOutcomeLeases(leases, leaseUntil) {
      if (leases.length === 0) return;
      await write(() =>
        db
          .updateTable('outcomes')
          .set({ claimable_at: leaseUntil })
          .where((where) => where.or(leases.map((lease) => where.and(isHeld(where, lease)))))
          .execute(),
      );
    },

    async markOutcomeDelivered(id, at) {
      await db
        .updateTable('outcomes')
        .set({ delivered_at: at, abandoned_at: null })
        .where('id', '=', id)
        .where('delivered_at', 'is', null)
        .execute();
    },

    async retryOutcome(lease, at) {
      await db
        .updateTable('outcomes')
        .set({ claimable_at: at })
        .where((where) => where.and(isHeld(where, lease)))
        .execute();
    },
  };
}

/**
 * Adds an outcome with the next number of its checkout, whose row this transaction has locked. An outcome whose `id` is stored
 * already is left out.
 */
export async function insertOutcome(transaction: Transaction<CheckoutTables>, outcome: NewOutcome): Promise<void> {
  const sequence = sql<number>`(select coalesce(max(sequence), 0) + 1 from ${sql.table('outcomes')} where checkout_id = ${outcome.checkoutId})`;
  await transaction
    .insertInto('outcomes')
    .values({ ...toOutcomeRow(outcome), sequence })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/**
 * Whether another checkout has paid the order. On PostgreSQL it first locks the order's checkout until the transaction ends, so
 * that two checkouts of one order are not saved as paid at the same time. In SQLite the transaction has the write lock.
 */
export async function lockOrderAndCheckPaid(
  { rowLocks }: Database,
  transaction: Transaction<CheckoutTables>,
  { orderId, checkoutId }: NewOutcome,
): Promise<boolean> {
  if (rowLocks)
    await transaction.selectFrom('checkouts').select('id').where('order_id', '=', orderId).forUpdate().execute();
  return isPaidByOther(transaction, orderId, checkoutId);
}

async function isPaidByOther(db: Kysely<CheckoutTables>, orderId: string, checkoutId: string): Promise<boolean> {
  const row = await db
    .selectFrom('outcomes')
    .select('id')
    .where('order_id', '=', orderId)
    .where('kind', '=', sql.lit('paid'))
    .where('checkout_id', '<>', checkoutId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The conditions of an outcome whose lease is still held: it was not claimed again, and is neither delivered nor abandoned. */
function isHeld(where: ExpressionBuilder<CheckoutTables, 'outcomes'>, { id, claimedUntil }: OutcomeLease) {
  return [
    where('id', '=', id),
    where('claimable_at', '=', claimedUntil),
    where('delivered_at', 'is', null),
    where('abandoned_at', 'is', null),
  ];
}

/** The methods of the store that list outcomes, give up their delivery, or repeat it. */
type AbandonedOutcomeQueries = Pick<
  CheckoutStore,
  'countAbandonedOutcomes' | 'listOutcomes' | 'abandonOutcome' | 'redeliverOutcome'
>;

export function createAbandonedOutcomeQueries({ db, read, write }: Database): AbandonedOutcomeQueries {
  return {
    async countAbandonedOutcomes() {
      const row = await db
        .selectFrom('outcomes')
        .select((from) => from.fn.countAll<number>().as('count'))
        .where('abandoned_at', 'is not', null)
        .executeTakeFirst();
      return row?.count ?? 0;
    },

    async listOutcomes(checkoutId) {
      const rows = await read(() =>
        db.selectFrom('outcomes').selectAll().where('checkout_id', '=', checkoutId).orderBy('sequence').execute(),
      );
      return rows.map((row) => ({
        ...toOutcome(row),
        deliveredAt: row.delivered_at,
        abandonedAt: row.abandoned_at,
      }));
    },

    async abandonOutcome(lease, at) {
      await write(() =>
        db
          .updateTable('outcomes')
          .set({ abandoned_at: at })
          .where((where) => where.and(isHeld(where, lease)))
          .execute(),
      );
    },

    async redeliverOutcome(id, at) {
      const { numUpdatedRows } = await write(() =>
        db
          .updateTable('outcomes')
          .set({ claimable_at: at, delivered_at: null, abandoned_at: null })
          .where('id', '=', id)
          .executeTakeFirstOrThrow(),
      );
      return numUpdatedRows > 0n;
    },
  };
}

import { sql, type ExpressionBuilder, type Kysely, type Transaction } from 'kysely';
import type { CheckoutStore, NewOutcome, OutcomeLease } from '../server.ts';
import type { Database } from './database.ts';
import { toOutcome, toOutcomeRow } from './checkout-rows.ts';
import type { CheckoutTables } from './checkout-schema.ts';

// The outbox: outcomes that are stored with the change that they report, and delivered later.

/** The methods of the store that are about outcomes. */
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

export function createOutcomeQueries({
  db,
  rowLocks,
  writeWithoutSync: lightly,
  read,
  write,
}: Database): OutcomeQueries {
  return {
    isPaidByOtherCheckout: (orderId, checkoutId) => read(() => isPaidByOther(db, orderId, checkoutId)),

    async claimOutcomes(now, leaseUntil, limit) {
      const claimed = await lightly((connection) =>
        connection
          .with(
            (cte) => cte('due').materialized(),
            (from) =>
              from
                .selectFrom('outcomes')
                .select('id')
                .where('delivered_at', 'is', null)
                .where('claimable_at', '<=', now)
                .where(hasNoEarlierOutcome)
                .orderBy('claimable_at')
                .limit(limit)
                .$if(rowLocks, (query) => query.forUpdate().skipLocked()),
          )
          .updateTable('outcomes')
          .set({ claimable_at: leaseUntil })
          .where('id', 'in', (from) => from.selectFrom('due').select('id'))
          .returningAll()
          .execute(),
      );
      return claimed.map(toOutcome).sort((a, b) => a.occurredAt - b.occurredAt);
    },

    async oldestOutcomeAt() {
      const row = await db
        .selectFrom('outcomes')
        .select((from) => from.fn.min('occurred_at').as('at'))
        .where('delivered_at', 'is', null)
        .executeTakeFirst();
      return row?.at ?? undefined;
    },

    async countUndeliveredOutcomes() {
      const row = await db
        .selectFrom('outcomes')
        .select((from) => from.fn.countAll<number>().as('count'))
        .where('delivered_at', 'is', null)
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
      await db.updateTable('outcomes').set({ delivered_at: at }).where('id', '=', id).execute();
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

/** Adds an outcome with the next number of its checkout, whose row this transaction has locked. */
export async function insertOutcome(transaction: Transaction<CheckoutTables>, outcome: NewOutcome): Promise<void> {
  const sequence = sql<number>`(select coalesce(max(sequence), 0) + 1 from outcomes where checkout_id = ${outcome.checkoutId})`;
  await transaction
    .insertInto('outcomes')
    .values({ ...toOutcomeRow(outcome), sequence })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/**
 * Whether another checkout has paid the order. Locks the newest checkout of the order, before any other row, until the
 * transaction ends: two checkouts of one order are not saved as paid at once.
 */
export async function isPaidElsewhere(
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

/** Whether nobody else has claimed the outcome since, and it is not delivered. */
function isHeld(where: ExpressionBuilder<CheckoutTables, 'outcomes'>, { id, claimedUntil }: OutcomeLease) {
  return [where('id', '=', id), where('claimable_at', '=', claimedUntil), where('delivered_at', 'is', null)];
}

/** Whether all earlier outcomes of the checkout are delivered. */
function hasNoEarlierOutcome(from: ExpressionBuilder<CheckoutTables, 'outcomes'>) {
  return from.not(
    from.exists(
      from
        .selectFrom('outcomes as earlier')
        .select('earlier.id')
        .whereRef('earlier.checkout_id', '=', 'outcomes.checkout_id')
        .whereRef('earlier.sequence', '<', 'outcomes.sequence')
        .where('earlier.delivered_at', 'is', null),
    ),
  );
}

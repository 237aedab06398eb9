import { sql, type Kysely, type Transaction, type Insertable, type Updateable } from 'kysely';
import type { Delivery, NewOutcome } from '../../server.ts';
import type { OutcomeLease, OutcomeOutbox } from '../../server-internals.ts';
import { inTransaction, type Database } from '../database.ts';
import { claimDueRows } from './claim-due-rows.ts';
import { addDeliveries, insertDelivery, readOutcomes, toOutcome } from './outcome-feed.ts';
import type { CheckoutTables, OutcomesTable } from '../table-row-types.ts';

// The outbox: outcomes are stored in the transaction of the change that they report, and are delivered later.

/** The condition of an undelivered outcome that is the first undelivered outcome of its checkout. */
const isFirstUndelivered = sql`delivered_at is null and abandoned_at is null and not exists (
  select 1 from ${sql.table('outcomes')} as earlier
  where earlier.checkout_id = ${sql.ref('outcomes.checkout_id')} and earlier.sequence < ${sql.ref('outcomes.sequence')}
    and earlier.delivered_at is null and earlier.abandoned_at is null)`;

export function createOutcomeQueries(database: Database): OutcomeOutbox {
  const { db, read, write } = database;
  return {
    async claimOutcomes(now, leaseUntil, limit) {
      const claimed = await claimDueRows(database, {
        table: 'outcomes',
        condition: isFirstUndelivered,
        now,
        leaseUntil,
        limit,
      });
      return claimed.map(toOutcome).sort((left, right) => left.occurredAt - right.occurredAt);
    },

    async countOutcomes() {
      const abandoned = sql<number>`(select count(*) from ${sql.table('outcomes')} where abandoned_at is not null)`;
      return db
        .selectFrom('outcomes')
        .select((from) => [
          from.fn.countAll<number>().as('undelivered'),
          from.fn.min<number | null>('occurred_at').as('oldestAt'),
          abandoned.as('abandoned'),
        ])
        .where('delivered_at', 'is', null)
        .where('abandoned_at', 'is', null)
        .executeTakeFirstOrThrow();
    },

    async renewOutcomeLeases(leases, leaseUntil) {
      if (leases.length === 0) return;
      const changes = { claimable_at: leaseUntil };
      await write(() => updateUndelivered(db, changes, leases).where('abandoned_at', 'is', null).execute());
    },

    markOutcomeDelivered: (id, at, delivery) =>
      withDelivery(database, id, delivery, (connection) =>
        updateUndelivered(connection, { delivered_at: at, abandoned_at: null }, [{ id }]).execute(),
      ),

    retryOutcome: (lease, at, delivery) => endLease(database, lease, { claimable_at: at }, delivery),

    abandonOutcome: (lease, at, delivery) => endLease(database, lease, { abandoned_at: at }, delivery),

    async listOutcomes(checkoutId) {
      const query = db.selectFrom('outcomes').selectAll().where('checkout_id', '=', checkoutId).orderBy('sequence');
      return addDeliveries(database, await read(() => query.execute()));
    },

    readOutcomes: (after, limit) => readOutcomes(database, after, limit),

    async redeliverOutcome(id, at, leaseUntil) {
      const claimableAt =
        leaseUntil === undefined
          ? at
          : sql<number>`case when delivered_at is null and abandoned_at is null and claimable_at <= ${leaseUntil} then claimable_at else ${at} end`;
      const row = await write(() =>
        db
          .updateTable('outcomes')
          .set({ claimable_at: claimableAt, delivered_at: null, abandoned_at: null })
          .where('id', '=', id)
          .returning('checkout_id')
          .executeTakeFirst(),
      );
      return row?.checkout_id;
    },
  };
}

/**
 * Adds an outcome with the next number of its checkout. The transaction must have locked the row of the checkout. An outcome
 * whose `id` is already stored is not added again.
 */
export async function insertOutcome(transaction: Transaction<CheckoutTables>, outcome: NewOutcome): Promise<void> {
  const sequence = sql<number>`(select coalesce(max(sequence), 0) + 1 from ${sql.table('outcomes')} where checkout_id = ${outcome.checkoutId})`;
  await transaction
    .insertInto('outcomes')
    .values({ ...toOutcomeRow(outcome), sequence })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** The update of undelivered outcomes; of those with `claimedUntil` only while the lease is held. */
function updateUndelivered(
  db: Kysely<CheckoutTables>,
  changes: Updateable<OutcomesTable>,
  outcomes: readonly (Pick<OutcomeLease, 'id'> & Partial<OutcomeLease>)[],
) {
  return db
    .updateTable('outcomes')
    .set(changes)
    .where((where) =>
      where.or(
        outcomes.map(({ id, claimedUntil }) =>
          where.and({ id, ...(claimedUntil !== undefined && { claimable_at: claimedUntil }) }),
        ),
      ),
    )
    .where('delivered_at', 'is', null);
}

/** Changes an outcome if the lease is still held: the outcome is neither claimed again nor delivered nor abandoned. */
function endLease(
  database: Database,
  lease: OutcomeLease,
  changes: Updateable<OutcomesTable>,
  delivery: Delivery | undefined,
): Promise<void> {
  return withDelivery(database, lease.id, delivery, (connection) =>
    updateUndelivered(connection, changes, [lease]).where('abandoned_at', 'is', null).execute(),
  );
}

/** Changes an outcome and adds a delivery of it, in one transaction. */
async function withDelivery(
  { db, write }: Database,
  id: string,
  delivery: Delivery | undefined,
  change: (connection: Kysely<CheckoutTables>) => Promise<unknown>,
): Promise<void> {
  if (delivery === undefined) await write(() => change(db));
  else
    await write(() =>
      inTransaction(db, async (transaction) => {
        await change(transaction);
        await insertDelivery(transaction, id, delivery);
      }),
    );
}

/** The row of a new outcome, without `sequence`. The outcome can be claimed from `occurredAt` on. */
function toOutcomeRow(outcome: NewOutcome): Omit<Insertable<OutcomesTable>, 'sequence'> {
  return {
    id: outcome.id,
    kind: outcome.kind,
    order_id: outcome.orderId,
    checkout_id: outcome.checkoutId,
    external_id: outcome.externalId,
    invoice_id: outcome.invoiceId,
    amount: outcome.amount,
    expected_amount: outcome.expectedAmount,
    mode: outcome.mode,
    occurred_at: outcome.occurredAt,
    decision: outcome.decision ?? null,
    note: outcome.note ?? null,
    decided_by: outcome.decidedBy ?? null,
    claimable_at: outcome.occurredAt,
    delivered_at: null,
  };
}

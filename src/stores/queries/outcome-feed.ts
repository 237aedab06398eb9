import { sql, type Kysely, type Selectable } from 'kysely';
import type { Delivery, Outcome, OutcomeRecord } from '../../server.ts';
import type { FeedPart } from '../../server-internals.ts';
import { inTransaction, type Database } from '../database.ts';
import type { CheckoutTables, OutcomesTable } from '../table-row-types.ts';

// The feed: all outcomes in one order. A save does not number its outcomes, because the numbers of transactions that commit at
// the same time would become visible in another order, or saves would wait for each other. The reader numbers the outcomes that
// are committed, and one reader at a time: what is committed later gets a higher number.

/** How many outcomes one transaction numbers. */
const batchSize = 500;

/** The outcomes after a position, in the order of the feed, with their deliveries. */
export async function readOutcomes(database: Database, after: number, limit: number): Promise<FeedPart> {
  const { db, read, write } = database;
  const unplaced = db.selectFrom('outcomes').select('id').where('position', 'is', null).limit(1);
  if ((await read(() => unplaced.executeTakeFirst())) !== undefined) await write(() => placeOutcomes(database));
  const store = await read(() => db.selectFrom('store').select(['id', 'last_position']).executeTakeFirstOrThrow());
  const rows = await read(() =>
    db.selectFrom('outcomes').selectAll().where('position', '>', after).orderBy('position').limit(limit).execute(),
  );
  const outcomes = await addDeliveries(database, rows);
  return {
    storeId: store.id,
    lastPosition: store.last_position,
    outcomes: outcomes.map((outcome, index) => ({ ...outcome, position: rows[index]?.position ?? 0 })),
  };
}

/** Numbers committed outcomes. Those of a checkout keep their order, because they are added one after another. */
async function placeOutcomes({ db, hasRowLocks }: Database): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const lastRow = transaction.selectFrom('store').select('last_position');
    const { last_position } = await (hasRowLocks ? lastRow.forUpdate() : lastRow).executeTakeFirstOrThrow();
    // A separate statement, so that it does not read the state before the lock.
    const order = sql.ref(hasRowLocks ? 'added' : 'rowid');
    const { numAffectedRows = 0n } = await sql`
      update ${sql.table('outcomes')} set position = ${last_position} + number
      from (
        select id as placed_id, row_number() over (order by ${order}) as number from ${sql.table('outcomes')}
        where position is null order by ${order} limit ${batchSize}
      ) as placed
      where id = placed_id
    `.execute(transaction);
    const newPosition = last_position + Number(numAffectedRows);
    await transaction.updateTable('store').set({ last_position: newPosition }).execute();
  });
}

/** The outcomes of rows, in the same order, with their deliveries. */
export async function addDeliveries(
  { db, read }: Pick<Database, 'db' | 'read'>,
  rows: readonly Selectable<OutcomesTable>[],
): Promise<readonly OutcomeRecord[]> {
  const deliveries = new Map(rows.map(({ id }): [string, Delivery[]] => [id, []]));
  const query = db
    .selectFrom('deliveries')
    .selectAll()
    .where('outcome_id', 'in', [...deliveries.keys()]);
  for (const { outcome_id, at, status, error } of rows.length === 0
    ? []
    : await read(() => query.orderBy('outcome_id').orderBy('number').execute()))
    deliveries.get(outcome_id)?.push({ at, status, error });
  return rows.map((row) => {
    const { id, delivered_at: deliveredAt, abandoned_at: abandonedAt, claimable_at } = row;
    const nextDeliveryAt = deliveredAt === null && abandonedAt === null ? claimable_at : null;
    return { ...toOutcome(row), deliveries: deliveries.get(id) ?? [], nextDeliveryAt, deliveredAt, abandonedAt };
  });
}

/** Adds a delivery of an outcome. */
export async function insertDelivery(db: Kysely<CheckoutTables>, outcomeId: string, delivery: Delivery): Promise<void> {
  const number = sql<number>`(select coalesce(max(number), 0) + 1 from ${sql.table('deliveries')} where outcome_id = ${outcomeId})`;
  await db
    .insertInto('deliveries')
    .values({ outcome_id: outcomeId, number, ...delivery })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export function toOutcome(row: Selectable<OutcomesTable>): Outcome {
  return {
    id: row.id,
    kind: row.kind,
    orderId: row.order_id,
    checkoutId: row.checkout_id,
    externalId: row.external_id,
    invoiceId: row.invoice_id,
    amount: row.amount,
    expectedAmount: row.expected_amount,
    mode: row.mode,
    occurredAt: row.occurred_at,
    ...(row.decision !== null && row.note !== null && { decision: row.decision, note: row.note }),
    ...(row.decided_by !== null && { decidedBy: row.decided_by }),
    sequence: row.sequence,
  };
}

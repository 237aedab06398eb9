import type { ExpressionBuilder } from 'kysely';
import type { PurgeBatch, PurgeResult } from '../server.ts';
import type { Database } from './database.ts';
import type { CheckoutTables } from './checkout-schema.ts';

/** Deletes the settled ones among the next old checkouts (`CheckoutStore.purge`). */
export async function purgeBatch(database: Database, batch: PurgeBatch): Promise<PurgeResult> {
  const { db, read, write } = database;
  const isSettled = isSettledWith(batch);
  const examined = await read(() => examine(db, batch, isSettled));
  const candidates = idsOf(examined.filter(({ is_settled }) => Boolean(is_settled)));
  const deleted = candidates.length === 0 ? 0 : await write(() => deleteSettled(database, isSettled, candidates));
  const last = examined.length < batch.limit ? undefined : examined.at(-1);
  return { deleted, next: last && { createdAt: last.created_at, id: last.id } };
}

async function deleteSettled(
  { db, rowLocks }: Database,
  isSettled: Condition,
  ids: readonly string[],
): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const rows = transaction.selectFrom('checkouts').select('id').where('id', 'in', ids);
    // A checkout that somebody is saving is left out. From here on, saves wait for the end of the transaction.
    const locked = rowLocks ? await rows.forUpdate().skipLocked().execute() : await rows.execute();
    if (locked.length === 0) return 0;
    // A new statement also reads what was saved just before the rows were locked.
    const settled = await transaction
      .selectFrom('checkouts')
      .select('id')
      .where('id', 'in', idsOf(locked))
      .where(isSettled)
      .execute();
    if (settled.length === 0) return 0;
    await transaction.deleteFrom('outcomes').where('checkout_id', 'in', idsOf(settled)).execute();
    await transaction.deleteFrom('attempts').where('checkout_id', 'in', idsOf(settled)).execute();
    await transaction.deleteFrom('checkouts').where('id', 'in', idsOf(settled)).execute();
    return settled.length;
  });
}

function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}

type Condition = ReturnType<typeof isSettledWith>;

/** The next checkouts by age. No row is locked: most of them may still be in use. */
async function examine(db: Database['db'], { createdBefore, after, limit }: PurgeBatch, isSettled: Condition) {
  let query = db
    .selectFrom('checkouts')
    .select((from) => ['id', 'created_at', isSettled(from).as('is_settled')])
    .where('created_at', '<', createdBefore)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit);
  if (after !== undefined)
    query = query
      .where('created_at', '>=', after.createdAt)
      .where((where) => where.or([where('created_at', '>', after.createdAt), where('id', '>', after.id)]));
  return query.execute();
}

function isSettledWith({ unpaidCreatedBefore }: PurgeBatch) {
  return (where: ExpressionBuilder<CheckoutTables, 'checkouts'>) =>
    where.and([
      where.or([where('paid_external_id', 'is not', null), where('created_at', '<', unpaidCreatedBefore)]),
      where.not(
        where.exists(
          where
            .selectFrom('attempts')
            .select('external_id')
            .whereRef('attempts.checkout_id', '=', 'checkouts.id')
            .where('run_at', 'is not', null),
        ),
      ),
      where.not(
        where.exists(
          where
            .selectFrom('outcomes')
            .select('outcomes.id')
            .whereRef('outcomes.checkout_id', '=', 'checkouts.id')
            .where('delivered_at', 'is', null),
        ),
      ),
    ]);
}

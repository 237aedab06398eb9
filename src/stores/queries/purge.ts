import { sql, type ExpressionBuilder } from 'kysely';
import type { PurgeBatch, PurgeResult } from '../../server-internals.ts';
import { inTransaction, type Database } from '../database.ts';
import type { CheckoutTables } from '../table-row-types.ts';
import { isCountedForAnother } from './select-records.ts';

/** Deletes the settled checkouts among the next old checkouts (`CheckoutStore.purge`). */
export async function purgeBatch(database: Database, batch: PurgeBatch): Promise<PurgeResult> {
  const { db, read, write } = database;
  const examined = await read(() => selectNextByAge(db, batch));
  const candidates = examined.filter(
    ({ capability_at, paid_external_id }) => paid_external_id !== null || capability_at < batch.expiredBefore,
  );
  const deletedCount = candidates.length === 0 ? 0 : await write(() => deleteSettled(database, idsOf(candidates)));
  const last = examined.length < batch.limit ? undefined : examined.at(-1);
  return { deleted: deletedCount, next: last && { createdAt: last.created_at, id: last.id } };
}

async function deleteSettled({ db, hasRowLocks }: Database, candidateIds: readonly string[]): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const candidates = transaction.selectFrom('checkouts').select('id').where('id', 'in', candidateIds);
    // A checkout that another transaction is saving is skipped. Saves of the locked checkouts wait for the end of this
    // transaction.
    const locked = hasRowLocks ? await candidates.forUpdate().skipLocked().execute() : await candidates.execute();
    if (locked.length === 0) return 0;
    // This is a separate statement, so that it also reads changes that were saved just before the rows were locked.
    const settled = await transaction
      .selectFrom('checkouts')
      .select('id')
      .where('id', 'in', idsOf(locked))
      .where(isSettled)
      .execute();
    if (settled.length === 0) return 0;
    const ids = idsOf(settled);
    const outcomes = transaction.selectFrom('outcomes').select('id').where('checkout_id', 'in', ids);
    const attempts = transaction.selectFrom('attempts').select('external_id').where('checkout_id', 'in', ids);
    await transaction.deleteFrom('deliveries').where('outcome_id', 'in', outcomes).execute();
    await transaction.deleteFrom('schedules').where('attempt_id', 'in', attempts).execute();
    for (const table of ['outcomes', 'attempts'] as const)
      await transaction.deleteFrom(table).where('checkout_id', 'in', ids).execute();
    await transaction.deleteFrom('checkouts').where('id', 'in', ids).execute();
    return settled.length;
  });
}

function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}

/** Selects the next checkouts by age. Their rows are not locked, because many checkouts are not settled. */
async function selectNextByAge(db: Database['db'], { createdBefore, after, limit }: PurgeBatch) {
  let query = db
    .selectFrom('checkouts')
    .select(['id', 'created_at', 'capability_at', 'paid_external_id'])
    .where('created_at', '<', createdBefore)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit);
  if (after !== undefined) query = query.where(sql<boolean>`(created_at, id) > (${after.createdAt}, ${after.id})`);
  return query.execute();
}

/**
 * The condition of a settled checkout: no attempt has a `run_at`, every outcome is delivered, and no money of another amount waits
 * for a person's decision.
 */
function isSettled(where: ExpressionBuilder<CheckoutTables, 'checkouts'>) {
  const polledAttempts = where
    .selectFrom('attempts')
    .innerJoin('schedules', 'schedules.attempt_id', 'attempts.external_id')
    .select('external_id')
    .whereRef('attempts.checkout_id', '=', 'checkouts.id')
    .where('run_at', 'is not', null);
  const undeliveredOutcomes = where
    .selectFrom('outcomes')
    .select('outcomes.id')
    .whereRef('outcomes.checkout_id', '=', 'checkouts.id')
    .where('delivered_at', 'is', null);
  const undecidedPayments = where
    .selectFrom('attempts')
    .select('external_id')
    .whereRef('attempts.checkout_id', '=', 'checkouts.id')
    .where('outcome', '=', 'amount_mismatch')
    .where('resolution', 'is', null)
    .where((attempt) => attempt.not(isCountedForAnother(attempt)));
  return where.and(
    [polledAttempts, undeliveredOutcomes, undecidedPayments].map((rows) => where.not(where.exists(rows))),
  );
}

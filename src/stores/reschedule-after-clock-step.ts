import { sql } from 'kysely';
import type { Database } from './database.ts';

/** Moves by `ms` what is scheduled later than `after`, when the clock of the stored times has stepped. */
export async function shiftSchedule({ db, clock }: Database, after: number, ms: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('schedules')
      .set((column) => ({
        claimable_at: column('claimable_at', '+', ms),
        run_at: column('run_at', '+', ms),
        lease_until: sql<number>`case when lease_until = 0 then 0 else lease_until + ${sql.lit(ms)} end`,
        checked_at: column('checked_at', '+', ms),
      }))
      .where('claimable_at', '>', after)
      .execute();
    await transaction
      .updateTable('outcomes')
      .set((column) => ({ claimable_at: column('claimable_at', '+', ms) }))
      .where('claimable_at', '>', after)
      .where('delivered_at', 'is', null)
      .where('abandoned_at', 'is', null)
      .execute();
    // Processes on the same file find by this time what was saved.
    if (clock === undefined)
      await transaction
        .updateTable('checkouts')
        .set((column) => ({ saved_at: column('saved_at', '+', ms) }))
        .where('saved_at', '>', after)
        .execute();
  });
}

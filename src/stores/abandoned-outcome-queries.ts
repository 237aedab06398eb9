import type { CheckoutStore } from '../server.ts';
import { toOutcome } from './checkout-rows.ts';
import type { Database } from './database.ts';

/** The methods of the store that are about what became of outcomes. */
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

    async abandonOutcome({ id, claimedUntil }, at) {
      await write(() =>
        db
          .updateTable('outcomes')
          .set({ abandoned_at: at })
          .where('id', '=', id)
          .where('claimable_at', '=', claimedUntil)
          .where('delivered_at', 'is', null)
          .where('abandoned_at', 'is', null)
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

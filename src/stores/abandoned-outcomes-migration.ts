import { sql } from 'kysely';
import { collectStatistics, type Migration } from './run-migrations.ts';

/** The delivery of an outcome may be given up. Such outcomes are kept, and are not in the index of those to deliver. */
export const abandonedOutcomesMigration: Migration = {
  name: 'outcomes-abandoned-1',
  async up(schema, transaction) {
    await schema.alterTable('outcomes').addColumn('abandoned_at', 'bigint').execute();
    await schema.dropIndex('outcomes_undelivered').on('outcomes').execute();
    await schema
      .createIndex('outcomes_to_deliver')
      .on('outcomes')
      .column('claimable_at')
      .where(sql.ref('delivered_at'), 'is', null)
      .where(sql.ref('abandoned_at'), 'is', null)
      .execute();
    await schema
      .createIndex('outcomes_abandoned')
      .on('outcomes')
      .column('abandoned_at')
      .where(sql.ref('abandoned_at'), 'is not', null)
      .execute();
    await collectStatistics(transaction, 'outcomes');
  },
};

import { sql } from 'kysely';
import { collectStatistics, type Migration } from './run-migrations.ts';

/**
 * What each poll changes moves from `attempts`, whose rows are about 1.5 kB, to a table of its own. In PostgreSQL a change of
 * an indexed column writes the whole row and an entry of each index again. `attempts` has no such column any more.
 */
export const schedulesMigration: Migration = {
  name: 'schedules-1',
  async up(schema, transaction) {
    await schema
      .createTable('schedules')
      .addColumn('attempt_id', 'text', (column) => column.primaryKey().references('attempts.external_id'))
      .addColumn('call_count', 'integer', (column) => column.notNull())
      .addColumn('lease_until', 'bigint', (column) => column.notNull())
      .addColumn('run_at', 'bigint')
      .addColumn('claimable_at', 'bigint')
      .addColumn('checked_at', 'bigint')
      .execute();
    await sql`
      insert into ${sql.table('schedules')} (attempt_id, call_count, lease_until, run_at, claimable_at, checked_at)
      select external_id, call_count, lease_until, run_at, claimable_at, checked_at
      from ${sql.table('attempts')}
    `.execute(transaction);
    await schema.dropIndex('attempts_due').on('attempts').execute();
    for (const column of ['call_count', 'lease_until', 'run_at', 'claimable_at', 'checked_at'])
      await schema.alterTable('attempts').dropColumn(column).execute();
    await schema
      .createIndex('schedules_due')
      .on('schedules')
      .column('claimable_at')
      .where('claimable_at', 'is not', null)
      .execute();
    await collectStatistics(transaction, 'schedules');
  },
};

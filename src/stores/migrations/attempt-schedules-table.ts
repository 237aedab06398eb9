import { sql, PostgresAdapter } from 'kysely';
import { collectStatistics, type Migration } from './run-migrations.ts';

/**
 * Moves the columns that each poll changes from `attempts` to a separate table. The rows of `attempts` have about 1.5 kB. When
 * an indexed column changes, PostgreSQL writes the whole row and its entry in every index again. With this step, no poll
 * changes a column of `attempts`.
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

/**
 * The percentage of a page that inserts fill on PostgreSQL. The remaining space is for new versions of the page's rows. An
 * update writes to no index if the new version is on the same page and no indexed column changes (HOT).
 */
const fillFactors = { checkouts: 85, attempts: 85, schedules: 70, outcomes: 85 } as const;

export const hotUpdatesMigration: Migration = {
  name: 'hot-updates-1',
  async up(_, transaction) {
    if (!(transaction.getExecutor().adapter instanceof PostgresAdapter)) return;
    for (const table of ['checkouts', 'attempts', 'schedules', 'outcomes'] as const)
      await sql`alter table ${sql.table(table)} set (fillfactor = ${sql.lit(fillFactors[table])})`.execute(transaction);
  },
};

/** Adds the time until which payers view a checkout, so that any process that claims its attempts can fetch them sooner. */
export const viewedUntilMigration: Migration = {
  name: 'viewed-until-1',
  async up(schema) {
    await schema.alterTable('schedules').addColumn('viewed_until', 'bigint').execute();
  },
};

/** One invoice pays one order: the database refuses a second claim of it. */
export const invoiceClaimsMigration: Migration = {
  name: 'invoice-claims-1',
  async up(schema) {
    await schema.alterTable('attempts').addColumn('paid_amount', 'text').execute();
    await schema.alterTable('attempts').addColumn('claimed_invoice_id', 'text').execute();
    await schema
      .createIndex('attempts_invoice_claimed')
      .unique()
      .on('attempts')
      .column('claimed_invoice_id')
      .where('claimed_invoice_id', 'is not', null)
      .execute();
    await schema
      .createIndex('outcomes_unresolved')
      .on('outcomes')
      .column('external_id')
      .where(sql.ref('kind'), '=', sql.lit('invoice_unresolved'))
      .execute();
  },
};

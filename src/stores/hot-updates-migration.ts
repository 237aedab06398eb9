import { PostgresAdapter, sql } from 'kysely';
import type { Migration } from './run-migrations.ts';

/**
 * The percentage of a page that inserts fill on PostgreSQL. The rest is for new versions of its rows: an update whose new
 * version is on the same page, and changes no indexed column, writes to no index (HOT).
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

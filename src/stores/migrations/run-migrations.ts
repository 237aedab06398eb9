import { PostgresAdapter, sql, type Kysely, type SchemaModule, type Transaction } from 'kysely';
import type { CheckoutTables } from '../table-row-types.ts';

/** A step of the schema. Its name is stored in the database. */
export interface Migration {
  readonly name: string;
  up(schema: SchemaModule, transaction: Transaction<CheckoutTables>): Promise<void>;
}

/**
 * Prepares the database in the transaction of the steps: takes a lock where `begin` takes none, and moves the tables of
 * earlier versions. Resolves with whether the store's tables exist.
 */
export type Prepare = (transaction: Transaction<CheckoutTables>) => Promise<boolean>;

/** Runs the steps that have not run in this database, in order, in one transaction. Other processes wait until it ends. */
export async function runMigrations(
  db: Kysely<CheckoutTables>,
  steps: readonly Migration[],
  prepare: Prepare,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // Not `create table if not exists`, which needs the right to create tables even where the table exists.
    if (!(await prepare(transaction)))
      await transaction.schema
        .createTable('migrations')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('run_at', 'bigint', (column) => column.notNull())
        .execute();
    const tables = transaction.withTables<{ migrations: { name: string; run_at: number } }>();
    const done = new Set((await tables.selectFrom('migrations').select('name').execute()).map(({ name }) => name));
    for (const step of steps.filter(({ name }) => !done.has(name))) {
      await step.up(transaction.schema, transaction);
      await tables.insertInto('migrations').values({ name: step.name, run_at: Date.now() }).execute();
    }
  });
}

/**
 * Collects the statistics of a table whose columns changed. Without them the planner of PostgreSQL would read the whole
 * table, until the database collects them by itself: after a tenth of the rows has changed.
 */
export async function collectStatistics(
  transaction: Transaction<CheckoutTables>,
  table: keyof CheckoutTables,
): Promise<void> {
  if (transaction.getExecutor().adapter instanceof PostgresAdapter)
    await sql`analyze ${sql.table(table)}`.execute(transaction);
}

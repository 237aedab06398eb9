import { PostgresAdapter, sql, type Kysely, type SchemaModule, type Transaction } from 'kysely';
import type { CheckoutTables } from './checkout-tables.ts';

/** A step of the schema. Its name is stored in the database. */
export interface Migration {
  readonly name: string;
  up(schema: SchemaModule, transaction: Transaction<CheckoutTables>): Promise<void>;
}

/**
 * Runs the steps that have not run in this database yet, in order, in one transaction. Other processes wait for its end.
 * @param prepare Takes a lock until the end of the transaction, for databases in which `begin` takes none, and refuses a
 * database that is of another program.
 */
export async function runMigrations(
  db: Kysely<CheckoutTables>,
  steps: readonly Migration[],
  prepare?: (transaction: Transaction<CheckoutTables>) => Promise<unknown>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await prepare?.(transaction);
    await transaction.schema
      .createTable('migrations')
      .ifNotExists()
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

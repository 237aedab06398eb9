import { PostgresAdapter, sql, type Kysely, type SchemaModule, type Transaction } from 'kysely';
import { systemClock, type Clock } from '../../base/clock.ts';
import { inTransaction } from '../database-interface.ts';
import type { CheckoutTables } from '../table-row-types.ts';

/** One step that changes the schema. The name of each step that has run is stored in the database. */
export interface Migration {
  readonly name: string;
  up(schema: SchemaModule, transaction: Transaction<CheckoutTables>): Promise<void>;
}

/**
 * Prepares the database in the transaction of the steps: takes a lock if `begin` takes none, and moves the tables of earlier
 * versions. Resolves with whether the store's tables exist.
 */
export type PrepareDatabase = (transaction: Transaction<CheckoutTables>) => Promise<boolean>;

/** The prefix of the names of the store's steps from the first release on. An unknown one is of a newer release. */
const reservedPrefix = 'pay-invoice-';

/** Runs the steps that have not run in this database, in order, in one transaction. Other processes wait until it ends. */
export async function runMigrations(
  db: Kysely<CheckoutTables>,
  steps: readonly Migration[],
  prepare: PrepareDatabase,
  clock: Clock = systemClock,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    // `create table if not exists` is not used, because it needs the right to create tables even when the table exists.
    if (!(await prepare(transaction)))
      await transaction.schema
        .createTable('migrations')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('run_at', 'bigint', (column) => column.notNull())
        .addColumn('checked_at', 'bigint')
        .execute();
    const tables = transaction.withTables<{ migrations: { name: string; run_at: number } }>();
    const finishedSteps = new Set(
      (await tables.selectFrom('migrations').select('name').execute()).map(({ name }) => name),
    );
    const newerStep = [...finishedSteps].find(
      (name) => name.startsWith(reservedPrefix) && steps.every((step) => step.name !== name),
    );
    if (newerStep !== undefined)
      throw new Error(
        `its tables are newer than this release (${newerStep}): install the newer release, or restore a backup`,
      );
    for (const step of steps.filter(({ name }) => !finishedSteps.has(name))) {
      await step.up(transaction.schema, transaction);
      await tables.insertInto('migrations').values({ name: step.name, run_at: clock.now() }).execute();
    }
  });
}

/**
 * Collects the statistics of a table whose columns changed. Without the statistics, the planner of PostgreSQL would read the
 * whole table. The database itself collects them only after a tenth of the rows has changed.
 */
export async function collectStatistics(
  transaction: Transaction<CheckoutTables>,
  table: keyof CheckoutTables,
): Promise<void> {
  if (transaction.getExecutor().adapter instanceof PostgresAdapter)
    await sql`analyze ${sql.table(table)}`.execute(transaction);
}

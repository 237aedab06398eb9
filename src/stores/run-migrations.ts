import type { Kysely, SchemaModule, Transaction } from 'kysely';
import type { CheckoutTables } from './schema.ts';

/** A step of the schema. Its name stays in the database. */
export interface Migration {
  readonly name: string;
  up(schema: SchemaModule, transaction: Transaction<CheckoutTables>): Promise<void>;
}

/**
 * Runs the steps that the database has not seen, in order and once: all in one transaction, which other processes wait
 * for.
 * @param lock Takes a lock that lasts as long as the transaction, where beginning one does not.
 */
export async function runMigrations(
  db: Kysely<CheckoutTables>,
  steps: readonly Migration[],
  lock?: (transaction: Transaction<CheckoutTables>) => Promise<unknown>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lock?.(transaction);
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

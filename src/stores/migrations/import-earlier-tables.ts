import { sql, type Transaction } from 'kysely';
import type { CheckoutTables } from '../table-row-types.ts';
import { qualifiedName, tableNames, type TablePlace } from '../table-names.ts';

// Preparations before the first migration. The tables of earlier versions stood beside the shop's tables, without a schema or a
// prefix. A store that is opened before it has tables moves the earlier tables to its schema and prefix.

/** The store's first migration. `migrations` is a common table name: only a table with this row belongs to the store. */
const firstStepName = 'checkout-1';

/**
 * Moves the tables of an earlier version, if there are any. Resolves with whether the store's tables exist now. The transaction
 * must have the write lock already.
 */
export async function prepareSqlite(transaction: Transaction<CheckoutTables>, place: TablePlace): Promise<boolean> {
  const hasRunAtColumn = async (table: string): Promise<boolean> => {
    const { rows } = await sql`select 1 from pragma_table_info(${table}) where name = 'run_at'`.execute(transaction);
    return rows.length > 0;
  };
  if (await hasRunAtColumn(qualifiedName(place, 'migrations'))) return true;
  if (!(await hasRunAtColumn('migrations')) || !(await isOfEarlierVersion(transaction))) return false;
  for (const table of tableNames) {
    const { rows: tables } = await sql`select 1 from pragma_table_info(${table})`.execute(transaction);
    if (tables.length === 0) continue; // the earlier version did not have this table
    const name = qualifiedName(place, table);
    await sql`alter table ${sql.id(table)} rename to ${sql.id(name)}`.execute(transaction);
    const { rows: indexes } = await sql<{ name: string; sql: string }>`
      select name, sql from sqlite_master where type = 'index' and tbl_name = ${name} and sql is not null
    `.execute(transaction);
    for (const index of indexes) {
      // SQLite cannot rename an index.
      const createStatement = index.sql.replace(index.name, `${place.tablePrefix}${index.name}`);
      await sql`drop index ${sql.id(index.name)}`.execute(transaction);
      await sql.raw(createStatement).execute(transaction);
    }
  }
  return true;
}

/**
 * Locks other processes out until the transaction ends, creates the schema if it is missing, and moves the tables of an earlier
 * version, if there are any. Resolves with whether the store's tables exist now.
 * @throws Error when the table `migrations` belongs to another program
 */
export async function preparePostgres(transaction: Transaction<CheckoutTables>, place: TablePlace): Promise<boolean> {
  const { schema = '', tablePrefix } = place;
  const migrationsTable = qualifiedName(place, 'migrations');
  await sql`set local statement_timeout = 0`.execute(transaction);
  await sql`select pg_advisory_xact_lock(hashtext('pay-invoice'), hashtext(${migrationsTable}))`.execute(transaction);
  const stateQuery = sql<{
    has_schema: boolean;
    has_migrations: boolean;
    has_own_tables: boolean;
    has_old_tables: boolean;
  }>`
    select to_regnamespace(${schema}) is not null as has_schema, to_regclass(${migrationsTable}) is not null as has_migrations,
      ${hasRunAtColumnSql(migrationsTable)} as has_own_tables, ${hasRunAtColumnSql('migrations')} as has_old_tables
  `;
  const [state] = (await stateQuery.execute(transaction)).rows;
  if (state?.has_own_tables === true) return true;
  if (state?.has_migrations === true)
    throw new Error('its table migrations is of another program: choose another schema or tablePrefix');
  if (state?.has_schema !== true) await transaction.schema.createSchema(schema).execute();
  if (state?.has_old_tables !== true || !(await isOfEarlierVersion(transaction))) return false;
  for (const table of tableNames) {
    await sql`alter table if exists ${sql.id(table)} set schema ${sql.id(schema)}`.execute(transaction);
    if (tablePrefix === '') continue;
    const { rows } = await sql<{ name: string }>`
      select indexname as name from pg_indexes where schemaname = ${schema} and tablename = ${table}
    `.execute(transaction);
    for (const { name } of rows)
      await sql`alter index ${sql.id(schema, name)} rename to ${sql.id(`${tablePrefix}${name}`)}`.execute(transaction);
    await sql`
      alter table if exists ${sql.id(schema, table)} rename to ${sql.id(`${tablePrefix}${table}`)}
    `.execute(transaction);
  }
  return true;
}

/** A SQL expression: whether a table exists and has the column `run_at`, like the store's table `migrations`. */
function hasRunAtColumnSql(table: string) {
  return sql<boolean>`exists (
    select 1 from pg_attribute where attrelid = to_regclass(${table}) and attname = 'run_at' and not attisdropped
  )`;
}

/** Whether the table `migrations` without a schema or prefix belongs to an earlier version of this store. */
async function isOfEarlierVersion(transaction: Transaction<CheckoutTables>): Promise<boolean> {
  const query = sql`select 1 from ${sql.id('migrations')} where name = ${firstStepName}`;
  return (await query.execute(transaction)).rows.length > 0;
}

import { sql, type Transaction } from 'kysely';
import type { CheckoutTables } from '../table-row-types.ts';
import { qualifiedName, tableNames, type TablePlace } from '../table-names.ts';

// What happens before the first migration. Earlier versions had their tables beside the shop's, without a schema or a prefix.
// The first store that is opened without tables of its own moves them to its schema and prefix.

/** The store's first migration. `migrations` is a common name: only a table with this row is the store's. */
const firstStep = 'checkout-1';

/**
 * Moves the tables of an earlier version, if there are any. Resolves with whether the store's tables exist now. The
 * transaction already has the write lock.
 */
export async function prepareSqlite(transaction: Transaction<CheckoutTables>, place: TablePlace): Promise<boolean> {
  const hasRunAtColumn = async (table: string): Promise<boolean> => {
    const { rows } = await sql`select 1 from pragma_table_info(${table}) where name = 'run_at'`.execute(transaction);
    return rows.length > 0;
  };
  if (await hasRunAtColumn(qualifiedName(place, 'migrations'))) return true;
  if (!(await hasRunAtColumn('migrations')) || !(await isOldVersion(transaction))) return false;
  for (const table of tableNames) {
    const { rows: tables } = await sql`select 1 from pragma_table_info(${table})`.execute(transaction);
    if (tables.length === 0) continue; // the earlier version did not have this table
    const name = qualifiedName(place, table);
    await sql`alter table ${sql.id(table)} rename to ${sql.id(name)}`.execute(transaction);
    const { rows: indexes } = await sql<{ name: string; sql: string }>`
      select name, sql from sqlite_master where type = 'index' and tbl_name = ${name} and sql is not null
    `.execute(transaction);
    for (const index of indexes) {
      const text = index.sql.replace(index.name, `${place.tablePrefix}${index.name}`); // SQLite cannot rename an index
      await sql`drop index ${sql.id(index.name)}`.execute(transaction);
      await sql.raw(text).execute(transaction);
    }
  }
  return true;
}

/**
 * Takes a lock for which other processes wait until the transaction ends, creates the schema if it is missing, and moves the
 * tables of an earlier version, if there are any. Resolves with whether the store's tables exist now.
 * @throws Error when the table `migrations` belongs to another program
 */
export async function preparePostgres(transaction: Transaction<CheckoutTables>, place: TablePlace): Promise<boolean> {
  const { schema = '', tablePrefix } = place;
  const own = qualifiedName(place, 'migrations');
  await sql`set local statement_timeout = 0`.execute(transaction);
  await sql`select pg_advisory_xact_lock(hashtext('pay-invoice'), hashtext(${own}))`.execute(transaction);
  const state = sql<{ has_schema: boolean; present: boolean; own: boolean; old: boolean }>`
    select to_regnamespace(${schema}) is not null as has_schema, to_regclass(${own}) is not null as present,
      ${hasRunAt(own)} as own, ${hasRunAt('migrations')} as old
  `;
  const [found] = (await state.execute(transaction)).rows;
  if (found?.own === true) return true;
  if (found?.present === true)
    throw new Error('its table migrations is of another program: choose another schema or tablePrefix');
  if (found?.has_schema !== true) await transaction.schema.createSchema(schema).execute();
  if (found?.old !== true || !(await isOldVersion(transaction))) return false;
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

/** The SQL expression for whether a table exists and has the column `run_at`, as the store's `migrations` has. */
function hasRunAt(table: string) {
  return sql<boolean>`exists (
    select 1 from pg_attribute where attrelid = to_regclass(${table}) and attname = 'run_at' and not attisdropped
  )`;
}

/** Whether the table `migrations` without a schema or prefix is that of an earlier version of this store. */
async function isOldVersion(transaction: Transaction<CheckoutTables>): Promise<boolean> {
  const query = sql`select 1 from ${sql.id('migrations')} where name = ${firstStep}`;
  return (await query.execute(transaction)).rows.length > 0;
}

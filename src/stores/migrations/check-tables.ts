import { PostgresAdapter, sql, type Kysely } from 'kysely';
import { qualifiedName, type TablePlace } from '../table-names.ts';
import type { CheckoutTables } from '../table-row-types.ts';
import { namesOfSchema, tableColumns } from './checkout-tables.ts';

interface Column {
  readonly name: string;
  /** Whether an insert that does not name the column fails. */
  readonly is_required: boolean | number;
}

/**
 * Throws when a table lacks a column of this release, or has another one that an insert must name, and when a constraint, an
 * index or a view is missing. The names of the steps that have run do not show it: a program before the first release, or a
 * person, may have made the tables.
 */
export async function checkTables(db: Kysely<CheckoutTables>, place: TablePlace): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const differences: string[] = [];
  for (const [table, expected] of tableColumns) {
    const name = qualifiedName(place, table);
    const { rows } = await (
      isPostgres
        ? sql<Column>`select attname as name, attnotnull and not atthasdef as is_required from pg_attribute
            where attrelid = to_regclass(${name}) and attnum > 0 and not attisdropped`
        : sql<Column>`select name, "notnull" and dflt_value is null as is_required from pragma_table_info(${name})`
    ).execute(db);
    const known = new Set(rows.map((column) => column.name));
    const missing = expected.filter((column) => !known.has(column));
    const unknown = rows.filter((column) => Boolean(column.is_required) && !expected.includes(column.name));
    if (rows.length === 0) differences.push(`${table} is missing`);
    else {
      differences.push(...missing.map((column) => `${table} has no ${column}`));
      differences.push(...unknown.map((column) => `${table} has ${column.name}`));
    }
  }
  if (differences.length === 0 && isPostgres) await checkRights(db, place);
  const { rows } = await (
    isPostgres
      ? sql<{
          text: string;
        }>`select conname as text from pg_constraint where connamespace = to_regnamespace(${place.schema ?? ''})
          union all select relname from pg_class where relnamespace = to_regnamespace(${place.schema ?? ''})`
      : sql<{ text: string }>`select name || ' ' || coalesce(sql, '') as text from sqlite_master`
  ).execute(db);
  const texts = new Set(rows.flatMap(({ text }) => text.split(/[^a-z\d_]+/)));
  const lost = namesOfSchema(isPostgres ? 'postgres' : 'sqlite', place).filter((name) => !texts.has(name));
  differences.push(...lost.map((name) => `${name} is missing`));
  if (differences.length > 0)
    throw new Error(
      `its tables are not those of this release (${differences.join(', ')}): name another database, or restore a backup of this release`,
    );
}

const rights = ['select', 'insert', 'update', 'delete'];

/** Throws when PostgreSQL's user lacks a right on a table: the first payer would meet that. */
async function checkRights(db: Kysely<CheckoutTables>, place: TablePlace): Promise<void> {
  const names = [...tableColumns.keys()].map((table) => qualifiedName(place, table));
  const { rows } = await sql<{ name: string; user: string }>`
    select distinct name, current_user as user from unnest(${names}::text[]) as name, unnest(${rights}::text[]) as one
      where not has_table_privilege(name, one) order by name
  `.execute(db);
  if (rows[0] !== undefined)
    throw new Error(
      `its user lacks rights on ${rows.map(({ name }) => name).join(', ')}: grant ${rights.join(', ')} on all tables in schema "${place.schema ?? ''}" to ${rows[0].user}`,
    );
}

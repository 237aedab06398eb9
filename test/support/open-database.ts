import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { Pool } from 'pg';
import type { CheckoutTables } from '../../src/stores/table-row-types.ts';
import type { Database } from '../../src/stores/database-interface.ts';
import { runMigrations, type Migration } from '../../src/stores/migrations/run-migrations.ts';
import { openPostgres } from '../../src/stores/postgres-store.ts';
import { openSqlite } from '../../src/stores/sqlite-store.ts';
import { tableNamesPlugin } from '../../src/stores/table-names-plugin.ts';
import type { TablePlace } from '../../src/stores/table-names.ts';

/** The database that a test opens: a file of SQLite, or PostgreSQL. */
export interface DatabaseLocation {
  /** The folder of the SQLite file, which is created when it is missing. */
  readonly dataDir: string;
  /** The URL of PostgreSQL, which is then used instead of a file: `postgres://user:password@host/database`. */
  readonly databaseUrl?: string | undefined;
}

/**
 * Opens the database and brings its schema up to date.
 * @param names - the names of the tables; missing ones are the defaults of the store
 * @throws DatabaseOpenError
 */
export async function openDatabase(
  location: DatabaseLocation,
  migrations: readonly Migration[],
  names: Partial<TablePlace> = {},
): Promise<Database> {
  return location.databaseUrl === undefined
    ? openSqlite(join(location.dataDir, 'shop.db'), migrations, names.tablePrefix)
    : openPostgres(location.databaseUrl, migrations, names);
}

/** Creates and opens a database as earlier versions did: its tables have neither a schema nor a prefix. */
export async function makeOldDatabase(
  { dataDir, databaseUrl }: DatabaseLocation,
  migrations: readonly Migration[],
): Promise<Kysely<CheckoutTables>> {
  if (databaseUrl === undefined) mkdirSync(dataDir, { recursive: true });
  const dialect =
    databaseUrl === undefined
      ? new SqliteDialect({ database: new Libsql(join(dataDir, 'shop.db')) })
      : new PostgresDialect({ pool: new Pool({ connectionString: databaseUrl }) });
  const db = new Kysely<CheckoutTables>({ dialect, plugins: [tableNamesPlugin({ tablePrefix: '' })] });
  await runMigrations(db, migrations, () => Promise.resolve(false));
  return db;
}

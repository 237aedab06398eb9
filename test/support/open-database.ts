import { join } from 'node:path';
import type { Database } from '../../src/stores/database.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import type { Migration } from '../../src/stores/migrations/run-migrations.ts';
import { openPostgres } from '../../src/stores/postgres-store.ts';
import { createSqlStore, type SqlStore } from '../../src/stores/sql-store.ts';
import { openSqlite } from '../../src/stores/sqlite-store.ts';
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
 * @param migrations - those of the store by default
 * @param names - the names of the tables; missing ones are the defaults of the store
 * @param migrate - false: refuses a schema that is not up to date
 * @throws DatabaseOpenError
 */
export async function openDatabase(
  location: DatabaseLocation,
  migrations: readonly Migration[] = checkoutMigrations,
  names: Partial<TablePlace> = {},
  migrate = true,
): Promise<Database> {
  return location.databaseUrl === undefined
    ? openSqlite(join(location.dataDir, 'shop.db'), migrations, { ...names, migrate })
    : openPostgres(location.databaseUrl, migrations, { ...names, migrate });
}

/** Opens the store of this release in the database. */
export async function openStore(location: DatabaseLocation, names: Partial<TablePlace> = {}): Promise<SqlStore> {
  return createSqlStore(await openDatabase(location, checkoutMigrations, names));
}

import { join } from 'node:path';
import type { Database } from '../../src/stores/database.ts';
import type { Migration } from '../../src/stores/run-migrations.ts';
import { openPostgres } from '../../src/stores/postgres.ts';
import { openSqlite } from '../../src/stores/sqlite.ts';

/** Where the data is. */
export interface DatabaseLocation {
  /** The folder of the embedded database's file; it is made when it is missing. */
  readonly dataDir: string;
  /** PostgreSQL instead: `postgres://user:password@host/database`. */
  readonly databaseUrl?: string | undefined;
}

/**
 * Opens the database and brings its schema up to date.
 * @throws DatabaseOpenError
 */
export async function openDatabase(location: DatabaseLocation, migrations: readonly Migration[]): Promise<Database> {
  return location.databaseUrl === undefined
    ? openSqlite(join(location.dataDir, 'shop.db'), migrations)
    : openPostgres(location.databaseUrl, migrations);
}

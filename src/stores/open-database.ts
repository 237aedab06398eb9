import { join } from 'node:path';
import type { Database, DatabaseLocation } from './database.ts';
import type { Migration } from './run-migrations.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

/**
 * Opens the database and brings its schema up to date.
 * @throws DatabaseOpenError
 */
export async function openDatabase(location: DatabaseLocation, migrations: readonly Migration[]): Promise<Database> {
  return location.databaseUrl === undefined
    ? openSqlite(join(location.dataDir, 'shop.db'), migrations)
    : openPostgres(location.databaseUrl, migrations);
}

import { join } from 'node:path';
import type { SqlStore } from '../sqlite.ts';
import type { ServerEnvironment, TableNames } from './environment/server-environment.ts';

/** A package that is not installed. The message says how to install it. */
export class MissingDriverError extends Error {
  override readonly name = 'MissingDriverError';
}

/**
 * Opens the store: PostgreSQL when `DATABASE_URL` is set, otherwise a file in `DATA_DIR`. Only the driver of that database
 * is loaded.
 * @throws MissingDriverError, DatabaseOpenError
 */
export async function openStore({
  databaseUrl,
  dataDir,
  tables,
}: Pick<ServerEnvironment, 'databaseUrl' | 'dataDir' | 'tables'>): Promise<SqlStore> {
  if (databaseUrl === undefined) {
    const { createSqliteStore } = await loadDriver(import('../sqlite.ts'), 'libsql');
    return createSqliteStore({ ...tables, file: join(dataDir, 'checkouts.db') });
  }
  const { createPostgresStore } = await loadDriver(import('../postgres.ts'), 'pg');
  return createPostgresStore({ ...tables, url: databaseUrl });
}

/** Returns the SQL statements that create the tables of a database. @throws MissingDriverError */
export async function ddlOf(database: 'sqlite' | 'postgres', tables: TableNames): Promise<string> {
  if (database === 'sqlite') return (await loadDriver(import('../sqlite.ts'), 'libsql')).sqliteDdl(tables);
  return (await loadDriver(import('../postgres.ts'), 'pg')).postgresDdl(tables);
}

/** Awaits the import of a module. @throws MissingDriverError when a package that the module imports is not installed */
export async function loadDriver<T>(module: Promise<T>, driver: string): Promise<T> {
  try {
    return await module;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new MissingDriverError(`the database's driver is not installed: run npm install ${driver} kysely`, {
      cause: error,
    });
  }
}

import { join } from 'node:path';
import { createSqliteStore, DatabaseOpenError, type Migration, type SqlStore } from '../sqlite.ts';
import type { Log } from '../server.ts';
import { isOpenToOthers } from '../stores/sqlite-file.ts';
import type { DatabaseEnvironment } from './environment/checkout-environment.ts';

/** The file of SQLite in `DATA_DIR`. */
export const sqliteFileIn = (dataDir: string): string => join(dataDir, 'checkouts.db');

/** Names the database, for the operator. */
export function describeStore({ databaseUrl, dataDir }: Pick<DatabaseEnvironment, 'databaseUrl' | 'dataDir'>): string {
  return databaseUrl === undefined ? `SQLite ${sqliteFileIn(dataDir)}` : 'PostgreSQL';
}

/** What to do when other users of the machine can read the SQLite file, as that of a restored backup; else undefined. */
export function adviceOnFileRights({
  databaseUrl,
  dataDir,
}: Pick<DatabaseEnvironment, 'databaseUrl' | 'dataDir'>): string | undefined {
  const file = sqliteFileIn(dataDir);
  // The log keeps the rights that the file had when it was made.
  const isOpen = databaseUrl === undefined && [file, `${file}-wal`].some(isOpenToOthers);
  return isOpen ? `other users can read ${file}, with the names and requisites in it: chmod 600 ${file}*` : undefined;
}

/**
 * Opens the store: PostgreSQL when `DATABASE_URL` is set, otherwise a file in `DATA_DIR`. Only the driver of that database
 * is loaded. The tables of `migrations` are the application's own. `log` hears of a file that other users of the machine can read.
 * @throws DatabaseOpenError
 * @example
 * ```ts
 * import { openStore, readEnvironment } from 'pay-invoice/standalone';
 *
 * const store = await openStore(readEnvironment({ DATA_DIR: '.data' }));
 * await store.close();
 * ```
 */
export async function openStore(
  { databaseUrl, dataDir, tables, migrate }: DatabaseEnvironment,
  migrations: readonly Migration[] = [],
  log?: Log,
): Promise<SqlStore> {
  const options = { migrate, migrations };
  if (databaseUrl === undefined) {
    const store = await createSqliteStore({ ...options, tablePrefix: tables.tablePrefix, file: sqliteFileIn(dataDir) });
    const advice = adviceOnFileRights({ databaseUrl, dataDir });
    if (advice !== undefined) log?.('warn', 'database_open_to_others', { advice });
    return store;
  }
  const { createPostgresStore } = await importPostgres();
  return createPostgresStore({ ...options, ...tables, url: databaseUrl });
}

async function importPostgres() {
  try {
    return await import('../postgres.ts');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new DatabaseOpenError('the package pg is not installed: run npm install pg', { cause: error });
  }
}

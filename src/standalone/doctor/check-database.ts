import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ServerEnvironment } from '../environment/server-environment.ts';
import { openStore, sqliteFileIn } from '../open-store.ts';

/** The result of a check, printed as one line. `text` contains the advice when `level` is not `ok`, and never a secret. */
export interface CheckResult {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  readonly text: string;
}

type DatabasePlace = Pick<ServerEnvironment, 'databaseUrl' | 'dataDir' | 'tables'>;

/** Checks that the database can be opened as the start opens it, and that it can be written. Creates and changes no tables. */
export async function checkDatabase(place: DatabasePlace): Promise<CheckResult> {
  const { databaseUrl, dataDir } = place;
  const subject = 'database';
  const file = sqliteFileIn(dataDir);
  const name = databaseUrl === undefined ? `SQLite ${file}` : 'PostgreSQL of DATABASE_URL';
  try {
    return { level: 'ok', subject, text: `${name}: ${await inspect(place, file)}` };
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    if (error instanceof Error && error.name === 'MissingDriverError') return { level: 'fail', subject, text: reason };
    const variable = databaseUrl === undefined ? 'DATA_DIR' : 'DATABASE_URL';
    return { level: 'fail', subject, text: `${name}: ${reason}: check ${variable}` };
  }
}

/** Says in which state the tables are. Rejects when the database cannot be opened or written. */
async function inspect(place: DatabasePlace, file: string): Promise<string> {
  const missing = 'has no tables yet; the start makes them';
  if (place.databaseUrl === undefined && !existsSync(file)) {
    const folder = findExistingFolder(dirname(resolve(file)));
    readdirSync(folder); // throws when `folder` is a file
    accessSync(folder, constants.W_OK);
    return missing;
  }
  try {
    const store = await openStore({ ...place, migrate: false });
    await store.check().finally(() => store.close());
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (message.includes('has no tables yet')) return missing;
    if (!message.includes('tables are older')) throw error;
  }
  return 'can be written; no migration was run, the start runs those that are new';
}

/** Returns the folder, or its nearest parent that exists: the start creates the missing folders in that parent. */
function findExistingFolder(path: string): string {
  return existsSync(path) ? path : findExistingFolder(dirname(path));
}

import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { loadSqliteDriver, MissingDriverError } from '../../stores/sqlite-file.ts';
import { defaultPlaces, qualifiedName } from '../../stores/table-names.ts';
import { loadDriver, sqliteFileIn } from '../open-store.ts';
import type { ServerEnvironment, TableNames } from '../environment/server-environment.ts';
import type { CheckResult } from './check.ts';

const connectTimeoutMs = 5000;

/** Checks that the database can be opened and written. Creates and changes no tables. */
export async function checkDatabase({
  databaseUrl,
  dataDir,
  tables,
}: Pick<ServerEnvironment, 'databaseUrl' | 'dataDir' | 'tables'>): Promise<CheckResult> {
  const subject = 'database';
  const file = sqliteFileIn(dataDir);
  const name = databaseUrl === undefined ? `SQLite ${file}` : 'PostgreSQL of DATABASE_URL';
  try {
    const state =
      databaseUrl === undefined ? await inspectFile(file, tables) : await inspectPostgres(databaseUrl, tables);
    return { level: 'ok', subject, text: `${name}: ${state}` };
  } catch (error) {
    const advice = databaseUrl === undefined ? 'check DATA_DIR' : 'check DATABASE_URL';
    const text = error instanceof MissingDriverError ? error.message : `${name}: ${describeError(error)}: ${advice}`;
    return { level: 'fail', subject, text };
  }
}

const missingTablesText = 'has no tables yet; the start makes them';
const existingTablesText = 'can be written; no migration was run, the start runs those that are new';

async function inspectFile(file: string, tableNames: TableNames): Promise<string> {
  const { tablePrefix = defaultPlaces.sqlite.tablePrefix } = tableNames;
  const open = await loadSqliteDriver();
  if (statSync(file, { throwIfNoEntry: false }) === undefined) {
    const folder = findExistingFolder(dirname(resolve(file)));
    readdirSync(folder); // throws when `folder` is a file
    accessSync(folder, constants.W_OK);
    return missingTablesText;
  }
  const database = open(file);
  try {
    database.exec(`pragma busy_timeout = ${connectTimeoutMs}`);
    const tables = database
      .prepare('select name from sqlite_master where name = ?')
      .all([qualifiedName({ tablePrefix }, 'migrations')]);
    database.exec('begin immediate');
    database.exec('rollback');
    return tables.length === 0 ? missingTablesText : existingTablesText;
  } finally {
    database.close();
  }
}

/** Returns the folder, or its nearest parent that exists: the start creates the missing folders in that parent. */
function findExistingFolder(path: string): string {
  return existsSync(path) ? path : findExistingFolder(dirname(path));
}

const postgresStateSchema = z.tuple([
  z.object({ standby: z.boolean(), tables: z.boolean(), creates: z.boolean().nullable() }),
]);

async function inspectPostgres(url: string, tableNames: TableNames): Promise<string> {
  const { postgres } = defaultPlaces;
  const { schema = postgres.schema, tablePrefix = postgres.tablePrefix } = tableNames;
  const { default: pg } = await loadDriver(import('pg'), 'pg');
  const { assertSessionMode, connectionsOfUrl } = await import('../../stores/postgres-pool.ts');
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: connectTimeoutMs,
  });
  client.on('error', () => undefined); // the running query rejects too
  try {
    await client.connect();
    await assertSessionMode(connectionsOfUrl(url, { max: 1 })); // as the start does
    const { rows } = await client.query(
      `select pg_is_in_recovery() as standby, to_regclass($2) is not null as tables,
        case when to_regnamespace($1) is null then has_database_privilege(current_database(), 'CREATE')
          else has_schema_privilege($1, 'CREATE') or to_regclass($2) is not null end as creates`,
      [schema, qualifiedName({ schema, tablePrefix }, 'migrations')],
    );
    const [{ standby, tables, creates }] = postgresStateSchema.parse(rows);
    if (standby) throw new Error('it is a standby, which cannot be written');
    if (creates !== true) throw new Error('its user may not make tables in the schema');
    return tables ? existingTablesText : missingTablesText;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Returns the reason in one line. The messages of the drivers contain no password. */
function describeError(error: unknown): string {
  if (error instanceof AggregateError) return describeError(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const [line = ''] = error.message.split('\n');
  return line === '' && 'code' in error ? String(error.code) : line;
}

import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { defaultPlaces, qualifiedName } from '../../stores/table-names.ts';
import { MissingDriverError, loadDriver } from '../open-store.ts';
import type { ServerEnvironment, TableNames } from '../standalone-environment.ts';
import type { CheckResult } from './check.ts';

const connectMs = 5000;

/** Opens the database as it is: the tables are neither made nor changed. */
export async function checkDatabase({
  databaseUrl,
  dataDir,
  tables,
}: Pick<ServerEnvironment, 'databaseUrl' | 'dataDir' | 'tables'>): Promise<CheckResult> {
  const subject = 'database';
  const file = join(dataDir, 'checkouts.db');
  const name = databaseUrl === undefined ? `SQLite ${file}` : 'PostgreSQL of DATABASE_URL';
  try {
    const state =
      databaseUrl === undefined ? await inspectFile(file, tables) : await inspectPostgres(databaseUrl, tables);
    return { level: 'ok', subject, text: `${name}: ${state}` };
  } catch (error) {
    const advice = databaseUrl === undefined ? 'check DATA_DIR' : 'check DATABASE_URL';
    const text = error instanceof MissingDriverError ? error.message : `${name}: ${reasonOf(error)}: ${advice}`;
    return { level: 'fail', subject, text };
  }
}

const noTables = 'has no tables yet; the start makes them';
const hasTables = 'can be written; no migration was run, the start runs those that are new';

/** A table of earlier versions, whose names had neither a schema nor a prefix. The start imports such tables. */
const oldTable = 'migrations';

async function inspectFile(file: string, names: TableNames): Promise<string> {
  const { tablePrefix = defaultPlaces.sqlite.tablePrefix } = names;
  const { default: Libsql } = await loadDriver(import('libsql'), 'libsql');
  if (statSync(file, { throwIfNoEntry: false }) === undefined) {
    const folder = existingFolder(dirname(resolve(file)));
    readdirSync(folder); // throws when it is a file
    accessSync(folder, constants.W_OK);
    return noTables;
  }
  const database = new Libsql(file, { timeout: connectMs });
  try {
    const tables = database
      .prepare('select name from sqlite_master where name in (?, ?)')
      .all(qualifiedName({ tablePrefix }, 'migrations'), oldTable);
    database.exec('begin immediate');
    database.exec('rollback');
    return tables.length === 0 ? noTables : hasTables;
  } finally {
    database.close();
  }
}

/** The folder itself, or the nearest parent folder that exists: the start creates the missing folders in it. */
function existingFolder(path: string): string {
  return existsSync(path) ? path : existingFolder(dirname(path));
}

const postgresState = z.tuple([
  z.object({ standby: z.boolean(), tables: z.boolean(), creates: z.boolean().nullable() }),
]);

async function inspectPostgres(url: string, names: TableNames): Promise<string> {
  const { postgres } = defaultPlaces;
  const { schema = postgres.schema, tablePrefix = postgres.tablePrefix } = names;
  const { default: pg } = await loadDriver(import('pg'), 'pg');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs, query_timeout: connectMs });
  client.on('error', () => undefined); // the query under way rejects too
  try {
    await client.connect();
    const { rows } = await client.query(
      `select pg_is_in_recovery() as standby, coalesce(to_regclass($2), to_regclass($3)) is not null as tables,
        case when to_regnamespace($1) is null then has_database_privilege(current_database(), 'CREATE')
          else has_schema_privilege($1, 'CREATE') or to_regclass($2) is not null end as creates`,
      [schema, qualifiedName({ schema, tablePrefix }, 'migrations'), oldTable],
    );
    const [{ standby, tables, creates }] = postgresState.parse(rows);
    if (standby) throw new Error('it is a standby, which cannot be written');
    if (creates !== true) throw new Error('its user may not make tables in the schema');
    return tables ? hasTables : noTables;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The reason in one line; messages of the drivers contain no password. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const [line = ''] = error.message.split('\n');
  return line === '' && 'code' in error ? String(error.code) : line;
}

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres, type TemporaryPostgres } from '../../scripts/with-postgres.ts';
import type { DatabaseLocation } from '../support/open-database.ts';

/** A database system on which the store's tests run. */
export interface DatabaseSystem {
  readonly name: string;
  /** The location of a new, empty database. */
  fresh(): Promise<DatabaseLocation>;
  /** Ends what was started for the tests. */
  end(): Promise<void>;
}

/** SQLite files in a temporary folder. */
export async function embeddedDatabases(): Promise<DatabaseSystem> {
  const root = await mkdtemp(join(tmpdir(), 'store-'));
  return {
    name: 'the embedded database',
    fresh: () => Promise.resolve({ dataDir: join(root, randomUUID()) }),
    end: () => rm(root, { recursive: true }),
  };
}

/** The server of TEST_DATABASE_URL, or one that is started for the tests; undefined where PostgreSQL is not installed or not wanted. */
export async function postgresDatabases(): Promise<DatabaseSystem | undefined> {
  if (!isWanted('postgres')) return undefined;
  const given = process.env['TEST_DATABASE_URL'];
  const server: Pick<TemporaryPostgres, 'url' | 'stop'> | undefined =
    given === undefined ? await startPostgres() : { url: given, stop: () => Promise.resolve() };
  if (server === undefined) {
    console.error('NO POSTGRESQL: its tests do not run. On Debian: apt-get install postgresql');
    return undefined;
  }
  const admin = new Client({ connectionString: server.url });
  await admin.connect();
  return {
    name: 'PostgreSQL',
    async fresh() {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      await admin.query(`create database ${name}`);
      const url = new URL(server.url);
      url.pathname = name;
      return { dataDir: '', databaseUrl: url.href };
    },
    async end() {
      await admin.end();
      await server.stop();
    },
  };
}

/** Whether TEST_DATABASES, a list such as "embedded,postgres", contains a database system. When it is not set, it has both. */
function isWanted(kind: 'embedded' | 'postgres'): boolean {
  return (process.env['TEST_DATABASES'] ?? 'embedded,postgres').split(',').includes(kind);
}

/** All database systems that TEST_DATABASES has and that are installed. */
export async function allDatabases(): Promise<readonly DatabaseSystem[]> {
  const postgres = await postgresDatabases();
  return [...(isWanted('embedded') ? [await embeddedDatabases()] : []), ...(postgres === undefined ? [] : [postgres])];
}

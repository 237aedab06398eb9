import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { Client, type Pool } from 'pg';
import { startPostgres, type TemporaryPostgres } from '../../scripts/with-postgres.ts';
import type { DatabaseLocation } from '../support/open-database.ts';

/** A database system on which the store's tests run. */
export interface DatabaseSystem {
  readonly name: string;
  /** Creates an empty database; resolves with its location. */
  fresh(): Promise<DatabaseLocation>;
  /** Removes the databases, or stops the server that was started for the tests. */
  end(): Promise<void>;
}

/** SQLite, with files in a temporary folder. */
export async function embeddedDatabases(): Promise<DatabaseSystem> {
  const root = await mkdtemp(join(tmpdir(), 'store-'));
  return {
    name: 'the embedded database',
    fresh: () => Promise.resolve({ dataDir: join(root, randomUUID()) }),
    end: () => rm(root, { recursive: true }),
  };
}

/**
 * PostgreSQL: the server of TEST_DATABASE_URL, or a new server. undefined when it is not installed, or not in TEST_DATABASES.
 */
export async function postgresDatabases(): Promise<DatabaseSystem | undefined> {
  if (!isSelected('postgres')) return undefined;
  const givenUrl = process.env['TEST_DATABASE_URL'];
  const server: Pick<TemporaryPostgres, 'url' | 'stop'> | undefined =
    givenUrl === undefined ? await startPostgres() : { url: givenUrl, stop: () => Promise.resolve() };
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

/**
 * Lets connections of a merchant's pool be lost, as any application does that uses `pg`: an `error` event without a listener ends
 * the process. `pool.end()` resolves while its connections are still being closed, and PostgreSQL may stop before they are.
 */
export function ignoreConnectionErrors(pool: Pool): void {
  const ignore = (): void => undefined;
  pool.on('error', ignore); // of a connection that is not in use
  pool.on('connect', (client) => client.on('error', ignore));
}

/** Whether TEST_DATABASES, a list such as "embedded,postgres", contains a database system. By default it contains both. */
function isSelected(kind: 'embedded' | 'postgres'): boolean {
  return (process.env['TEST_DATABASES'] ?? 'embedded,postgres').split(',').includes(kind);
}

/** The database systems of TEST_DATABASES that are installed. */
export async function allDatabases(): Promise<readonly DatabaseSystem[]> {
  const postgres = await postgresDatabases();
  return [
    ...(isSelected('embedded') ? [await embeddedDatabases()] : []),
    ...(postgres === undefined ? [] : [postgres]),
  ];
}

/** The same systems, for the tests of a whole file: they are removed after its last test. */
export async function databasesOfFile(): Promise<readonly DatabaseSystem[]> {
  const systems = await allDatabases();
  after(() => Promise.all(systems.map((system) => system.end())));
  return systems;
}

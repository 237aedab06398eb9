import { sql } from 'kysely';
import type { Database } from '../../src/stores/database-interface.ts';
import type { TemporaryPostgres } from '../with-postgres.ts';

// Reads the time that PostgreSQL measures for its statements, which excludes the network and the wait for a connection.

/** Measurements of the database, in addition to the time that a caller waits. */
export interface Statistics {
  readonly columns: readonly string[];
  reset(): Promise<void>;
  /** How long the server has worked since `reset`, in milliseconds. */
  workedMs(): Promise<number>;
  /** Returns a text for each column, about the statements since `reset`. */
  read(calls: number): Promise<readonly string[]>;
}

export const noStatistics: Statistics = {
  columns: [],
  reset: () => Promise.resolve(),
  workedMs: () => Promise.resolve(0),
  read: () => Promise.resolve([]),
};

async function runStatements({ url }: TemporaryPostgres, ...statements: string[]): Promise<void> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined); // the server may restart before the connection has ended
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** Vacuums the tables, as autovacuum does in a shop, so that the maintenance after the filling is not measured. */
export async function vacuumTables(server: TemporaryPostgres): Promise<void> {
  await runStatements(server, 'vacuum', 'checkpoint');
}

/** Restarts the server with the extension that measures each statement. */
export async function enableStatistics(server: TemporaryPostgres): Promise<void> {
  await runStatements(server, `alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await server.restart('SIGINT', 0);
  await runStatements(
    server,
    'create extension pg_stat_statements',
    'alter system set pg_stat_statements.track_planning = on',
    'select pg_reload_conf()',
  );
}

export function serverStatistics({ db }: Database): Statistics {
  const readSums = async () => {
    const { rows } = await sql<{ total: number; wal: number }>`
      select coalesce(sum(total_exec_time + total_plan_time), 0) as total, coalesce(sum(wal_bytes), 0)::float8 as wal
      from pg_stat_statements where query not like '%pg_stat_statements%'
    `.execute(db);
    return { total: 0, wal: 0, ...rows[0] };
  };
  return {
    columns: ['WAL a call, kB'],
    async reset() {
      await sql`select pg_stat_statements_reset()`.execute(db);
    },
    workedMs: async () => (await readSums()).total,
    read: async (calls) => [((await readSums()).wal / calls / 1000).toFixed(1)],
  };
}

/** The size of each table, its updates, and how many of them were HOT. */
export async function hotUpdates({ db }: Database): Promise<string[][]> {
  const { rows } = await sql<{ name: string; size: string; updates: number; hot: number }>`
    select relname as name, pg_size_pretty(pg_total_relation_size(relid)) as size, n_tup_upd as updates,
      n_tup_hot_upd as hot
    from pg_stat_user_tables order by relname
  `.execute(db);
  return rows.map(({ name, size, updates, hot }) => [name, size, String(updates), String(hot)]);
}

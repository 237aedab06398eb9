// The queries of the store on a full database: `npx tsx scripts/bench-store.ts [--database postgres|sqlite] [--checkouts N]
// [--calls N]`. Prints how long each migration and each method takes. It needs about 3 kB of disk for each checkout, and for
// `postgres` PostgreSQL with its extension pg_stat_statements (Debian: postgresql).
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { createSqlStore } from '../src/stores/sql-store.ts';
import { openPostgres } from '../src/stores/postgres.ts';
import { openSqlite } from '../src/stores/sqlite.ts';
import { checkoutMigrations } from '../src/stores/checkout-schema.ts';
import type { Database } from '../src/stores/database.ts';
import type { Migration } from '../src/stores/run-migrations.ts';
import { fillTables, firstMigrations } from './bench-store/fill.ts';
import { storeOperations } from './bench-store/operations.ts';
import { enableStatistics, hotUpdates, noStatistics, serverStatistics } from './bench-store/server-statistics.ts';
import { table } from './markdown-table.ts';
import { startPostgres } from './with-postgres.ts';

/** The rows that `fill` inserts in the same transaction are not checked: that would take longer than the rest. */
const withoutForeignKeys: Migration = {
  name: 'fill-without-foreign-keys',
  async up(_, transaction) {
    await sql`set local session_replication_role = replica`.execute(transaction);
  },
};

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres' },
    checkouts: { type: 'string', default: '1000000' },
    calls: { type: 'string', default: '500' },
  },
});
const count = Number(values.checkouts);
const calls = Number(values.calls);
const load = os.loadavg().map((n) => n.toFixed(1));

console.log(`${values.database}: ${count} checkouts, ${calls} calls of each method, one at a time`);
console.log(`${os.cpus().length} cores (${os.cpus()[0]?.model ?? ''}); load average ${load.join(', ')} before the run`);
if (values.database === 'sqlite') await benchSqlite();
else await benchPostgres();

async function benchPostgres(): Promise<void> {
  const server = await startPostgres();
  if (server === undefined) throw new Error('PostgreSQL is not installed');
  try {
    await enableStatistics(server);
    await measureMigrations(
      (steps) => openPostgres(server.url, steps),
      [withoutForeignKeys, fillTables('postgres', count)],
    );
    const database = await openPostgres(server.url, checkoutMigrations);
    await measureOperations(database, serverStatistics(database));
    await database.close();
  } finally {
    await server.stop();
  }
}

async function benchSqlite(): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-store-'));
  try {
    const file = path.join(folder, 'shop.db');
    await measureMigrations((steps) => openSqlite(file, steps), [fillTables('sqlite', count)]);
    const database = await openSqlite(file, checkoutMigrations);
    await measureOperations(database, noStatistics);
    await database.close();
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measureMigrations(
  open: (steps: readonly Migration[]) => Promise<Database>,
  fill: readonly Migration[],
): Promise<void> {
  const steps = [...firstMigrations, ...fill, ...checkoutMigrations.slice(firstMigrations.length)];
  const rows: string[][] = [];
  for (let length = firstMigrations.length + fill.length; length <= steps.length; length += 1) {
    const start = performance.now();
    await (await open(steps.slice(0, length))).close();
    rows.push([steps[length - 1]?.name ?? '', ((performance.now() - start) / 1000).toFixed(1)]);
  }
  console.log(table(['migration', 'seconds'], rows));
}

async function measureOperations(database: Database, statistics: typeof noStatistics): Promise<void> {
  const rows: string[][] = [];
  for (const [name, run] of Object.entries(storeOperations(createSqlStore(database), count))) {
    for (let call = 0; call < 20; call += 1) await run(); // connections, caches
    await statistics.reset();
    const times: number[] = [];
    for (let call = 0; call < calls; call += 1) {
      const start = performance.now();
      await run();
      times.push(performance.now() - start);
    }
    times.sort((a, b) => a - b);
    const at = (share: number): string => (times[Math.floor(share * (calls - 1))] ?? NaN).toFixed(1);
    rows.push([name, at(0.5), at(0.99), ...(await statistics.read(calls))]);
  }
  console.log(table(['method', 'wall p50, ms', 'wall p99, ms', ...statistics.columns], rows));
  if (statistics !== noStatistics) console.log(await hotUpdates(database));
}

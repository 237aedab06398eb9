// Measures the queries of the store on a full database: `npx tsx scripts/bench-store.ts [--database postgres|sqlite]
// [--checkouts N] [--calls N] [--write]`. Prints how long each method takes for the caller (wall), and how long PostgreSQL works on its
// statements, or with SQLite, which runs in the process, its processor time. `--write` also writes docs/development/store-benchmarks.md.
// Commits wait for the disk, as in production. It needs about 3 kB of disk for each checkout, and for `postgres`
// PostgreSQL with its extension pg_stat_statements (Debian: postgresql).
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createSqlStore } from '../src/stores/sql-store.ts';
import { openPostgres } from '../src/stores/postgres-store.ts';
import { openSqlite } from '../src/stores/sqlite-store.ts';
import { checkoutMigrations } from '../src/stores/migrations/checkout-tables.ts';
import type { Database } from '../src/stores/database-interface.ts';
import { fillTables } from './bench-store/fill.ts';
import { storeOperations } from './bench-store/operations.ts';
import {
  vacuumTables,
  enableStatistics,
  hotUpdates,
  noStatistics,
  serverStatistics,
  type Statistics,
} from './bench-store/postgres-statistics.ts';
import { storeTable, writeStoreResult } from './bench-store/report.ts';
import { hardware } from './describe-hardware.ts';
import { startPostgres } from './with-postgres.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres' },
    checkouts: { type: 'string', default: '1000000' },
    calls: { type: 'string', default: '500' },
    write: { type: 'boolean', default: false },
  },
});
const count = Number(values.checkouts);
const calls = Number(values.calls);
let fillSeconds = NaN;
const loadAverages = os.loadavg().map((n) => n.toFixed(1));

console.log(`${values.database}: ${count} checkouts, ${calls} calls of each method, one at a time`);
console.log(
  `${os.cpus().length} cores (${os.cpus()[0]?.model ?? ''}); load average ${loadAverages.join(', ')} before the run`,
);
if (values.database === 'sqlite') await benchSqlite();
else await benchPostgres();

async function benchPostgres(): Promise<void> {
  const server = await startPostgres('on');
  if (server === undefined) throw new Error('PostgreSQL is not installed');
  try {
    await enableStatistics(server);
    const database = await measureFill(() =>
      openPostgres(server.url, [...checkoutMigrations, fillTables('postgres', count)]),
    );
    await vacuumTables(server);
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
    const database = await measureFill(() => openSqlite(file, [...checkoutMigrations, fillTables('sqlite', count)]));
    await measureOperations(database, noStatistics);
    await database.close();
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measureFill<T>(fill: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await fill();
  fillSeconds = Math.round((performance.now() - start) / 1000);
  console.log(`filled in ${fillSeconds} s; measuring`);
  return result;
}

async function measureOperations(database: Database, statistics: Statistics): Promise<void> {
  const rows: string[][] = [];
  for (const [name, run] of Object.entries(storeOperations(createSqlStore(database), count))) {
    for (let call = 0; call < 20; call += 1) await run(); // connections, caches
    await statistics.reset();
    const wallTimes: number[] = [];
    const workTimes: number[] = [];
    let workedMs = 0;
    for (let call = 0; call < calls; call += 1) {
      const startCpu = process.cpuUsage();
      const start = performance.now();
      await run();
      wallTimes.push(performance.now() - start);
      const cpuUsage = process.cpuUsage(startCpu);
      const totalWorkedMs = await statistics.workedMs();
      workTimes.push(statistics === noStatistics ? (cpuUsage.user + cpuUsage.system) / 1000 : totalWorkedMs - workedMs);
      workedMs = totalWorkedMs;
    }
    rows.push([name, ...percentiles(wallTimes), ...percentiles(workTimes), ...(await statistics.read(calls))]);
  }
  const workColumn = statistics === noStatistics ? 'CPU' : 'server';
  const columns = ['method', 'wall p50, ms', 'wall p99, ms', `${workColumn} p50, ms`, `${workColumn} p99, ms`];
  const result = {
    database: values.database,
    checkouts: count,
    calls,
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    machine: hardware(),
    loadAverage: loadAverages.join(', '),
    fillSeconds,
    columns: [...columns, ...statistics.columns],
    rows,
    tables: statistics === noStatistics ? [] : await hotUpdates(database),
  };
  console.log(storeTable(result));
  if (values.write) writeStoreResult(result);
}

function percentiles(times: readonly number[]): string[] {
  const sorted = times.toSorted((a, b) => a - b);
  return [0.5, 0.99].map((share) => (sorted[Math.floor(share * (sorted.length - 1))] ?? NaN).toFixed(1));
}

// The queries of the PostgreSQL store on a full database: `npx tsx scripts/bench-store.ts [--checkouts N] [--calls N]`.
// Prints how long each migration and each method takes. It needs PostgreSQL and about 3 kB of disk for each checkout.
import os from 'node:os';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { createSqlStore } from '../src/stores/sql-store.ts';
import { openPostgres } from '../src/stores/postgres.ts';
import { checkoutMigrations } from '../src/stores/checkout-schema.ts';
import type { Migration } from '../src/stores/run-migrations.ts';
import { fillTables, firstMigrations } from './bench-store/fill.ts';
import { storeOperations } from './bench-store/operations.ts';
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
  options: { checkouts: { type: 'string', default: '5000000' }, calls: { type: 'string', default: '500' } },
});
const count = Number(values.checkouts);
const calls = Number(values.calls);

const server = await startPostgres();
if (server === undefined) throw new Error('PostgreSQL is not installed');
try {
  console.log(
    `${count} checkouts, ${calls} calls of each method, one at a time; load average ${os
      .loadavg()
      .map((n) => n.toFixed(1))
      .join(', ')}`,
  );
  await measureMigrations(server.url);
  await measureOperations(server.url);
} finally {
  await server.stop();
}

async function measureMigrations(url: string): Promise<void> {
  const steps: Migration[] = [
    ...firstMigrations,
    withoutForeignKeys,
    fillTables('postgres', count),
    ...checkoutMigrations.slice(firstMigrations.length),
  ];
  const rows: string[][] = [];
  for (const [at, step] of steps.entries()) {
    if (at <= firstMigrations.length) continue;
    const start = performance.now();
    await (await openPostgres(url, steps.slice(0, at + 1))).close();
    rows.push([step.name, ((performance.now() - start) / 1000).toFixed(1)]);
    console.log(rows.at(-1)?.join(': '), 's');
  }
  console.log(table(['migration', 'seconds'], rows));
}

async function measureOperations(url: string): Promise<void> {
  const database = await openPostgres(url, checkoutMigrations);
  const store = createSqlStore(database);
  const rows: string[][] = [];
  for (const [name, run] of Object.entries(storeOperations(store, count))) {
    for (let call = 0; call < 20; call += 1) await run(); // connections, caches
    const times: number[] = [];
    for (let call = 0; call < calls; call += 1) {
      const start = performance.now();
      await run();
      times.push(performance.now() - start);
    }
    times.sort((a, b) => a - b);
    const at = (share: number): string => (times[Math.floor(share * (calls - 1))] ?? NaN).toFixed(1);
    rows.push([name, at(0.5), at(0.99), at(1)]);
  }
  console.log(table(['method', 'p50, ms', 'p99, ms', 'longest, ms'], rows));
  const sizes = await sql<{ name: string; size: string; updates: number; hot: number }>`
    select relname as name, pg_size_pretty(pg_total_relation_size(relid)) as size, n_tup_upd as updates,
      n_tup_hot_upd as hot
    from pg_stat_user_tables order by relname
  `.execute(database.db);
  console.log(
    table(
      ['table', 'size', 'updates', 'of them HOT'],
      sizes.rows.map(({ name, size, updates, hot }) => [name, size, String(updates), String(hot)]),
    ),
  );
  await store.close();
}

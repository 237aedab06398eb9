import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { z } from 'zod';
import { fillTables } from '../../scripts/bench-store/fill.ts';
import { storeOperations } from '../../scripts/bench-store/operations.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { openPostgres } from '../../src/stores/postgres-store.ts';
import { operationsForPlans, recordQueries } from '../support/query-plans.ts';
import { postgresDatabases } from './databases.ts';

const kind = await postgresDatabases();
after(() => kind?.end());

const count = 30_000;
/** The share of the tables that 100 has of a million. For a larger share, reading the whole table is the better plan. */
const batch = 3;

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string | undefined;
  readonly Plans?: readonly PlanNode[] | undefined;
}
const planNode: z.ZodType<PlanNode> = z.object({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  get Plans() {
    return z.array(planNode).optional();
  },
});
const answer = z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: planNode })]) });

/** The tables that a plan reads from the first row to the last. */
function sequentialScans(node: PlanNode): string[] {
  const own = node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : [];
  return [...own, ...(node.Plans ?? []).flatMap(sequentialScans)];
}

test(
  `no query of the store reads a whole table of ${count} rows on PostgreSQL`,
  { skip: kind === undefined },
  async (t) => {
    const url = (await kind?.fresh())?.databaseUrl ?? assert.fail();
    const database = await openPostgres(url, [...checkoutMigrations, fillTables('postgres', count)]);
    t.after(() => database.close());
    const { store, takeQueries } = recordQueries(database);
    const explain = (query: CompiledQuery) =>
      database.db.executeQuery(CompiledQuery.raw(`explain (format json) ${query.sql}`, [...query.parameters]));
    const found: string[] = [];
    for (const [name, run] of Object.entries({
      ...storeOperations(store, count, batch),
      ...operationsForPlans(store, count, batch),
    })) {
      await run();
      for (const query of takeQueries()) {
        if (!/^(?:select|with|insert|update|delete)/.test(query.sql)) continue;
        for (const row of (await explain(query)).rows)
          for (const table of sequentialScans(answer.parse(row)['QUERY PLAN'][0].Plan))
            if (['checkouts', 'attempts', 'schedules', 'outcomes'].includes(table))
              found.push(`${name}: ${table} <- ${query.sql.slice(0, 200)}`);
      }
    }
    assert.deepEqual(found, []);
  },
);

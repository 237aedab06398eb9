import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { z } from 'zod';
import { fillTables } from '../support/fill-tables.ts';
import { storeOperations } from '../support/store-operations.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { openPostgres } from '../../src/stores/postgres-store.ts';
import { operationsForPlans, recordQueries } from '../support/query-plans.ts';
import { postgresDatabases } from './databases.ts';

const postgres = await postgresDatabases();
after(() => postgres?.end());

const rowCount = 30_000;
/** As large a share of the rows as 100 of a million. With larger batches, reading the whole table would be the better plan. */
const batchSize = 3;

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
const explainRow = z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: planNode })]) });

/** The tables that a plan reads completely. */
function scannedTables(node: PlanNode): string[] {
  const ownTable = node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : [];
  return [...ownTable, ...(node.Plans ?? []).flatMap(scannedTables)];
}

test(
  `no query of the store reads a whole table of ${rowCount} rows on PostgreSQL`,
  { skip: postgres === undefined },
  async (t) => {
    const url = (await postgres?.fresh())?.databaseUrl ?? assert.fail();
    const database = await openPostgres(url, [...checkoutMigrations, fillTables('postgres', rowCount)]);
    t.after(() => database.close());
    const { store, takeQueries } = recordQueries(database);
    const explain = (query: CompiledQuery) =>
      database.db.executeQuery(CompiledQuery.raw(`explain (format json) ${query.sql}`, [...query.parameters]));
    const wholeTableReads: string[] = [];
    for (const [name, run] of Object.entries({
      ...storeOperations(store, rowCount, batchSize),
      ...operationsForPlans(store, rowCount, batchSize),
    })) {
      await run();
      for (const query of takeQueries()) {
        if (!/^(?:select|with|insert|update|delete)/.test(query.sql)) continue;
        for (const row of (await explain(query)).rows)
          for (const table of scannedTables(explainRow.parse(row)['QUERY PLAN'][0].Plan))
            if (['checkouts', 'attempts', 'schedules', 'outcomes'].includes(table))
              wholeTableReads.push(`${name}: ${table} <- ${query.sql.slice(0, 200)}`);
      }
    }
    assert.deepEqual(wholeTableReads, []);
  },
);

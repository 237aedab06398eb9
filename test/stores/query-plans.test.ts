import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { fillTables } from '../support/fill-tables.ts';
import { storeOperations } from '../support/store-operations.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { openSqlite } from '../../src/stores/sqlite-store.ts';
import { openSqliteFile } from '../../src/stores/sqlite-file.ts';
import { operationsForPlans, recordQueries } from '../support/query-plans.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const rowCount = 20_000;
const planStep = z.object({ detail: z.string() });

test('no query of the store reads a whole table of a SQLite file', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'shop.db');
  const database = await openSqlite(file, [...checkoutMigrations, fillTables('sqlite', rowCount)]);
  t.after(() => database.close());
  const reader = openSqliteFile(file);
  t.after(() => reader.close());
  const { store, takeQueries } = recordQueries(database);
  const wholeTableReads: string[] = [];
  for (const [name, run] of Object.entries({
    ...storeOperations(store, rowCount),
    ...operationsForPlans(store, rowCount),
  })) {
    await run();
    const queries = takeQueries();
    // The queries of `load` were compiled when the store was created.
    assert.ok(queries.length > 0 || name.startsWith('load'), `${name} makes a query`);
    for (const query of queries)
      for (const row of reader.prepare(`explain query plan ${query.sql}`).all([...query.parameters])) {
        const { detail } = planStep.parse(row);
        // A whole partial index of due, undelivered or abandoned rows may be read, because it is small.
        if (
          /^SCAN (?:checkouts|attempts|schedules|outcomes)\b(?!.* USING (?:COVERING )?INDEX (?:schedules_due|outcomes_to_deliver|outcomes_abandoned))/.test(
            detail,
          )
        )
          wholeTableReads.push(`${name}: ${detail} <- ${query.sql.slice(0, 200)}`);
      }
  }
  assert.deepEqual(wholeTableReads, []);
});

// A process that saves `count` checkouts, one after another, and prints the identifier of each checkout once it is committed.
import { z } from 'zod';
import { openDatabase } from '../support/open-database.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { makeCheckoutRecord, makeAttempt } from '../../src/tools/testing/checkout-records.ts';

const [place = '', name = '', count = ''] = process.argv.slice(2);
const placeSchema = z.object({ dataDir: z.string(), databaseUrl: z.string().optional() });
const store = createSqlStore(await openDatabase(placeSchema.parse(JSON.parse(place)), checkoutMigrations));
for (let number = 0; number < Number(count); number += 1) {
  const id = `${name}-${number}`;
  await store.insert(makeCheckoutRecord(id));
  await store.save(makeCheckoutRecord(id, { version: 2, attempts: [makeAttempt(`e-${id}`)] }), []);
  process.stdout.write(`${id}\n`);
  await new Promise((resolve) => setImmediate(resolve));
}
process.exit(0);

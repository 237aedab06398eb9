// A process that saves `count` checkouts, one after another, and prints the identifier of each checkout once it is committed.
import { z } from 'zod';
import { openStore } from '../support/open-database.ts';
import { makeCheckoutRecord, makeAttempt } from '../support/make-checkout-records.ts';

const [place = '', name = '', count = ''] = process.argv.slice(2);
const placeSchema = z.object({ dataDir: z.string(), databaseUrl: z.string().optional() });
const store = await openStore(placeSchema.parse(JSON.parse(place)));
for (let number = 0; number < Number(count); number += 1) {
  const id = `${name}-${number}`;
  await store.insert(makeCheckoutRecord(id));
  await store.save(makeCheckoutRecord(id, { version: 2, attempts: [makeAttempt(`e-${id}`)] }), []);
  process.stdout.write(`${id}\n`);
  await new Promise((resolve) => setImmediate(resolve));
}
process.exit(0);

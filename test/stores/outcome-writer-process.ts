// Saves checkouts with outcomes until it is killed, and prints the id of each outcome once it is committed.
import { z } from 'zod';
import { makeCheckoutRecord, makeOutcome } from '../support/make-checkout-records.ts';
import { openStore } from '../support/open-database.ts';

const [, , place = '', name = ''] = process.argv;
const placeSchema = z.object({ dataDir: z.string(), databaseUrl: z.string().optional() });
const store = await openStore(placeSchema.parse(JSON.parse(place)));

async function writeCheckouts(worker: number): Promise<never> {
  for (let n = 0; ; n += 1) {
    const id = `${name} ${worker} ${n}`;
    await store.insert(makeCheckoutRecord(id));
    for (const version of [2, 3]) {
      const outcomes = [1, 2].map((part) => makeOutcome(`${id} ${version} ${part}`, { checkoutId: id }));
      await store.save(makeCheckoutRecord(id, { version }), outcomes);
      for (const outcome of outcomes) process.stdout.write(`${outcome.id}\n`);
    }
  }
}

await Promise.all([1, 2, 3, 4].map(writeCheckouts));

// A process that creates the checkouts of the orders 0 … count - 1. For each checkout it prints the identifier and whether it
// is new, or the name of the error. It begins when its standard input ends, so that several processes can begin at the same
// time.
import { once } from 'node:events';
import { z } from 'zod';
import { createCheckoutServer } from '../../src/server.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { FakeInvoiceService } from '../support/fake-invoice-service.ts';
import { openDatabase } from '../support/open-database.ts';
import { checkoutParams, endpoint } from '../support/test-checkout-server.ts';

const [place = '', amount = '', count = ''] = process.argv.slice(2);
const placeSchema = z.object({ dataDir: z.string(), databaseUrl: z.string().optional() });
const store = createSqlStore(await openDatabase(placeSchema.parse(JSON.parse(place)), checkoutMigrations));
const server = createCheckoutServer({
  service: new FakeInvoiceService(() => Date.now()),
  store,
  endpoint,
  mode: 'TEST',
  onOutcome: () => Promise.resolve(),
});
process.stdout.write('ready\n');
await once(process.stdin.resume(), 'end');
for (let number = 0; number < Number(count); number += 1) {
  const line = await server
    .create({ ...checkoutParams, orderId: `order-${number}`, amount })
    .then(({ id, isNew }) => `${id} ${isNew ? 'new' : 'known'}`)
    .catch((error: unknown) => (error instanceof Error ? error.name : 'unknown'));
  process.stdout.write(`${line}\n`);
}
process.exit(0);

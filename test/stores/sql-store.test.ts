import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { StoreUnavailableError } from '../../src/server.ts';
import { openDatabase } from '../support/open-database.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { storeContract } from '../../src/testing/store-contract.ts';
import { allDatabases, embeddedDatabases } from './databases.ts';

const kinds = await allDatabases();
after(async () => {
  for (const kind of kinds) await kind.end();
});

for (const kind of kinds)
  storeContract(`the store on ${kind.name}`, async () => {
    const database = await openDatabase(await kind.fresh(), checkoutMigrations);
    return { store: createSqlStore(database), close: () => database.close() };
  });

test('the check of a database that does not answer ends after 1.5 s', async (t) => {
  const databases = await embeddedDatabases();
  t.after(() => databases.end());
  const database = await openDatabase(await databases.fresh(), checkoutMigrations);
  t.after(() => database.close());
  const silent = database.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: () => new Promise(() => undefined),
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const checked = assert.rejects(createSqlStore({ ...database, db: silent }).check(), StoreUnavailableError);
  t.mock.timers.tick(1499);
  const isOver = Promise.race([checked.then(() => true), new Promise((resolve) => setImmediate(resolve, false))]);
  assert.equal(await isOver, false);
  t.mock.timers.tick(1);
  await checked;
});

import { after } from 'node:test';
import { openDatabase } from '../support/open-database.ts';
import { checkoutMigrations } from '../../src/stores/checkout-migrations.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { storeContract } from '../../src/testing/store-contract.ts';
import { allDatabases } from './databases.ts';

const kinds = await allDatabases();
after(async () => {
  for (const kind of kinds) await kind.end();
});

for (const kind of kinds)
  storeContract(`the store on ${kind.name}`, async () => {
    const database = await openDatabase(await kind.fresh(), checkoutMigrations);
    return { store: createSqlStore(database), close: () => database.close() };
  });

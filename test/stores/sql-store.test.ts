import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailableError } from '../../src/server.ts';
import { openDatabase, openStore } from '../support/open-database.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { storeContract } from './contract/store-contract.ts';
import { databasesOfFile, embeddedDatabases } from './databases.ts';

const systems = await databasesOfFile();

for (const system of systems)
  storeContract(`the store on ${system.name}`, async () => {
    const store = await openStore(await system.fresh());
    return { store, close: () => store.close() };
  });

test('the check of a database that does not answer ends after 1.5 s', async (t) => {
  const databases = await embeddedDatabases();
  t.after(() => databases.end());
  const database = await openDatabase(await databases.fresh());
  t.after(() => database.close());
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const rejection = assert.rejects(
    createSqlStore({ ...database, check: () => new Promise(() => undefined) }).check(),
    StoreUnavailableError,
  );
  t.mock.timers.tick(1499);
  const hasRejected = Promise.race([
    rejection.then(() => true),
    new Promise((resolve) => setImmediate(resolve, false)),
  ]);
  assert.equal(await hasRejected, false);
  t.mock.timers.tick(1);
  await rejection;
});

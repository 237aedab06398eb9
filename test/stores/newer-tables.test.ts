import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { openDatabase } from '../support/open-database.ts';
import { allDatabases } from './databases.ts';

const systems = await allDatabases();
after(async () => {
  for (const system of systems) await system.end();
});

for (const system of systems)
  test(`tables of a newer release are refused with one line on ${system.name}, and a step of the shop that is not given is no reason`, async () => {
    const place = await system.fresh();
    const database = await openDatabase(place, checkoutMigrations);
    const addStep = (name: string) =>
      sql`insert into ${sql.table('migrations')} (name, run_at) values (${name}, 1)`.execute(database.db);
    await addStep('shop-1');
    await (await openDatabase(place, checkoutMigrations)).close();
    await addStep('pay-invoice-99');
    await database.close();
    await assert.rejects(openDatabase(place, checkoutMigrations), {
      name: 'DatabaseOpenError',
      message: /^[^\n]+: its tables are newer than this release \(pay-invoice-99\): install the newer release[^\n]*$/,
    });
  });

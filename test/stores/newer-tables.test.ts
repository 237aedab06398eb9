import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import type { Migration } from '../../src/stores/migrations/run-migrations.ts';
import { openDatabase } from '../support/open-database.ts';
import { databasesOfFile } from './databases.ts';

/** The steps of a release after this one. */
const nextSteps: readonly Migration[] = [...checkoutMigrations, { name: 'pay-invoice-2', up: () => Promise.resolve() }];

const systems = await databasesOfFile();

for (const system of systems) {
  test(`tables of a newer release are refused with one line on ${system.name}, and a step of the shop that is not given is no reason`, async () => {
    const place = await system.fresh();
    const database = await openDatabase(place);
    const addStep = (name: string) =>
      sql`insert into ${sql.table('migrations')} (name, run_at) values (${name}, 1)`.execute(database.db);
    await addStep('shop-1');
    await (await openDatabase(place)).close();
    await addStep('pay-invoice-99');
    await database.close();
    await assert.rejects(openDatabase(place), {
      name: 'DatabaseOpenError',
      message: /^[^\n]+: its tables are newer than this release \(pay-invoice-99\): install the newer release[^\n]*$/,
    });
  });

  test(`on ${system.name} a store with migrate: false changes no table, and refuses those that are missing or older`, async () => {
    const place = await system.fresh();
    const open = (steps: readonly Migration[], migrate: boolean) => openDatabase(place, steps, {}, migrate);
    await assert.rejects(open(checkoutMigrations, false), {
      name: 'DatabaseOpenError',
      message: /^[^\n]+: it has no tables yet: run npx pay-invoice-server migrate[^\n]*$/,
    });
    await (await open(checkoutMigrations, true)).close();
    await (await open(checkoutMigrations, false)).close();
    await assert.rejects(open(nextSteps, false), {
      message: /^[^\n]+: its tables are older than this release \(without pay-invoice-2\): run npx [^\n]*$/,
    });
    await (await open(nextSteps, true)).close();
    await (await open(nextSteps, false)).close();
  });
}

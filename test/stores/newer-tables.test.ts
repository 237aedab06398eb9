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
      code: 'database_not_opened',
      message: /^[^\n]+: its tables are newer than this release \(pay-invoice-99\): install the newer release[^\n]*$/,
    });
  });

  test(`on ${system.name} a store with migrate: false changes no table, and refuses those that are missing or older`, async () => {
    const place = await system.fresh();
    const open = (steps: readonly Migration[], migrate: boolean) => openDatabase(place, steps, {}, migrate);
    await assert.rejects(open(checkoutMigrations, false), {
      name: 'DatabaseOpenError',
      code: 'tables_missing',
      message: /^[^\n]+: it has no tables yet: run npx pay-invoice-server migrate[^\n]*$/,
    });
    await (await open(checkoutMigrations, true)).close();
    await (await open(checkoutMigrations, false)).close();
    await assert.rejects(open(nextSteps, false), {
      code: 'tables_older',
      message: /^[^\n]+: its tables are older than this release \(without pay-invoice-2\): run npx [^\n]*$/,
    });
    await (await open(nextSteps, true)).close();
    await (await open(nextSteps, false)).close();
  });

  for (const [title, statement, difference] of [
    ['lacks a table', 'drop table @deliveries', 'deliveries is missing, \\w*deliveries_of_outcome is missing'],
    ['lacks a column', 'alter table @outcomes rename column note to remark', 'outcomes has no note'],
    [
      'has a column that an insert must name',
      'create table @old as select * from @store; drop table @store; create table @store (id text, last_position bigint, seen_at bigint, kind text not null)',
      'store has kind',
    ],
    ['lacks a view', 'drop view @outcomes_view', '\\w*outcomes_view is missing'],
    ['lacks an index', 'drop index @checkouts_by_age', '\\w*checkouts_by_age is missing'],
  ] as const)
    test(`on ${system.name} a database of this release's steps that ${title} is refused with one line, with and without migrate`, async () => {
      const place = await system.fresh();
      const database = await openDatabase(place);
      const prefix = system.name === 'PostgreSQL' ? 'pay_invoice.' : 'pay_invoice_';
      for (const one of statement.replaceAll('@', prefix).split(';')) await sql.raw(one).execute(database.db);
      await database.close();
      for (const migrate of [true, false])
        await assert.rejects(openDatabase(place, checkoutMigrations, {}, migrate), {
          name: 'DatabaseOpenError',
          message: new RegExp(
            `^[^\\n]+: its tables are not those of this release \\(${difference}\\): name another[^\\n]*$`,
          ),
        });
    });

  test(`on ${system.name} tables whose finished steps are forgotten are refused with one line`, async () => {
    const place = await system.fresh();
    const database = await openDatabase(place);
    await sql`delete from ${sql.table('migrations')}`.execute(database.db);
    await database.close();
    await assert.rejects(openDatabase(place), {
      name: 'DatabaseOpenError',
      message: /^[^\n]+ cannot be changed by the step pay-invoice-1 \([^\n]+ already exists\): name another[^\n]*$/,
    });
  });

  test(`on ${system.name} further columns that an insert need not name are no reason to refuse the tables`, async () => {
    const place = await system.fresh();
    const database = await openDatabase(place);
    await sql`alter table ${sql.table('checkouts')} add column shop_note text`.execute(database.db);
    await database.close();
    await (await openDatabase(place)).close();
  });
}

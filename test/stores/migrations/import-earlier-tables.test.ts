import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sql, type Kysely } from 'kysely';
import { checkoutMigrations } from '../../../src/stores/migrations/checkout-tables.ts';
import type { CheckoutTables } from '../../../src/stores/table-row-types.ts';
import type { Migration } from '../../../src/stores/migrations/run-migrations.ts';
import { createSqlStore } from '../../../src/stores/sql-store.ts';
import { makeCheckoutRecord } from '../../../src/testing/checkout-records.ts';
import { makeOldDatabase, openDatabase } from '../../support/open-database.ts';
import { allDatabases } from '../databases.ts';

// Tables of earlier versions had neither a schema nor a prefix. They get the schema and the prefix of the store that is opened
// first.

const shopMigration: Migration = {
  name: 'shop-1',
  async up(schema) {
    await schema.createTable('orders').addColumn('order_id', 'text').execute();
    await schema.createIndex('orders_by_id').on('orders').column('order_id').execute();
  },
};
const migrations = [...checkoutMigrations, shopMigration];

/** The names of all tables and indexes, without those of the primary keys. */
async function namesIn(db: Kysely<CheckoutTables>, isPostgres: boolean): Promise<readonly string[]> {
  const query = isPostgres
    ? sql<{ name: string }>`
        select schemaname || '.' || tablename as name from pg_tables where schemaname !~ '^(pg_|information_schema)'
        union all select schemaname || '.' || indexname from pg_indexes
        where schemaname !~ '^(pg_|information_schema)' and indexname !~ '_pkey$'`
    : sql<{ name: string }>`select name from sqlite_master where name not like 'sqlite_%'`;
  return (await query.execute(db)).rows.map(({ name }) => name).sort();
}

const systems = await allDatabases();
after(async () => {
  for (const system of systems) await system.end();
});

for (const system of systems) {
  const isPostgres = system.name === 'PostgreSQL';
  for (const [description, names] of [
    ['with the default names', {}],
    ['with names of the merchant', { schema: 'public', tablePrefix: 'shop_' }],
  ] as const)
    describe(`the tables of an earlier version on ${system.name}, opened ${description},`, () => {
      for (const stepCount of [1, checkoutMigrations.length])
        test(`get the names of new tables and keep their rows after ${stepCount} of the migrations, and the shop's tables do not change`, async (t) => {
          const newDatabase = await openDatabase(await system.fresh(), migrations, names);
          const expectedNames = await namesIn(newDatabase.db, isPostgres);
          await newDatabase.close();

          const place = await system.fresh();
          const oldDatabase = await makeOldDatabase(place, [...checkoutMigrations.slice(0, stepCount), shopMigration]);
          await sql`insert into orders values ('o-1')`.execute(oldDatabase);
          const params = JSON.stringify({ order_id: 'o-1', amount: '1.00', amount_limits: null, currency: 'RUB' });
          const column = sql.ref(stepCount === 1 ? 'terms' : 'params');
          await sql`
            insert into checkouts (id, hook_secret, ${column}, created_at, version, saved_at)
            values ('c', 's', ${params.replace('}', ',"description":null,"success_url":null,"fail_url":null}')}, 1, 1, 1)
          `.execute(oldDatabase);
          await oldDatabase.destroy();

          const database = await openDatabase(place, migrations, names);
          t.after(() => database.close());
          const store = createSqlStore(database);
          assert.equal((await store.load('c'))?.params.orderId, 'o-1');
          assert.deepEqual((await sql`select order_id from orders`.execute(database.db)).rows, [{ order_id: 'o-1' }]);
          assert.deepEqual(await namesIn(database.db, isPostgres), expectedNames);
        });
    });

  test(`a store with tables does not rename tables of an earlier version on ${system.name}`, async () => {
    const place = await system.fresh();
    await (await openDatabase(place, checkoutMigrations)).close();
    await (await makeOldDatabase(place, checkoutMigrations)).destroy();
    const database = await openDatabase(place, checkoutMigrations);
    const names = await namesIn(database.db, isPostgres);
    assert.ok(names.includes(isPostgres ? 'public.checkouts' : 'checkouts'), names.join());
    await database.close();
  });

  test(`opening a store does not change a table \`migrations\` of another program on ${system.name}`, async () => {
    const place = await system.fresh();
    const otherProgram = await makeOldDatabase(place, []);
    await sql`alter table migrations rename column run_at to timestamp`.execute(otherProgram);
    await otherProgram.destroy();
    const database = await openDatabase(place, checkoutMigrations);
    const store = createSqlStore(database);
    assert.ok(await store.insert(makeCheckoutRecord('c')));
    assert.deepEqual((await sql`select timestamp from migrations`.execute(database.db)).rows, []);
    await database.close();
  });
}

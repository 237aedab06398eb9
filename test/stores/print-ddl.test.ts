import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from 'pg';
import { postgresDdl } from '../../src/stores/postgres-store.ts';
import { sqliteDdl } from '../../src/stores/sqlite-store.ts';
import { printDdl } from '../../src/stores/migrations/checkout-tables.ts';
import { readDatabaseEnvironment } from '../../src/standalone/environment/server-environment.ts';
import { makeCheckoutRecord } from '../support/make-checkout-records.ts';
import { openSqliteFile } from '../../src/stores/sqlite-file.ts';
import { openStore, type DatabaseLocation } from '../support/open-database.ts';
import { databasesOfFile } from './databases.ts';

const systems = await databasesOfFile();

/** Runs the printed statements in an empty database. */
async function runDdl({ dataDir, databaseUrl }: DatabaseLocation): Promise<void> {
  if (databaseUrl === undefined) {
    mkdirSync(dataDir, { recursive: true });
    const file = openSqliteFile(join(dataDir, 'shop.db'));
    file.exec(sqliteDdl());
    file.close();
    return;
  }
  const client = new Client(databaseUrl);
  await client.connect();
  await client.query(postgresDdl());
  await client.end();
}

for (const system of systems)
  test(`the printed statements create the tables on ${system.name}, and a store then opens them without running a migration`, async () => {
    const place = await system.fresh();
    await runDdl(place);
    const store = await openStore(place);
    const record = makeCheckoutRecord('c');
    assert.ok(await store.insert(record));
    assert.deepEqual(await store.load('c'), record);
    await store.close();
  });

for (const database of ['postgres', 'sqlite'] as const)
  test(`docs/schema/${database}.sql is up to date (\`npm run generate\` writes it)`, async () => {
    const file = new URL(`../../docs/schema/${database}.sql`, import.meta.url);
    assert.equal(await readFile(file, 'utf8'), printDdl(database, {}));
  });

test('the statements that the command prints have the schema and the prefix of the environment variables', () => {
  const { tables: names } = readDatabaseEnvironment({ DATABASE_SCHEMA: 'shop', DATABASE_TABLE_PREFIX: 'pay_' });
  const postgresStatements = printDdl('postgres', names);
  for (const statement of [
    'create schema if not exists "shop";',
    'create table "shop".pay_checkouts (',
    'constraint pay_checkouts_of_order unique (order_id)',
    'create index pay_attempts_of on "shop".pay_attempts (',
    'insert into "shop".pay_migrations (',
  ])
    assert.ok(postgresStatements.includes(statement), statement);
  for (const text of [postgresStatements, printDdl('sqlite', names)])
    assert.doesNotMatch(
      text,
      /[\s.](?:checkouts_view|outcomes_view|checkouts|attempts|schedules|outcomes|migrations)\b/,
      'each name has the prefix',
    );
});

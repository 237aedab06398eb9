import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { sql } from 'kysely';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import type { Migration } from '../../src/stores/migrations/run-migrations.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { makeCheckoutRecord } from '../support/make-checkout-records.ts';
import { openDatabase, type DatabaseLocation } from '../support/open-database.ts';
import { databasesOfFile } from './databases.ts';

// An upgrade as docs/operations.md describes it: the tables are changed while the processes of the old release run.

const systems = await databasesOfFile();

/** The steps of a release after this one, which adds a column and an index. */
const nextRelease: readonly Migration[] = [
  ...checkoutMigrations,
  {
    name: 'pay-invoice-2',
    async up(_, transaction) {
      await sql`alter table ${sql.table('checkouts')} add column added_later text`.execute(transaction);
      await sql`create index added_later on ${sql.table('checkouts')} (added_later)`.execute(transaction);
    },
  },
];

/** A process of this release that saves checkouts, and prints the id of each when it is committed. */
function startWriter(place: DatabaseLocation, name: string, count: number) {
  const script = new URL('./process-that-saves-checkouts.ts', import.meta.url).pathname;
  const args = ['--import', 'tsx', script, JSON.stringify(place), name, String(count)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  return { lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](), exit: once(child, 'exit'), child };
}

for (const system of systems) {
  test(`on ${system.name} the tables are changed while a process of the old release saves, and it is refused at its next start`, async () => {
    const place = await system.fresh();
    const old = startWriter(place, 'old', 100);
    assert.equal((await old.lines.next()).value, 'old-0');
    const upgraded = await openDatabase(place, nextRelease);
    const store = createSqlStore(upgraded);
    assert.ok(await store.insert(makeCheckoutRecord('new')));
    let saved = 1;
    for (let line = await old.lines.next(); line.done !== true; line = await old.lines.next()) saved += 1;
    assert.deepEqual([saved, (await old.exit)[0]], [100, 0], 'the old process saves to its end');
    assert.equal((await store.load('old-99'))?.version, 2);
    const restarted = startWriter(place, 'restarted', 1);
    let message = '';
    restarted.child.stderr.on('data', (text: Buffer) => (message += text.toString()));
    assert.equal((await restarted.exit)[0], 1);
    assert.match(message, /its tables are newer than this release \(pay-invoice-2\): install the newer release/);
    await upgraded.close();
  });
}

for (const system of systems.filter(({ name }) => name === 'PostgreSQL'))
  test('a step that waits for a table gives up, so that the queries behind it go on', async () => {
    const place = await system.fresh();
    const database = await openDatabase(place);
    await database.appDb.transaction().execute(async (transaction) => {
      await sql`lock table ${sql.table('checkouts')} in access share mode`.execute(transaction);
      await assert.rejects(openDatabase(place, nextRelease), {
        name: 'DatabaseOpenError',
        message: /^[^\n]+: another program holds its tables: try again later$/,
      });
    });
    await (await openDatabase(place, nextRelease)).close();
    await database.close();
  });

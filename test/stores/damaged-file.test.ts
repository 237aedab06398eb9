import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createSqliteStore } from '../../src/sqlite.ts';
import { makeCheckoutRecord } from '../../src/tools/testing/checkout-records.ts';
import { loadSqliteDriver } from '../../src/stores/sqlite-file.ts';
import { expectWritesToRecover, expectRefusal, damagedFiles, newFile } from './damaged-files.ts';

// A store is not opened on a damaged file, and the error message has one line. After a full disk, writes succeed again.

/** Runs a statement on the file, as another program does. */
async function runInOtherProgram(file: string, statement: string): Promise<void> {
  const database = (await loadSqliteDriver())(file);
  database.exec(statement);
  database.close();
}

for (const damaged of damagedFiles)
  test(`a file that ${damaged.title} is refused in one line that names it and says what to do, and is kept`, async (t) =>
    expectRefusal(createSqliteStore, await newFile(t), damaged));

test('a file with tables of the shop keeps them, and gets the tables of the store in addition', async (t) => {
  const file = await newFile(t);
  await runInOtherProgram(file, "create table products (name text); insert into products values ('mug')");
  const store = await createSqliteStore({ file });
  await store.insert(makeCheckoutRecord('first'));
  await store.close();
  const database = (await loadSqliteDriver())(file);
  t.after(() => database.close());
  assert.deepEqual(database.prepare('select name from products').all([]), [{ name: 'mug' }]);
  assert.deepEqual(database.prepare('select count(*) as count from pay_invoice_checkouts').all([]), [{ count: 1 }]);
});

test('an empty file becomes a database with the tables of the store', async (t) => {
  const file = await newFile(t);
  await writeFile(file, '');
  const store = await createSqliteStore({ file });
  t.after(() => store.close());
  await store.insert(makeCheckoutRecord('first'));
  assert.deepEqual(await store.load('first'), makeCheckoutRecord('first'));
});

test('a full disk makes writes fail as unavailable, while reads succeed; writes succeed again once there is room', async (t) =>
  expectWritesToRecover(createSqliteStore, await newFile(t)));

/**
 * Defects of the store with which a test above must fail. `brokenRule` is the title of the damaged file that the defective
 * store does not refuse correctly, or `full disk`.
 */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createSqliteStore } from '../../src/sqlite.ts';
import { makeCheckoutRecord } from '../../src/tools/testing/checkout-records.ts';
import { loadSqliteDriver } from '../../src/stores/sqlite-file.ts';
import { importWithDefect, type SourceDefect } from '../support/import-with-defect.ts';
import { expectWritesToRecover, expectRefusal, damagedFiles, newFile, type OpenStore } from './damaged-files.ts';

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
const defects: readonly (SourceDefect & { readonly name: string; readonly brokenRule: string })[] = [
  {
    name: 'the size of the file is not compared with its header',
    brokenRule: 'is cut in the middle of its pages',
    file: 'src/stores/check-sqlite-file.ts',
    find: 'if (!hasLog && stats.size < sizeInHeader(path))',
    replace: 'if (sizeInHeader(path) < 0)',
  },
  {
    name: 'a path that is not a file is opened',
    brokenRule: 'is a folder',
    file: 'src/stores/check-sqlite-file.ts',
    find: "if (!stats.isFile()) throw new Error('it is not a regular file: name another file');",
    replace: '',
  },
  {
    name: 'the message does not say what the operator can do',
    brokenRule: 'is not a database',
    file: 'src/stores/check-sqlite-file.ts',
    find: "return text === undefined ? '' : `: ${text}`;",
    replace: "return '';",
  },
  {
    name: 'the message does not name the file',
    brokenRule: 'has a damaged header',
    file: 'src/stores/sqlite-store.ts',
    find: 'the database ${path} cannot be opened',
    replace: 'the database cannot be opened',
  },
  {
    name: 'a full disk counts as an error of the query',
    brokenRule: 'full disk',
    file: 'src/stores/sqlite-driver.ts',
    find: 'LOCKED|FULL|IOERR',
    replace: 'LOCKED|IOERR',
  },
];

for (const { name, brokenRule, ...defect } of defects)
  test(`a defect is found: ${name}`, async (t) => {
    const checkWith = async (sourceDefect: SourceDefect): Promise<void> => {
      const { createSqliteStore: openStore } = await importWithDefect<{ createSqliteStore: OpenStore }>(
        t,
        'src/sqlite.ts',
        sourceDefect,
      );
      const damaged = damagedFiles.find(({ title }) => title === brokenRule);
      await (damaged === undefined
        ? expectWritesToRecover(openStore, await newFile(t))
        : expectRefusal(openStore, await newFile(t), damaged));
    };
    await checkWith({ ...defect, replace: defect.find }); // without the defect
    await assert.rejects(checkWith(defect), assert.AssertionError);
  });

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import Libsql from 'libsql';
import { createSqliteStore } from '../../src/sqlite.ts';
import { makeCheckoutRecord } from '../../src/testing/checkout-records.ts';
import { importWithDefect, type SourceDefect } from '../support/import-with-defect.ts';
import { checkFullDisk, checkRefusal, damagedFiles, newFile, type OpenStore } from './damaged-files.ts';

// A file that cannot be used stops the start with a message of one line. Writes succeed again after a disk was full.

function otherProgram(file: string, statement: string): Promise<void> {
  const database = new Libsql(file);
  database.exec(statement);
  database.close();
  return Promise.resolve();
}

for (const damaged of damagedFiles)
  test(`a file that ${damaged.title} is refused in one line that names it and says what to do, and is kept`, async (t) =>
    checkRefusal(createSqliteStore, await newFile(t), damaged));

test('a file with tables of the shop gets those of the store beside them', async (t) => {
  const file = await newFile(t);
  await otherProgram(file, "create table products (name text); insert into products values ('mug')");
  const store = await createSqliteStore({ file });
  await store.insert(makeCheckoutRecord('first'));
  await store.close();
  const database = new Libsql(file);
  t.after(() => database.close());
  assert.deepEqual(database.prepare('select name from products').pluck().all(), ['mug']);
  assert.deepEqual(database.prepare('select count(*) from pay_invoice_checkouts').pluck().all(), [1]);
});

test('an empty file becomes a new database', async (t) => {
  const file = await newFile(t);
  await writeFile(file, '');
  const store = await createSqliteStore({ file });
  t.after(() => store.close());
  await store.insert(makeCheckoutRecord('first'));
  assert.deepEqual(await store.load('first'), makeCheckoutRecord('first'));
});

test('a full disk makes writes fail as unavailable, reads go on, and writes succeed once there is room', async (t) =>
  checkFullDisk(createSqliteStore, await newFile(t)));

/** A rule that is seen to fail: the name of the damaged file that a store with the defect does not refuse, or the full disk. */
const defects: readonly (SourceDefect & { readonly name: string; readonly brokenRule: string })[] = [
  {
    name: 'the size of the file is not compared with its header',
    brokenRule: 'is cut in the middle of its pages',
    file: 'src/stores/check-sqlite-file.ts',
    find: 'if (!hasLog && stats.size < sizeInHeader(path))',
    replace: 'if (sizeInHeader(path) < 0)',
  },
  {
    name: 'what is no file is opened',
    brokenRule: 'is a folder',
    file: 'src/stores/check-sqlite-file.ts',
    find: "if (!stats.isFile()) throw new Error('it is not a regular file: name another file');",
    replace: '',
  },
  {
    name: 'the line says nothing that the operator can do',
    brokenRule: 'is not a database',
    file: 'src/stores/check-sqlite-file.ts',
    find: "return text === undefined ? '' : `: ${text}`;",
    replace: "return '';",
  },
  {
    name: 'the error does not name the file',
    brokenRule: 'has a damaged header',
    file: 'src/stores/sqlite-store.ts',
    find: 'the database ${path} cannot be opened',
    replace: 'the database cannot be opened',
  },
  {
    name: 'a full disk counts as an error of the query',
    brokenRule: 'full disk',
    file: 'src/stores/sqlite-store.ts',
    find: 'LOCKED|FULL|IOERR',
    replace: 'LOCKED|IOERR',
  },
];

for (const { name, brokenRule, ...defect } of defects)
  test(`a defect is found: ${name}`, async (t) => {
    const check = async (one: SourceDefect): Promise<void> => {
      const { createSqliteStore: open } = await importWithDefect<{ createSqliteStore: OpenStore }>(
        t,
        'src/sqlite.ts',
        one,
      );
      const damaged = damagedFiles.find(({ title }) => title === brokenRule);
      await (damaged === undefined
        ? checkFullDisk(open, await newFile(t))
        : checkRefusal(open, await newFile(t), damaged));
    };
    await check({ ...defect, replace: defect.find }); // without the defect
    await assert.rejects(check(defect), assert.AssertionError);
  });

import assert from 'node:assert/strict';
import { mkdir, open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { createSqliteStore } from '../../src/sqlite.ts';
import { openSqliteFile } from '../../src/stores/sqlite-file.ts';
import { makeCheckoutRecord } from '../support/make-checkout-records.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// A store is not opened on a damaged file, and the error message has one line. After a full disk, writes succeed again.

const newFile = (t: TestContext): string => join(temporaryFolder(t), 'shop.db');

/** Creates a database with a few pages of data in one file. */
async function createDatabase(file: string): Promise<void> {
  const store = await createSqliteStore({ file });
  for (let count = 0; count < 50; count += 1) await store.insert(makeCheckoutRecord(`c${count}`));
  await sql`pragma wal_checkpoint(truncate)`.execute(store.db);
  await store.close();
}

/** Creates a database, and overwrites its bytes from `from` to `to`. */
async function createDamagedDatabase(file: string, from: number, to: number): Promise<void> {
  await createDatabase(file);
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(to - from, 0xa5), 0, to - from, from);
  await handle.close();
}

/** Creates a database, and cuts its file to a size in bytes, or to half of its pages. */
async function createCutDatabase(file: string, size?: number): Promise<void> {
  await createDatabase(file);
  await truncate(file, size ?? Math.floor((await stat(file)).size / 8192) * 4096);
}

/** The bytes of a file, or undefined for a folder. */
async function bytesOf(file: string): Promise<Buffer | undefined> {
  return (await stat(file)).isFile() ? readFile(file) : undefined;
}

interface DamagedFile {
  readonly title: string;
  readonly prepare: (file: string) => Promise<unknown>;
  readonly advice: RegExp;
}

const damagedFiles: readonly DamagedFile[] = [
  {
    title: 'is not a database',
    prepare: (file) => writeFile(file, 'not a database, but a text that is long enough'.repeat(100)),
    advice: /: restore the file from a backup/,
  },
  {
    title: 'has a damaged header',
    prepare: (file) => createDamagedDatabase(file, 0, 100),
    advice: /: restore the file from a backup/,
  },
  {
    title: 'has a damaged list of tables',
    prepare: (file) => createDamagedDatabase(file, 100, 4096),
    advice: /: restore the file from a backup/,
  },
  {
    title: 'is cut in the middle of its pages',
    prepare: (file) => createCutDatabase(file),
    advice: /: restore the file from a backup/,
  },
  {
    title: 'is cut in the middle of a page',
    prepare: (file) => createCutDatabase(file, 6000),
    advice: /: restore the file from a backup/,
  },
  {
    title: 'has only its header',
    prepare: (file) => createCutDatabase(file, 100),
    advice: /: restore the file from a backup/,
  },
  { title: 'is a folder', prepare: (file) => mkdir(file), advice: /: it is not a regular file: name another file$/ },
];

for (const { title, prepare, advice } of damagedFiles)
  test(`a file that ${title} is refused in one line that names it and says what to do, and is kept`, async (t) => {
    const file = newFile(t);
    await prepare(file);
    const bytesBefore = await bytesOf(file);
    const namesBefore = await readdir(dirname(file));
    const error = await createSqliteStore({ file }).then(
      async (store) => {
        await store.close();
        return assert.fail('the file was opened');
      },
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof Error && error.name === 'DatabaseOpenError', String(error));
    assert.ok(error.message.includes(file) && !error.message.includes('\n'), error.message);
    assert.match(error.message, advice);
    assert.deepEqual(await bytesOf(file), bytesBefore);
    // The log files are not compared: the log of the store that wrote the file may disappear at any time.
    const isLog = (name: string): boolean => /-(wal|shm)$/.test(name);
    const withoutLog = (names: readonly string[]): readonly string[] => names.filter((name) => !isLog(name));
    assert.deepEqual(withoutLog(await readdir(dirname(file))), withoutLog(namesBefore));
  });

/** Runs a statement on the file, as another program does. */
function runInOtherProgram(file: string, statement: string): void {
  const database = openSqliteFile(file);
  database.exec(statement);
  database.close();
}

test('a file with tables of the shop keeps them, and gets the tables of the store in addition', async (t) => {
  const file = newFile(t);
  runInOtherProgram(file, "create table products (name text); insert into products values ('mug')");
  const store = await createSqliteStore({ file });
  await store.insert(makeCheckoutRecord('first'));
  await store.close();
  const database = openSqliteFile(file);
  t.after(() => database.close());
  assert.deepEqual(database.prepare('select name from products').all([]), [{ name: 'mug' }]);
  assert.deepEqual(database.prepare('select count(*) as count from pay_invoice_checkouts').all([]), [{ count: 1 }]);
});

test('an empty file becomes a database with the tables of the store', async (t) => {
  const file = newFile(t);
  await writeFile(file, '');
  const store = await createSqliteStore({ file });
  t.after(() => store.close());
  await store.insert(makeCheckoutRecord('first'));
  assert.deepEqual(await store.load('first'), makeCheckoutRecord('first'));
});

test('a full disk makes writes fail as unavailable, while reads succeed; writes succeed again once there is room', async (t) => {
  const store = await createSqliteStore({ file: newFile(t) });
  t.after(() => store.close());
  await store.insert(makeCheckoutRecord('before'));
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db);
  await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 1)}`.execute(store.db);
  const fillDisk = async (): Promise<void> => {
    for (let count = 0; count < 100; count += 1) await store.insert(makeCheckoutRecord(`c${count}`));
  };
  await assert.rejects(fillDisk(), { name: 'StoreUnavailableError', reason: 'SQLITE_FULL' });
  assert.deepEqual(await store.load('before'), makeCheckoutRecord('before'));
  await sql`pragma max_page_count = 1000000`.execute(store.db);
  await store.insert(makeCheckoutRecord('after'));
  assert.deepEqual(await store.load('after'), makeCheckoutRecord('after'));
});

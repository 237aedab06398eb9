import assert from 'node:assert/strict';
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import Libsql from 'libsql';
import { createSqliteStore, DatabaseOpenError } from '../../src/sqlite.ts';
import { StoreUnavailableError } from '../../src/server.ts';
import { makeCheckoutRecord } from '../../src/testing/checkout-records.ts';

// Files that cannot be used stop the start with one line; a disk that fills up while the store is used passes.

async function newFile(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'damaged-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'shop.db');
}

/** A database with a few pages of data in one file. */
async function fill(file: string): Promise<void> {
  const store = await createSqliteStore({ file });
  for (let count = 0; count < 50; count += 1) await store.insert(makeCheckoutRecord(`c${count}`));
  await sql`pragma wal_checkpoint(truncate)`.execute(store.db);
  await store.close();
}

/** A database whose bytes from `from` to `to` are overwritten. */
async function damage(file: string, from: number, to: number): Promise<void> {
  await fill(file);
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(to - from, 0xa5), 0, to - from, from);
  await handle.close();
}

/** A database whose file is cut to a size in bytes, or to half of its pages. */
async function cut(file: string, size?: number): Promise<void> {
  await fill(file);
  await truncate(file, size ?? Math.floor((await stat(file)).size / 8192) * 4096);
}

function otherProgram(file: string, statement: string): Promise<void> {
  const database = new Libsql(file);
  database.exec(statement);
  database.close();
  return Promise.resolve();
}

/** The bytes of a file, or undefined for a folder. */
async function bytesOf(file: string): Promise<Buffer | undefined> {
  return (await stat(file)).isFile() ? readFile(file) : undefined;
}

for (const [title, prepare, advice] of [
  [
    'is not a database',
    (file) => writeFile(file, 'not a database, but a text that is long enough'.repeat(100)),
    /: restore the file from a backup/,
  ],
  ['has a damaged header', (file) => damage(file, 0, 100), /: restore the file from a backup/],
  ['has a damaged list of tables', (file) => damage(file, 100, 4096), /: restore the file from a backup/],
  ['is cut in the middle of its pages', (file) => cut(file), /: it was cut short: restore the file from a backup/],
  ['is cut in the middle of a page', (file) => cut(file, 6000), /: restore the file from a backup/],
  ['has only its header', (file) => cut(file, 100), /: restore the file from a backup/],
  ['is a folder', (file) => mkdir(file), /: it is not a regular file: name another file$/],
] as const satisfies readonly (readonly [string, (file: string) => Promise<void>, RegExp])[])
  test(`a file that ${title} is refused in one line that names it and says what to do, and is kept`, async (t) => {
    const file = await newFile(t);
    await prepare(file);
    const before = await bytesOf(file);
    const files = await readdir(dirname(file));
    const error = await createSqliteStore({ file }).then(
      () => assert.fail('it was opened'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof DatabaseOpenError, String(error));
    assert.ok(error.message.includes(file) && !error.message.includes('\n'), error.message);
    assert.match(error.message, advice);
    assert.deepEqual(await bytesOf(file), before);
    assert.deepEqual(await readdir(dirname(file)), files);
  });

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

test('an empty file is a new database', async (t) => {
  const file = await newFile(t);
  await writeFile(file, '');
  const store = await createSqliteStore({ file });
  t.after(() => store.close());
  await store.insert(makeCheckoutRecord('first'));
  assert.deepEqual(await store.load('first'), makeCheckoutRecord('first'));
});

test('a full disk makes writes fail as unavailable, reads go on, and writes succeed once there is room', async (t) => {
  const store = await createSqliteStore({ file: await newFile(t) });
  t.after(() => store.close());
  await store.insert(makeCheckoutRecord('before'));
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db);
  await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 1)}`.execute(store.db);
  const fillDisk = async (): Promise<void> => {
    for (let count = 0; count < 100; count += 1) await store.insert(makeCheckoutRecord(`c${count}`));
  };
  await assert.rejects(fillDisk(), (error) => error instanceof StoreUnavailableError && error.reason === 'SQLITE_FULL');
  assert.deepEqual(await store.load('before'), makeCheckoutRecord('before'));
  await sql`pragma max_page_count = 1000000`.execute(store.db);
  await store.insert(makeCheckoutRecord('after'));
  assert.deepEqual(await store.load('after'), makeCheckoutRecord('after'));
});

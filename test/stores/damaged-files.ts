import assert from 'node:assert/strict';
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { sql } from 'kysely';
import { createSqliteStore } from '../../src/sqlite.ts';
import { makeCheckoutRecord } from '../../src/tools/testing/checkout-records.ts';

// The damaged files and the checks of damaged-file.test.ts. The checks also run on stores with a defect, and must fail there.

/** Opens a store. The function of a defective store comes from a separate module, with separate error classes. */
export type OpenStore = typeof createSqliteStore;

export async function newFile(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'damaged-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'shop.db');
}

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

export const damagedFiles: readonly DamagedFile[] = [
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
    advice: /: it was cut short: restore the file from a backup/,
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

/**
 * Expects a refusal of the file, in one line that names it and says what to do. The file must be kept. @throws AssertionError
 */
export async function expectRefusal(
  openStore: OpenStore,
  file: string,
  { prepare, advice }: DamagedFile,
): Promise<void> {
  await prepare(file);
  const bytesBefore = await bytesOf(file);
  const namesBefore = await readdir(dirname(file));
  const error = await openStore({ file }).then(
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
}

/**
 * Expects that writes on a full disk fail as unavailable while reads succeed, and that writes succeed again once there is room.
 * @throws AssertionError
 */
export async function expectWritesToRecover(openStore: OpenStore, file: string): Promise<void> {
  const store = await openStore({ file });
  try {
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
  } finally {
    await store.close();
  }
}

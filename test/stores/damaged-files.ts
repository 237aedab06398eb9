import assert from 'node:assert/strict';
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { sql } from 'kysely';
import { createSqliteStore } from '../../src/sqlite.ts';
import { makeCheckoutRecord } from '../../src/testing/checkout-records.ts';

// Files that cannot be used, and what a store has to do with each: the rules of damaged-file.test.ts, also for a store with a
// defect.

/** What opens a store; one with a defect is a module of its own, whose error classes are others. */
export type OpenStore = typeof createSqliteStore;

export async function newFile(t: TestContext): Promise<string> {
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
    prepare: (file) => damage(file, 0, 100),
    advice: /: restore the file from a backup/,
  },
  {
    title: 'has a damaged list of tables',
    prepare: (file) => damage(file, 100, 4096),
    advice: /: restore the file from a backup/,
  },
  {
    title: 'is cut in the middle of its pages',
    prepare: (file) => cut(file),
    advice: /: it was cut short: restore the file from a backup/,
  },
  {
    title: 'is cut in the middle of a page',
    prepare: (file) => cut(file, 6000),
    advice: /: restore the file from a backup/,
  },
  { title: 'has only its header', prepare: (file) => cut(file, 100), advice: /: restore the file from a backup/ },
  { title: 'is a folder', prepare: (file) => mkdir(file), advice: /: it is not a regular file: name another file$/ },
];

/** The file is refused in one line that names it and says what to do, and is kept. @throws AssertionError */
export async function checkRefusal(
  openStore: OpenStore,
  file: string,
  { prepare, advice }: DamagedFile,
): Promise<void> {
  await prepare(file);
  const before = await bytesOf(file);
  const files = await readdir(dirname(file));
  const error = await openStore({ file }).then(
    async (store) => {
      await store.close();
      return assert.fail('it was opened');
    },
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Error && error.name === 'DatabaseOpenError', String(error));
  assert.ok(error.message.includes(file) && !error.message.includes('\n'), error.message);
  assert.match(error.message, advice);
  assert.deepEqual(await bytesOf(file), before);
  // The log of the store that wrote the file may disappear meanwhile, when its connection is collected.
  const isOfWriter = (name: string): boolean => /-(wal|shm)$/.test(name);
  const others = (names: readonly string[]): readonly string[] => names.filter((name) => !isOfWriter(name));
  assert.deepEqual(others(await readdir(dirname(file))), others(files));
}

/** Writes on a full disk fail as unavailable, reads go on, and writes succeed once there is room. @throws AssertionError */
export async function checkFullDisk(openStore: OpenStore, file: string): Promise<void> {
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

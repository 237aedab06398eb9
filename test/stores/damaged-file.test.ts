import assert from 'node:assert/strict';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { createSqliteStore, DatabaseOpenError } from '../../src/sqlite.ts';
import { StoreUnavailableError } from '../../src/server.ts';
import { aCheckout } from '../support/checkout-records.ts';

// Files that cannot be used stop the start with one line; a disk that fills up while the store is used passes.

async function newFile(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'damaged-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'shop.db');
}

/** A database with a few pages of data, whose bytes from `from` to `to` are then overwritten. */
async function damage(file: string, from: number, to: number): Promise<void> {
  const store = await createSqliteStore({ file });
  for (let count = 0; count < 50; count += 1) await store.insert(aCheckout(`c${count}`));
  await sql`pragma wal_checkpoint(truncate)`.execute(store.db);
  await store.close();
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(to - from, 0xa5), 0, to - from, from);
  await handle.close();
}

for (const [title, prepare] of [
  ['is not a database', (file) => writeFile(file, 'not a database, but a text that is long enough'.repeat(100))],
  ['has a damaged header', (file) => damage(file, 0, 100)],
  ['has a damaged list of tables', (file) => damage(file, 100, 4096)],
] as const satisfies readonly (readonly [string, (file: string) => Promise<void>])[])
  test(`a file that ${title} is refused in one line that names it`, async (t) => {
    const file = await newFile(t);
    await prepare(file);
    const error = await createSqliteStore({ file }).then(
      () => assert.fail('it was opened'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof DatabaseOpenError, String(error));
    assert.ok(error.message.includes(file) && !error.message.includes('\n'), error.message);
  });

test('a full disk makes writes fail as unavailable, reads go on, and writes succeed once there is room', async (t) => {
  const store = await createSqliteStore({ file: await newFile(t) });
  t.after(() => store.close());
  await store.insert(aCheckout('before'));
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db);
  await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 1)}`.execute(store.db);
  const fill = async (): Promise<void> => {
    for (let count = 0; count < 100; count += 1) await store.insert(aCheckout(`c${count}`));
  };
  await assert.rejects(fill(), (error) => error instanceof StoreUnavailableError && error.reason === 'SQLITE_FULL');
  assert.deepEqual(await store.load('before'), aCheckout('before'));
  await sql`pragma max_page_count = 1000000`.execute(store.db);
  await store.insert(aCheckout('after'));
  assert.deepEqual(await store.load('after'), aCheckout('after'));
});

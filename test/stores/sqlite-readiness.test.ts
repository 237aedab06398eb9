import assert from 'node:assert/strict';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { createSqliteStore } from '../../src/sqlite.ts';
import { makeCheckoutRecord } from '../support/make-checkout-records.ts';
import { runInOtherProcess } from '../support/other-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// A SQLite store is ready when it can store: files that were deleted, replaced or damaged while the store is open, or before.

async function openStore(t: TestContext) {
  const file = join(temporaryFolder(t), 'shop.db');
  const store = await createSqliteStore({ file });
  t.after(() => store.close());
  for (let count = 0; count < 20; count += 1) await store.insert(makeCheckoutRecord(`c${count}`));
  await store.check();
  return { file, store };
}

const copy = (file: string, from: string, to: string): void =>
  runInOtherProcess(`fs.copyFileSync(file + '${from}', file + '${to}')`, file);

/** Overwrites bytes of a file. The place and the length are expressions over its `size`. */
const overwrite = (file: string, from: string, length: string): void =>
  runInOtherProcess(
    `const { size } = fs.statSync(file);
     fs.writeSync(fs.openSync(file, 'r+'), Buffer.alloc(${length}, 0xa5), 0, ${length}, ${from});`,
    file,
  );

const unavailable = { name: 'StoreUnavailableError' };

for (const [title, damage, repair] of [
  [
    'is deleted',
    (file: string) => renameSync(file, `${file}.moved`),
    (file: string) => renameSync(`${file}.moved`, file),
  ],
  [
    'is replaced by a copy',
    (file: string) => {
      renameSync(file, `${file}.moved`);
      copy(file, '.moved', '');
    },
    (file: string) => renameSync(`${file}.moved`, file),
  ],
] as const)
  test(`a store whose file ${title} is not ready, stores nothing, and is ready once the file is back`, async (t) => {
    const { file, store } = await openStore(t);
    damage(file);
    await assert.rejects(store.check(), unavailable);
    await delay(600);
    await assert.rejects(store.insert(makeCheckoutRecord('lost')), unavailable);
    await assert.rejects(store.load('c1'), unavailable);
    repair(file);
    await store.check();
    assert.equal(await store.insert(makeCheckoutRecord('kept')), true);
    assert.equal((await store.load('kept'))?.id, 'kept');
  });

for (const [title, damage] of [
  ['the index of the log', (file: string) => overwrite(`${file}-shm`, '136', '32_000')],
  ['the log', (file: string) => overwrite(`${file}-wal`, '0', 'size')],
  ['the end of the log', (file: string) => runInOtherProcess(`fs.truncateSync(file + '-wal', 0)`, file)],
] as const)
  test(`after damage to ${title} the store is not ready, and reads fail as unavailable`, async (t) => {
    const { file, store } = await openStore(t);
    damage(file);
    await assert.rejects(store.check(), unavailable);
    await assert.rejects(store.load('c1'), unavailable);
  });

test('a store that cannot write is not ready until it can', async (t) => {
  const { store } = await openStore(t);
  await sql`pragma query_only = on`.execute(store.db);
  await assert.rejects(store.check(), unavailable);
  await sql`pragma query_only = off`.execute(store.db);
  await store.check();
});

for (const [title, damage] of [
  [
    'an old copy beside a newer log',
    async (file: string) => {
      const store = await createSqliteStore({ file });
      await store.insert(makeCheckoutRecord('old'));
      await store.close();
      copy(file, '', '.old');
      const newer = await createSqliteStore({ file });
      for (let count = 0; count < 400; count += 1) await newer.insert(makeCheckoutRecord(`c${count}`));
      copy(file, '-wal', '.wal');
      await newer.close();
      renameSync(`${file}.old`, file);
      renameSync(`${file}.wal`, `${file}-wal`);
      rmSync(`${file}-shm`, { force: true });
    },
  ],
  [
    'damaged pages in its middle',
    async (file: string) => {
      const store = await createSqliteStore({ file });
      for (let count = 0; count < 200; count += 1) await store.insert(makeCheckoutRecord(`c${count}`));
      await store.close();
      overwrite(file, 'Math.floor(size / 8192) * 4096', '3 * 4096');
    },
  ],
] as const)
  test(`a file with ${title} is refused when the store is opened`, async (t) => {
    const file = join(temporaryFolder(t), 'shop.db');
    await damage(file);
    await assert.rejects(
      createSqliteStore({ file }).then((store) => store.close()),
      { name: 'DatabaseOpenError', message: /restore the file from a backup/ },
    );
  });

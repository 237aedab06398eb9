import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { createSqliteStore } from '../../src/sqlite.ts';
import { checkDatabase } from '../../src/standalone/doctor/run-doctor.ts';
import type { SqlStore } from '../../src/stores/sql-store.ts';
import { makeCheckoutRecord } from '../support/make-checkout-records.ts';
import { runInOtherProcess } from '../support/other-process.ts';
import { programArguments } from '../support/program-arguments.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Other programs use the database file while a store is open. What the store has answered is not lost, also when the process ends
// as by `kill -9`. Programs at random, with kills, are in other-programs.slow.test.ts.

interface OpenStore {
  readonly file: string;
  readonly store: SqlStore;
}

/** Opens a store with 20 checkouts. */
async function openStore(t: TestContext): Promise<OpenStore> {
  const opened = await openStoreToClose(t);
  t.after(() => opened.store.close());
  return opened;
}

/** Opens the same store, which the test closes. */
async function openStoreToClose(t: TestContext): Promise<OpenStore> {
  const file = join(temporaryFolder(t), 'checkouts.db');
  const store = await createSqliteStore({ file });
  for (let count = 0; count < 20; count += 1) await store.insert(makeCheckoutRecord(`c${count}`));
  return { file, store };
}

/** The identifiers that a store has. */
async function idsIn(store: SqlStore): Promise<readonly string[]> {
  const rows = await store.db.selectFrom('checkouts').select('id').execute();
  return rows.map(({ id }) => id).sort();
}

/** What the next start finds after the end of the process: the files as they are now, without what only this process knows. */
async function idsAfterKill(t: TestContext, file: string): Promise<readonly string[]> {
  const copy = temporaryFolder(t);
  runInOtherProcess(
    `fs.cpSync(require('node:path').dirname(file), ${JSON.stringify(copy)}, { recursive: true })`,
    file,
  );
  const store = await createSqliteStore({ file: join(copy, 'checkouts.db') });
  const ids = await idsIn(store);
  await store.close();
  return ids;
}

const first = makeCheckoutRecord('first');

for (const [title, act] of [
  ['reads', (file: string) => runInOtherProcess(`open(file).prepare('select * from sqlite_master').all()`, file)],
  ['writes', (file: string) => runInOtherProcess(`open(file).exec('create table notes (text text)')`, file)],
  ['makes a backup', (file: string) => runInOtherProcess(`open(file).exec("vacuum into '" + file + ".copy'")`, file)],
  [
    'makes a checkpoint',
    (file: string) => runInOtherProcess(`open(file).exec('pragma wal_checkpoint(truncate)')`, file),
  ],
  ['rewrites the file', (file: string) => runInOtherProcess(`open(file).exec('vacuum')`, file)],
  ['copies the files', (file: string) => runInOtherProcess(`fs.copyFileSync(file, file + '.copy')`, file)],
  ['is a second store of this process', async (file: string) => (await createSqliteStore({ file })).close()],
  [
    'is a second store of this process with other tables',
    async (file: string) => (await createSqliteStore({ file, tablePrefix: 'other_' })).close(),
  ],
  [
    'is the doctor in this process',
    async (file: string) =>
      assert.equal(
        (
          await checkDatabase({
            databaseUrl: undefined,
            dataDir: dirname(file),
            tables: { schema: undefined, tablePrefix: undefined },
          })
        ).level,
        'ok',
      ),
  ],
] as const)
  test(`nothing that the store has stored is lost when another program that ${title} comes between`, async (t) => {
    const { file, store } = await openStore(t);
    await act(file);
    runInOtherProcess(`open(file).prepare('select * from sqlite_master').all()`, file);
    assert.equal(await store.insert(first), true);
    const ids = await idsIn(store);
    assert.ok(ids.includes('first'));
    assert.deepEqual(await idsAfterKill(t, file), ids);
    await store.check();
  });

const unavailable = (reason: string) => ({ name: 'StoreUnavailableError', reason });

for (const [title, code, reason] of [
  ['the log is deleted', `fs.rmSync(file + '-wal')`, 'log_deleted'],
  [
    'the log is replaced by a copy',
    `fs.copyFileSync(file + '-wal', file + '.new'); fs.renameSync(file + '.new', file + '-wal')`,
    'log_replaced',
  ],
  ['the index of the log is deleted', `fs.rmSync(file + '-shm')`, 'log_deleted'],
] as const)
  test(`once ${title} the store refuses the next write, and is not ready`, async (t) => {
    const { file, store } = await openStore(t);
    runInOtherProcess(code, file);
    await assert.rejects(store.insert(first), unavailable(reason));
    await assert.rejects(store.check(), unavailable(reason));
    await assert.rejects(store.load('c1'), unavailable(reason));
  });

test('everything that was stored is there after an orderly restart of a store whose log was deleted', async (t) => {
  const file = join(temporaryFolder(t), 'checkouts.db');
  const args = [...programArguments('test/stores/process-that-loses-its-log.ts'), file];
  assert.equal(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 }), 'log_deleted');
  const store = await createSqliteStore({ file });
  t.after(() => store.close());
  assert.equal((await idsIn(store)).length, 20);
});

/** Deletes the log of a store, and writes the file without it. */
const writeWithoutLog = `
  for (const suffix of ['-wal', '-shm']) fs.rmSync(file + suffix);
  const database = open(file);
  database.exec('create table notes (text text)');`;

for (const [title, code, reason] of [
  ['has written the file', `${writeWithoutLog} database.close();`, 'log_deleted'],
  ['was killed with a log of its own', `${writeWithoutLog} process.kill(process.pid, 'SIGKILL');`, 'log_replaced'],
] as const)
  test(`closing a store that has lost its log leaves the files as another program left them that ${title}`, async (t) => {
    const { file, store } = await openStoreToClose(t);
    runInOtherProcess(`open(file).exec('pragma wal_checkpoint(truncate)')`, file);
    if (reason === 'log_deleted') readFileSync(file); // which ends the locks of this process: the other is the last to use the file
    for (let count = 20; count < 60; count += 1) await store.insert(makeCheckoutRecord(`c${count}`));
    if (reason === 'log_deleted') runInOtherProcess(code, file);
    else assert.throws(() => runInOtherProcess(code, file), { signal: 'SIGKILL' });
    await assert.rejects(store.insert(first), unavailable(reason));
    await store.close();
    const next = await createSqliteStore({ file });
    t.after(() => next.close());
    await sql`insert into notes values ('noted')`.execute(next.db);
    assert.equal((await idsIn(next)).length, 20);
  });

test('a log that is put back is not used again, because another program may have used the file without it', async (t) => {
  const { file, store } = await openStore(t);
  runInOtherProcess(`fs.renameSync(file + '-wal', file + '.moved')`, file);
  await assert.rejects(store.insert(first), unavailable('log_deleted'));
  runInOtherProcess(`fs.renameSync(file + '.moved', file + '-wal')`, file);
  await assert.rejects(store.insert(first), unavailable('log_deleted'));
});

test('a commit into a log that is deleted during its transaction is not taken for stored', async (t) => {
  const { file, store } = await openStore(t);
  const write = store.db.transaction().execute(async (transaction) => {
    await store.insert(first, transaction);
    runInOtherProcess(`fs.rmSync(file + '-wal')`, file);
  });
  await assert.rejects(write, unavailable('log_deleted'));
});

import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { openDatabase, type Database } from '../../../server-example/store/database.ts';
import { checkoutMigrations } from '../../../server-example/store/migrations.ts';
import { createSqlStore } from '../../../server-example/store/sql-store.ts';
import { attemptRecord, checkoutRecord } from './records.ts';

const root = await mkdtemp(join(tmpdir(), 'store-'));
const open: Database[] = [];
after(async () => {
  for (const database of open) await database.close();
  await rm(root, { recursive: true });
});

async function openStore(dataDir: string) {
  const database = await openDatabase({ dataDir }, checkoutMigrations);
  open.push(database);
  return createSqlStore(database);
}

/** Starts a process that writes to the same file; `lines` are the checkouts that it has committed. */
function startWriter(
  dataDir: string,
  name: string,
  count?: number,
): { child: ChildProcess; lines: AsyncIterable<string> } {
  const script = new URL('./writer.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--import', 'tsx', script, dataDir, name, ...(count ? [String(count)] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, lines: createInterface({ input: child.stdout }) };
}

test('loses nothing that was committed when its process is killed', async () => {
  const dataDir = join(root, 'killed');
  const { child, lines } = startWriter(dataDir, 'a');
  const committed: string[] = [];
  for await (const line of lines) {
    committed.push(line);
    if (committed.length === 200) child.kill('SIGKILL');
  }
  assert.ok(committed.length >= 200);
  const store = await openStore(dataDir);
  for (const id of committed)
    assert.deepEqual(await store.load(id), checkoutRecord(id, { version: 2, attempts: [attemptRecord(`e-${id}`)] }));
});

test('serves several processes on one file at once', async () => {
  const dataDir = join(root, 'shared');
  const store = await openStore(dataDir);
  const heard = new Set<string>();
  const unsubscribe = store.subscribe((id) => heard.add(id));
  const writers = ['a', 'b'].map((name) => startWriter(dataDir, name, 100));
  const ended = Promise.all(writers.map(async ({ child }) => once(child, 'exit')));
  for (let number = 0; number < 100; number += 1) {
    await store.insert(checkoutRecord(`c-${number}`));
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const [code] of await ended) assert.equal(code, 0);
  for (const name of ['a', 'b', 'c'])
    for (let number = 0; number < 100; number += 1) assert.ok(await store.load(`${name}-${number}`));
  const deadline = Date.now() + 5000;
  while (heard.size < 300 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(heard.has('a-99') && heard.has('b-99'), 'hears of what other processes saved');
  unsubscribe();
});

test('hands an attempt to one of two processes only', async () => {
  const dataDir = join(root, 'leases');
  const stores = [await openStore(dataDir), await openStore(dataDir)];
  const attempts = Array.from({ length: 50 }, (_, number) => attemptRecord(`e-${number}`, { due_at: number }));
  await stores[0]?.insert(checkoutRecord('many', { attempts }));
  const taken = await Promise.all([...stores, ...stores].map(async (store) => store.takeDue(100, 9000, 20)));
  const ids = taken.flat().map(({ external_id }) => external_id);
  assert.equal(ids.length, 50);
  assert.equal(new Set(ids).size, 50);
});

test('says in one line why a file cannot be opened', async () => {
  const dataDir = join(root, 'not-a-database');
  await openStore(dataDir).then(async () => open.pop()?.close());
  await rm(join(dataDir, 'shop.db-wal'), { force: true });
  await writeFile(join(dataDir, 'shop.db'), 'this is a text, and a longer one than a header of a database file is');
  const isClear = { name: 'DatabaseRefused', message: /^the database .*shop\.db cannot be opened: [^\n]+$/ };
  await assert.rejects(openDatabase({ dataDir }, checkoutMigrations), isClear);
  await assert.rejects(openDatabase({ dataDir: join(dataDir, 'shop.db') }, checkoutMigrations), isClear);
});

test('keeps what it has when it is opened again', async () => {
  const dataDir = join(root, 'reopened');
  const first = await openDatabase({ dataDir }, checkoutMigrations);
  await createSqlStore(first).insert(checkoutRecord('kept'));
  await first.close();
  assert.deepEqual(await (await openStore(dataDir)).load('kept'), checkoutRecord('kept'));
});

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { checkDatabase } from '../../src/standalone/doctor/run-doctor.ts';
import { createPostgresStore } from '../../src/postgres.ts';
import { makeCheckoutRecord } from '../support/make-checkout-records.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/wait-until.ts';
import { startPostgres } from '../../scripts/with-postgres.ts';

// Stores behind PgBouncer with its default settings. Debian: apt-get install pgbouncer.

const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0;
const skip = !isInstalled && process.env['CI'] !== 'true' && 'PgBouncer is not installed';

/** Starts PgBouncer before a new server. Resolves with the URL of its database. */
async function startPooler(t: TestContext, mode: 'session' | 'transaction', port: number): Promise<string> {
  const postgres = await startPostgres();
  assert.ok(postgres !== undefined, 'PostgreSQL is not installed');
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o755);
  const url = new URL(postgres.url);
  writeFileSync(join(folder, 'users.txt'), '"test" ""\n');
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
postgres = host=${url.hostname} port=${url.port} user=test
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${folder}/users.txt
pool_mode = ${mode}
`,
  );
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const pooler = spawn('pgbouncer', [...user, join(folder, 'pgbouncer.ini')], { stdio: 'pipe' });
  t.after(async () => {
    pooler.kill('SIGKILL');
    await postgres.stop();
  });
  let output = '';
  pooler.stderr.on('data', (chunk) => (output += String(chunk)));
  await until('PgBouncer is ready', () => output.includes('process up'), 10_000);
  return `postgres://test@127.0.0.1:${port}/postgres`;
}

test('a store works behind PgBouncer in session mode, and its notifications arrive', { skip }, async (t) => {
  const url = await startPooler(t, 'session', 16_432);
  const [first, second] = [await createPostgresStore({ url }), await createPostgresStore({ url })];
  t.after(() => Promise.all([first.close(), second.close()]));
  const savedIds: string[] = [];
  let listenCount = 0;
  t.after(
    first.subscribe(
      (id) => void savedIds.push(id),
      () => (listenCount += 1),
    ),
  );
  await until('the store listens', () => listenCount === 1, 10_000);
  await second.insert(makeCheckoutRecord('c'));
  await second.save(makeCheckoutRecord('c', { version: 2 }), []);
  await until('the notification arrives', () => savedIds.includes('c'), 10_000);
  assert.equal(
    (await checkDatabase({ databaseUrl: url, dataDir: '', tables: { schema: undefined, tablePrefix: undefined } }))
      .level,
    'ok',
  );
});

test('a store and the doctor refuse PgBouncer in transaction mode with one line', { skip }, async (t) => {
  const url = await startPooler(t, 'transaction', 16_433);
  await assert.rejects(createPostgresStore({ url }), {
    name: 'DatabaseOpenError',
    message: /behind a pooler in transaction mode: connect directly, or use session mode$/,
  });
  const { level, text } = await checkDatabase({
    databaseUrl: url,
    dataDir: '',
    tables: { schema: undefined, tablePrefix: undefined },
  });
  assert.equal(level, 'fail');
  assert.match(text, /pooler in transaction mode/);
});

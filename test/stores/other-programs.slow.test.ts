import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { compileTests } from '../../scripts/test-node/compile-tests.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { startSandbox } from '../support/standalone-server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/wait-until.ts';

// Two servers on one SQLite file take orders and are killed with -9 at random, while other programs read, back up, check, compact
// and copy the file, and run the doctor and the migration. Nothing that a server has answered is lost. CAMPAIGN_SEED repeats the
// random choices of a run, but not its timing; CAMPAIGN_SECONDS is its length. On a slow machine it goes on until enough has happened.

const seconds = Number(process.env['CAMPAIGN_SECONDS'] ?? 40);
/** For how long a slow machine may go on, in milliseconds. */
const maxExtraMs = 300_000;
const isInstalled = spawnSync('sqlite3', ['--version']).error === undefined;
if (!isInstalled) console.error('NO SQLITE3: other programs are not tested. On Debian: apt-get install sqlite3');
const skip = !isInstalled && process.env['CI'] !== 'true' && 'sqlite3 is not installed';
const run = promisify(execFile);
const adminToken = 'token-of-the-admin-api-in-tests';
const created = z.object({ id: z.string() });

test(
  'nothing that a server has answered is lost, whatever other programs do with its SQLite file',
  { skip },
  async (t) => {
    const folder = temporaryFolder(t);
    const file = join(folder, 'checkouts.db');
    const widgetFolder = join(folder, 'widget');
    mkdirSync(widgetFolder);
    writeFileSync(join(widgetFolder, 'pay-invoice.js'), '');
    const compiled = resolve('.tmp', `other-programs-${process.pid}`);
    const [program = ''] = await compileTests(['test/stores/server-program.ts'], compiled);
    t.after(() => run('rm', ['-r', compiled]));
    const env = {
      PATH: process.env['PATH'],
      PORT: '0',
      DATA_DIR: folder,
      ADMIN_TOKEN: adminToken,
      LOG_LEVEL: 'error',
      INVOICE_BASE_URL: await startSandbox(t),
      INVOICE_ACCESS_TOKEN: 'server-processes-token',
      INVOICE_MODE: 'TEST',
      WIDGET_FOLDER: widgetFolder,
    };
    const seed = Number(process.env['CAMPAIGN_SEED'] ?? Date.now() % 1e6);
    console.log({ seed });
    const random = new SeededRandom(seed);
    let isOver = false;
    let kills = 0;

    const servers: { child: ChildProcess; url: string | undefined }[] = [];
    const startServer = async (index: number): Promise<void> => {
      const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      servers[index] = { child, url: undefined };
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
      const findUrl = (): string | undefined => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      await until('a server listens', () => findUrl() !== undefined || child.exitCode !== null, 60_000);
      servers[index] = { child, url: findUrl() };
    };
    const kill = async (child: ChildProcess): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
    t.after(() => Promise.all(servers.map(({ child }) => kill(child))));

    /** What has been answered: the identifiers of checkouts. */
    const answered: string[] = [];
    const refusals = new Map<number, number>();
    const order = async (payer: number): Promise<void> => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` };
      for (let count = 0; !isOver; count += 1) {
        const url = servers[count % servers.length]?.url;
        const body = JSON.stringify({ order_id: `order-${payer}-${count}`, amount: '10.00', currency: 'RUB' });
        const response = await fetch(`${url ?? 'http://127.0.0.1:9'}/admin/checkouts`, { method: 'POST', headers, body }).catch(() => undefined); // prettier-ignore
        if (response?.ok === true) answered.push(created.parse(await response.json()).id);
        else if (response === undefined) await delay(20);
        else refusals.set(response.status, (refusals.get(response.status) ?? 0) + 1);
      }
    };

    const readIds = async (path: string): Promise<ReadonlySet<string>> => {
      const options = { maxBuffer: 100 * 1024 * 1024 };
      const { stdout } = await run('sqlite3', [path, 'select id from pay_invoice_checkouts'], options);
      return new Set(stdout.split('\n'));
    };
    const missingIn = (ids: ReadonlySet<string>, expected: readonly string[]): readonly string[] =>
      expected.filter((id) => !ids.has(id));

    let copies = 0;
    /** A backup has everything that was answered before it began. */
    const backUp = async (command: (copy: string) => string): Promise<void> => {
      const before = [...answered];
      const copy = join(folder, `backup-${(copies += 1)}.db`);
      await run('sqlite3', ['-cmd', '.timeout 4000', file, command(copy)]);
      assert.deepEqual(missingIn(await readIds(copy), before), [], 'a backup lacks what was answered before it');
      await run('rm', [copy]);
    };
    const query = (statement: string) => () => run('sqlite3', ['-cmd', '.timeout 4000', file, statement]);
    const command = (name: string) => () => run(process.execPath, [program, name], { env });
    const programs: Readonly<Record<string, () => Promise<unknown>>> = {
      reads: query('select count(*) from pay_invoice_checkouts'),
      checks: query('pragma quick_check'),
      checkpoints: query('pragma wal_checkpoint(truncate)'),
      vacuums: query('vacuum'),
      backups: () => backUp((copy) => `vacuum into '${copy}'`),
      onlineBackups: () => backUp((copy) => `.backup '${copy}'`),
      copies: () => run('cp', [file, `${file}-wal`, `${file}-shm`, widgetFolder]),
      doctors: command('doctor'),
      migrations: command('migrate'),
    };
    const runs = new Map<string, number>();
    const disturb = async (): Promise<void> => {
      const names = Object.keys(programs);
      while (!isOver) {
        const name = names[random.int(0, names.length - 1)] ?? assert.fail();
        try {
          await programs[name]?.();
          runs.set(name, (runs.get(name) ?? 0) + 1);
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          // The file was busy for too long, or the doctor has warned of something.
        }
        await delay(random.int(0, 200));
      }
    };
    const killServers = async (): Promise<void> => {
      while (!isOver) {
        await delay(random.int(1000, 4000));
        const index = random.int(0, servers.length - 1);
        const { child } = servers[index] ?? assert.fail();
        await kill(child);
        kills += 1;
        await startServer(index);
      }
    };

    await Promise.all([startServer(0), startServer(1)]);
    const loops = [...[1, 2, 3, 4].map(order), disturb(), disturb(), killServers()];
    const work = Promise.all(loops);
    const hasEnoughHappened = (): boolean =>
      answered.length > 50 && kills > 1 && Object.keys(programs).every((name) => runs.has(name));
    const campaign = async (): Promise<void> => {
      await delay(seconds * 1000);
      await until('enough has happened', () => isOver || hasEnoughHappened(), maxExtraMs);
    };
    try {
      await Promise.race([work, campaign()]);
    } finally {
      isOver = true;
      await Promise.allSettled(loops);
    }
    await work;
    await Promise.all(servers.map(({ child }) => kill(child)));
    console.log({ answered: answered.length, kills, refusals, runs });
    assert.deepEqual(missingIn(await readIds(file), answered), [], 'what was answered is lost');
    const { stdout } = await run('sqlite3', [file, 'pragma integrity_check']);
    assert.equal(stdout, 'ok\n');
  },
);

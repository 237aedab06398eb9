// Runs a command with a PostgreSQL of its own: `tsx scripts/with-postgres.ts <command> [argument …]`. The command finds
// it in TEST_DATABASE_URL. The server's files are in a temporary folder, which is removed afterwards.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A PostgreSQL server in a temporary folder. */
export interface TemporaryPostgres {
  readonly url: string;
  /** Stops it, with SIGINT ("fast") or SIGQUIT ("immediate", as a crash), and starts it again after `pauseMs`. */
  restart(signal: 'SIGINT' | 'SIGQUIT', pauseMs: number): Promise<void>;
  /** Suspends all of its processes, until `resume`. */
  suspend(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** The user of the server, which does not run as root. */
interface User {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Starts a server, or resolves with undefined where no PostgreSQL is installed.
 * @param fsync - whether a commit waits for the disk; tests do not need it
 */
export async function startPostgres(fsync: 'on' | 'off' = 'off'): Promise<TemporaryPostgres | undefined> {
  const bin = findBinaries();
  if (bin === undefined) return undefined;
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'postgres-'));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const options = { ...user, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' } };
  execFileSync(path.join(bin, 'initdb'), ['-D', folder, '-U', 'test', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...options,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const port = await freePort();
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    `fsync=${fsync}`,
  ];
  const launch = async (): Promise<ChildProcess> => {
    const args = ['-D', folder, ...settings.flatMap((setting) => ['-c', setting])];
    const started = spawn(path.join(bin, 'postgres'), args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    await ready(started);
    return started;
  };
  let server = await launch();
  const abandon = (): boolean => server.kill('SIGQUIT');
  process.once('exit', abandon);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    server.kill(signal);
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  };
  const signalAll = (signal: NodeJS.Signals): void => {
    server.kill(signal); // before its children are listed: it would start others
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(server.pid)], { encoding: 'utf8' });
    spawnSync('kill', [`-${signal}`, ...stdout.split(/\s+/).filter(Boolean)]); // some may have ended meanwhile
  };
  return {
    url: `postgres://test@127.0.0.1:${port}/postgres`,
    async restart(signal, pauseMs) {
      await end(signal);
      await delay(pauseMs);
      server = await launch();
    },
    suspend: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    async stop() {
      process.off('exit', abandon);
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The folder of PostgreSQL's programs: Debian's, which is not in PATH, or one of PATH; undefined where it is not installed. */
export function findBinaries(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => path.join(root, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(path.join(folder, 'initdb')) && existsSync(path.join(folder, 'postgres')));
}

function unprivilegedUser(): User {
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody');
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('there is no free port');
  return address.port;
}

/** Waits until the server accepts connections. When it ends before that, the error has its output. */
function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    server.stderr?.on('data', (chunk) => {
      output = (output + String(chunk)).slice(-10_000);
      if (output.includes('ready to accept connections')) resolve();
    });
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${output}`)));
  });
}

async function main(command: readonly string[]): Promise<number> {
  const [program, ...args] = command;
  if (program === undefined) throw new Error('name a command');
  const server = await startPostgres();
  if (server === undefined) {
    console.error('NO POSTGRESQL IS INSTALLED: nothing ran. On Debian: apt-get install postgresql');
    return 1;
  }
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, TEST_DATABASE_URL: server.url } });
  await once(child, 'exit');
  await server.stop();
  return child.exitCode ?? 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));

// Temporary PostgreSQL servers for tests and load runs. A server's files are in a temporary folder, which is removed afterwards.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from './load/start-program.ts';

/** A PostgreSQL server in a temporary folder. */
export interface TemporaryPostgres {
  readonly url: string;
  /** Stops the server with SIGINT ("fast") or SIGQUIT ("immediate", like a crash), and starts it again after `pauseMs`. */
  restart(signal: 'SIGINT' | 'SIGQUIT', pauseMs: number): Promise<void>;
  /** Suspends all processes of the server until `resume`. */
  suspend(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** The user that runs the server, because PostgreSQL refuses to run as root. */
interface User {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Starts a server. Resolves with undefined when PostgreSQL is not installed.
 * @param fsync - whether a commit waits for the disk; tests do not need it
 */
export async function startPostgres(fsync: 'on' | 'off' = 'off'): Promise<TemporaryPostgres | undefined> {
  const binaryFolder = findBinaries();
  if (binaryFolder === undefined) return undefined;
  const user = process.getuid?.() === 0 ? findUnprivilegedUser() : undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'postgres-'));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const options = { ...user, cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' } };
  execFileSync(
    path.join(binaryFolder, 'initdb'),
    ['-D', folder, '-U', 'test', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    {
      ...options,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const port = await findFreePort();
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    `fsync=${fsync}`,
  ];
  const launchServer = async (): Promise<ChildProcess> => {
    const args = ['-D', folder, ...settings.flatMap((setting) => ['-c', setting])];
    const serverProcess = spawn(path.join(binaryFolder, 'postgres'), args, {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await waitUntilReady(serverProcess);
    return serverProcess;
  };
  let server = await launchServer();
  const killServer = (): boolean => server.kill('SIGQUIT');
  process.once('exit', killServer);
  const endServer = async (signal: NodeJS.Signals): Promise<void> => {
    server.kill(signal);
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  };
  const signalAllProcesses = (signal: NodeJS.Signals): void => {
    server.kill(signal); // first the parent, so that it cannot start further children
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(server.pid)], { encoding: 'utf8' });
    spawnSync('kill', [`-${signal}`, ...stdout.split(/\s+/).filter(Boolean)]); // fails for children that have ended meanwhile
  };
  return {
    url: `postgres://test@127.0.0.1:${port}/postgres`,
    async restart(signal, pauseMs) {
      await endServer(signal);
      await delay(pauseMs);
      server = await launchServer();
    },
    suspend: () => signalAllProcesses('SIGSTOP'),
    resume: () => signalAllProcesses('SIGCONT'),
    async stop() {
      process.off('exit', killServer);
      await endServer('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the folder of PostgreSQL's programs: that of Debian, or one in PATH. Undefined when PostgreSQL is not installed. */
export function findBinaries(): string | undefined {
  const debianFolder = '/usr/lib/postgresql';
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => path.join(debianFolder, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(path.join(folder, 'initdb')) && existsSync(path.join(folder, 'postgres')));
}

function findUnprivilegedUser(): User {
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody');
}

/** Waits until the server accepts connections. Rejects with the server's output when the server ends before. */
function waitUntilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    server.stderr?.on('data', (chunk) => {
      output = (output + String(chunk)).slice(-10_000);
      if (output.includes('ready to accept connections')) resolve();
    });
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${output}`)));
  });
}

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { listen } from '../mounts/listen.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const sandbox = 'scripts/run-sandbox.ts';
const server = 'test/support/standalone-server-program.ts';

const busyServer = await listen(createServer(), '');
const { port: busyPort } = new URL(busyServer.endpoint);
after(() => busyServer.close());

/** The command that runs a program without the rights of root; empty when the tests run without them. */
const asNobody =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--inh-caps=-all'] : [];
const canRun = ([program = '', ...args]: readonly string[]): boolean => spawnSync(program, args).status === 0;

interface FailingStart {
  readonly cause: string;
  readonly message: RegExp;
  readonly programs: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What is done to the data folder before the start. */
  readonly prepare?: (folder: string) => void;
  /** The command that runs the program. */
  readonly prefix?: readonly string[];
  readonly skip?: string | false;
}

const portMessage = /^Cannot start: port \d+ cannot be used \(EADDRINUSE\)/;
const folderMessage = /annot start: .*data/;
const failingStarts: readonly FailingStart[] = [
  { cause: 'an invalid variable', programs: [server], env: { PORT: 'http' }, message: /^Cannot start: PORT must be a whole number from 0 to 65535$/ }, // prettier-ignore
  { cause: 'a port that is in use', programs: [server], env: { PORT: busyPort }, message: portMessage },
  { cause: 'a sandbox port that is in use', programs: [server], env: { SANDBOX_PORT: busyPort }, message: portMessage },
  ...['no-such-host', '10.255.255.1'].map((host) => ({
    cause: `a host that is none of this machine, ${host},`,
    programs: [server],
    env: { HOST: host },
    message: /^Cannot start: the host cannot be used \(E\w+\): set HOST to an address of this machine/,
  })),
  {
    cause: 'a host that is none of this machine',
    programs: [sandbox],
    env: { SANDBOX_HOST: 'no-such-host' },
    message: /^The sandbox cannot start: the host cannot be used \(E\w+\): set --host to an address of this machine/,
  },
  {
    cause: 'a database that does not answer',
    programs: [server],
    env: { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' },
    message: /DATABASE_URL cannot be opened/,
  },
  {
    cause: 'a full disk',
    programs: [server, sandbox],
    // It limits the size of files, so that writes fail as on a full disk.
    prefix: ['prlimit', '--fsize=16'],
    skip: canRun(['prlimit', '--version']) ? false : 'prlimit is not installed',
    message: folderMessage,
  },
  {
    cause: 'a data folder that is a file',
    programs: [server, sandbox],
    prepare: (folder) => writeFileSync(join(folder, 'data'), ''),
    message: folderMessage,
  },
  {
    cause: 'a folder in a file system that makes none',
    programs: [server, sandbox],
    env: { DATA_DIR: '/proc/nope/data' },
    message: folderMessage,
  },
  {
    cause: 'a folder that it may not write',
    programs: [server, sandbox],
    prepare: (folder) => chmodSync(folder, 0o555),
    prefix: asNobody,
    skip: canRun([...asNobody, process.execPath, '--check', 'eslint.config.js'])
      ? false
      : 'root may write everywhere, and setpriv cannot change that',
    message: folderMessage,
  },
];

for (const { cause, programs, env, prepare, prefix = [], skip = false, message } of failingStarts)
  for (const program of programs)
    test(`${program} prints one line without secrets and exits with 1 because of ${cause}`, { skip }, async (t) => {
      const folder = temporaryFolder(t);
      prepare?.(folder);
      const [command, ...args] = [...prefix, process.execPath, '--import', 'tsx', program];
      const dataDir = join(folder, 'data');
      const child = spawn(command, args, {
        env: { PATH: process.env['PATH'], DATA_DIR: dataDir, PORT: '0', SANDBOX_PORT: '0', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 60_000,
      });
      const [errors, output] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'exit')]);
      assert.equal(child.exitCode, 1, errors);
      assert.match(errors.trimEnd(), message);
      assert.equal(errors.trimEnd().split('\n').length, 1, errors);
      assert.doesNotMatch(errors + output, /secret/);
    });

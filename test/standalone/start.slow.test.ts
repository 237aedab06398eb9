import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { listen } from '../mounts/listen.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const busyServer = await listen(createServer(), '');
const { port: busyPort } = new URL(busyServer.endpoint);
after(() => busyServer.close());

const failingStarts: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  ['an invalid variable', { PORT: 'http' }, /^Cannot start: PORT must be a whole number from 0 to 65535$/],
  ['a port that is in use', { PORT: busyPort }, /^Cannot start: port \d+ cannot be used \(EADDRINUSE\)/],
  [
    'a sandbox port that is in use',
    { SANDBOX_PORT: busyPort },
    /^Cannot start: port \d+ cannot be used \(EADDRINUSE\)/,
  ],
  [
    'a database that does not answer',
    { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' },
    /DATABASE_URL cannot be opened/,
  ],
];
for (const [cause, env, message] of failingStarts)
  test(`the server prints one line without secrets and exits with 1 because of ${cause}`, async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'test/support/server-program.ts'], {
      env: { PATH: process.env['PATH'], DATA_DIR: join(folder, 'data'), PORT: '0', SANDBOX_PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    });
    const [errors, output] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'exit')]);
    assert.equal(child.exitCode, 1);
    assert.match(errors.trimEnd(), message);
    assert.equal(errors.trimEnd().split('\n').length, 1, errors);
    assert.doesNotMatch(errors + output, /secret/);
  });

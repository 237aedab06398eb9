import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { operationPath } from '../../src/service-api.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Runs the programs with a folder that cannot be written, and with a full disk. `prlimit` limits the size of files, so that
// writes fail as on a full disk, and removes the limit again while the program runs.

const programs = ['scripts/run-sandbox.ts', 'test/support/server-program.ts'] as const;

function runProgram(t: TestContext, program: string, dataDir: string, commandPrefix: readonly string[] = []) {
  const [command, ...args] = [...commandPrefix, process.execPath, '--import', 'tsx', program];
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir, PORT: '0', SANDBOX_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** Asserts that the program stops with one line that names its data folder. */
async function expectFailedStart(child: ReturnType<typeof runProgram>, dataDir: string): Promise<void> {
  const [errors] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'exit')]);
  assert.equal(child.exitCode, 1, errors);
  assert.equal(errors.trimEnd().split('\n').length, 1, errors);
  assert.ok(errors.includes('annot start: ') && errors.includes(dataDir), errors);
}

/** The command that runs a program without the rights of root; empty when the tests run without them. */
const asNobody =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--inh-caps=-all'] : [];
const [command, ...args] = [...asNobody, process.execPath, '--check', 'eslint.config.js'];
const skip =
  spawnSync(command, args).status === 0 ? false : 'root may write everywhere, and setpriv cannot change that';

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
const skipDisk = hasPrlimit ? false : 'prlimit is not installed';

for (const program of programs) {
  test(`${program} stops with one line on a full disk`, { skip: skipDisk }, async (t) => {
    const dataDir = temporaryFolder(t);
    await expectFailedStart(runProgram(t, program, dataDir, ['prlimit', '--fsize=16']), dataDir);
  });

  test(`${program} stops with one line when its data folder is a file`, async (t) => {
    const dataDir = join(temporaryFolder(t), 'data');
    await writeFile(dataDir, '');
    await expectFailedStart(runProgram(t, program, dataDir), dataDir);
  });

  test(`${program} stops with one line when it may not write its data folder`, { skip }, async (t) => {
    const dataDir = temporaryFolder(t);
    await chmod(dataDir, 0o555);
    await expectFailedStart(runProgram(t, program, dataDir, asNobody), dataDir);
  });
}

test(
  'the sandbox answers 503 while its file cannot grow, and then stores invoices again without a restart',
  { skip: skipDisk },
  async (t) => {
    const dataDir = temporaryFolder(t);
    const firstProcess = runProgram(t, programs[0], dataDir);
    const url = await readUrl(firstProcess);
    const createdBefore = await createInvoice(url);
    assert.equal(createdBefore.status, 200);
    const { size } = await stat(join(dataDir, 'sandbox.jsonl'));
    limitFileSize(firstProcess.pid, String(size + 20));
    for (let count = 0; count < 3; count += 1) {
      const refusedResponse = await createInvoice(url);
      assert.equal(refusedResponse.status, 503);
      assert.match(refusedResponse.body, /^\{"code":"unavailable"/);
    }
    limitFileSize(firstProcess.pid, 'unlimited');
    const createdAfter = await createInvoice(url);
    assert.equal(createdAfter.status, 200);
    firstProcess.kill('SIGKILL');
    await once(firstProcess, 'exit');

    const restartedUrl = await readUrl(runProgram(t, programs[0], dataDir));
    const invoices = await (await fetch(`${restartedUrl}/sandbox/invoices`)).text();
    assert.deepEqual(
      new Set(invoices.match(/(?<="id":")inv_\w+/g)),
      new Set([createdBefore, createdAfter].flatMap(({ body }) => body.match(/(?<="id":")inv_\w+/g) ?? [])),
    );
  },
);

/** Sets the soft limit of a process for the size of its files, in bytes. */
function limitFileSize(pid: number | undefined, bytes: string): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}

async function readUrl({ stdout }: ReturnType<typeof runProgram>): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const [, url] = /^Sandbox\s+(\S+)$/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  return assert.fail('the sandbox did not start');
}

async function createInvoice(url: string): Promise<{ readonly status: number; readonly body: string }> {
  const response = await fetch(`${url}${operationPath('CreateInvoice')}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox-token' },
    body: '{"amount":"1500.00"}',
  });
  return { status: response.status, body: await response.text() };
}

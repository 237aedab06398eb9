import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { test, type TestContext } from 'node:test';
import { programArguments } from '../support/program-arguments.ts';
import { until } from '../support/wait-until.ts';

/** Starts the sandbox's command as npx does: in a shell, which alone gets the signals that npx gets. */
async function startInShell(t: TestContext, variables: Readonly<Record<string, string>>) {
  const command = `node ${programArguments('src/bin/sandbox.ts').join(' ')} & echo "pid $!"; wait`;
  const env = { ...process.env, SANDBOX_PORT: '0', ...variables };
  const shell = spawn('sh', ['-c', command], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  shell.stdout.on('data', (data: Buffer) => (output += data.toString()));
  await until('the sandbox runs', () => output.includes('http://'), 20_000);
  const pid = Number(/^pid (\d+)$/m.exec(output)?.[1]);
  const isRunning = (): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  t.after(() => isRunning() && process.kill(pid, 'SIGKILL'));
  return { shell, isRunning };
}

test('a program that npx has started ends when npx is ended, and another one stays', async (t) => {
  const [own, other] = await Promise.all([
    startInShell(t, { npm_lifecycle_event: 'npx' }),
    startInShell(t, { npm_lifecycle_event: 'start' }),
  ]);
  const ended = [own, other].map(({ shell }) => once(shell, 'exit'));
  for (const { shell } of [own, other]) shell.kill('SIGTERM');
  await Promise.all(ended);
  await until('the program has ended', () => !own.isRunning(), 5000);
  assert.ok(other.isRunning());
});

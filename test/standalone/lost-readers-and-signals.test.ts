import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Buyer } from '../support/buyer.ts';
import { startSandbox, startServerProcess } from '../support/standalone-server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/wait-until.ts';

test('a server whose log has lost its reader serves on, and ends at SIGTERM as ever', async (t) => {
  const sandbox = await startSandbox(t);
  const { child, url, output } = await startServerProcess(t, sandbox, { DATA_DIR: temporaryFolder(t) });
  const exited = once(child, 'exit');
  await new Buyer({ url, sandbox }).order();
  await until('the log has its first line', () => output().includes('checkout_created'));
  child.stdout?.destroy();
  child.stderr?.destroy();
  for (let orders = 0; orders < 3; orders += 1) await new Buyer({ url, sandbox }).order(); // each is a line of the log
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [0, null]);
});

test('SIGUSR1 opens no debugger in a server', async (t) => {
  const sandbox = await startSandbox(t);
  const { child, url, output } = await startServerProcess(t, sandbox, { DATA_DIR: temporaryFolder(t) });
  const exited = once(child, 'exit');
  child.kill('SIGUSR1');
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [0, null]);
  assert.doesNotMatch(output(), /Debugger listening/);
});

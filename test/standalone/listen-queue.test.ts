import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { execPath } from 'node:process';
import { test } from 'node:test';
import { createHttpServer, listen } from '../../src/standalone/http-server.ts';

/** Opens 400 connections, and prints how many the system of the server has taken within half a second. */
const client = `
  let count = 0;
  for (let index = 0; index < 400; index += 1)
    require('node:net').connect(Number(process.argv[1]), '127.0.0.1', () => (count += 1)).on('error', () => {});
  setTimeout(() => { console.log(count); process.exit(); }, 500);
`;

test('no more connections wait for a busy server than it accepts before their clients give up', async () => {
  const server = createHttpServer();
  const url = await listen(server, 0, '127.0.0.1');
  // This process, and so the server, is busy until the client has ended.
  const { stdout } = spawnSync(execPath, ['-e', client, new URL(url).port], { encoding: 'utf8', timeout: 20_000 });
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  const waiting = Number(stdout);
  assert.ok(waiting >= 64 && waiting <= 150, `${stdout.trim()} connections wait`);
});

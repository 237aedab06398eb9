import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { execPath } from 'node:process';
import { test } from 'node:test';
import { closeServer, createHttpServer, listen, socketsOfPort } from '../../src/standalone/http-server.ts';

/** Opens 1,600 connections, and prints how many the system of the server has taken within half a second. */
const client = `
  let count = 0;
  for (let index = 0; index < 1600; index += 1)
    require('node:net').connect(Number(process.argv[1]), '127.0.0.1', () => (count += 1)).on('error', () => {});
  setTimeout(() => { console.log(count); process.exit(); }, 800);
`;

test('no more connections wait for a busy server than it accepts before their clients give up', async () => {
  const server = createHttpServer();
  const url = await listen(server, 0, '127.0.0.1');
  // This process, and so the server, is busy until the client has ended.
  const { stdout } = spawnSync(execPath, ['-e', client, new URL(url).port], { encoding: 'utf8', timeout: 20_000 });
  server.closeAllConnections();
  await closeServer(server);
  const waiting = Number(stdout);
  assert.ok(waiting >= 64 * socketsOfPort && waiting <= 150 * socketsOfPort, `${waiting} connections wait`);
});

test(
  'a busy server accepts several connections in a turn of the event loop',
  { skip: socketsOfPort === 1 },
  async (t) => {
    const server = createHttpServer();
    const { port } = new URL(await listen(server, 0, '127.0.0.1'));
    t.after(() => closeServer(server));
    let accepted = 0;
    server.on('connection', () => (accepted += 1));
    const connections = Array.from({ length: 64 }, () => connect(Number(port), '127.0.0.1'));
    t.after(() => {
      for (const connection of connections) connection.destroy();
    });
    await Promise.all(connections.map((connection) => once(connection, 'connect')));
    let turns = 0;
    while (accepted < connections.length) {
      await new Promise(setImmediate);
      turns += 1;
    }
    assert.ok(turns < connections.length / 2, `${turns} turns for ${accepted} connections`);
  },
);

test('a port that a server has taken is refused to another one', async (t) => {
  const [first, second] = [createHttpServer(), createHttpServer()];
  const { port } = new URL(await listen(first, 0, '127.0.0.1'));
  t.after(() => closeServer(first));
  await assert.rejects(listen(second, Number(port), '127.0.0.1'), { code: 'EADDRINUSE' });
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { execPath } from 'node:process';
import { test } from 'node:test';
import { connectionsWithin } from '../../src/standalone/connections-within-memory.ts';
import { closeServer, createHttpServer, listen } from '../../src/standalone/http-server.ts';

const mebibyte = 1024 * 1024;

for (const [heap, memory, expected] of [
  [64, 1024, 2396],
  [128, 1024, 4793],
  [534, 2048, 19_997],
  [540, 2048, 20_000],
  [4096, 8192, 20_000],
  [262, 256, 4793], // what Node 26 takes for its heap in a container of 256 MiB
  [4096, 1024, 19_173],
] as const)
  test(`a heap of ${heap} MiB in ${memory} MiB of memory has room for ${expected} payers`, () => {
    assert.equal(connectionsWithin(heap * mebibyte, memory * mebibyte), expected);
  });

test('a process with a small heap has room for fewer payers', () => {
  const code = 'console.log(require("node:v8").getHeapStatistics().heap_size_limit)';
  const heap = Number(execFileSync(execPath, ['--max-old-space-size=128', '-e', code], { encoding: 'utf8' }));
  assert.ok(connectionsWithin(heap, Infinity) < 10_000, `${heap} bytes`);
});

test('beyond the connections that there is room for, each closes with its response, and soon none is accepted', async (t) => {
  const kept = 10;
  const server = createHttpServer({}, kept);
  server.on('request', (_, response) => response.end());
  const { port } = new URL(await listen(server, 0, '127.0.0.1'));
  t.after(() => closeServer(server));
  /** Sends a request on a connection of its own. Resolves with the header that says what becomes of it; undefined without an answer. */
  const request = async (): Promise<string | undefined> => {
    const connection = connect(Number(port), '127.0.0.1');
    t.after(() => connection.destroy());
    connection.on('error', () => undefined);
    connection.write('GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n');
    const answer = await Promise.race([once(connection, 'data'), once(connection, 'close')]);
    return /^connection: (.*)\r$/im.exec(String(answer))?.[1];
  };
  for (let index = 0; index < kept; index += 1) assert.equal(await request(), 'keep-alive');
  assert.equal(await request(), 'close');
  // One that is not used, and ends by the timeout of its headers, is the last that fits.
  const unused = connect(Number(port), '127.0.0.1');
  t.after(() => unused.destroy());
  await once(unused, 'connect');
  assert.equal(await request(), undefined);
});

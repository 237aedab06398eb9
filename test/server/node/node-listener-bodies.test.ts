import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, IncomingMessage, request as httpRequest } from 'node:http';
import { connect, Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { after, test, type TestContext } from 'node:test';
import { z } from 'zod';
import { toNodeListener } from '../../../src/server.ts';
import { toFetchRequest } from '../../../src/server/node/node-request.ts';
import { listen } from '../../mounts/listen.ts';
import { createGate } from '../../support/test-checkout-server.ts';

const cleanups: (() => Promise<void>)[] = [];
after(async () => {
  for (const step of cleanups) await step();
});

async function serve(handle: (request: Request) => Promise<Response>): Promise<string> {
  const { endpoint, close } = await listen(createServer(toNodeListener({ handle })), '');
  cleanups.push(close);
  return endpoint;
}

/** Reads a body to its end. Resolves with its length in bytes. */
async function sizeOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<number> {
  let size = 0;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) size += chunk.value.byteLength;
  return size;
}

/** Resolves when the connection is closed, with or without an error. */
const closeOf = (sending: Writable): Promise<void> => new Promise((resolve) => sending.once('close', resolve));

/** Sends a body of `bytes` bytes, or as much of it as the connection takes until it is closed. */
async function sendBytes(sending: Writable, bytes: number): Promise<void> {
  const chunk = Buffer.alloc(64 * 1024);
  const closed = closeOf(sending);
  for (let sent = 0; sent < bytes && !sending.destroyed; sent += chunk.length)
    if (!sending.write(chunk)) await Promise.race([once(sending, 'drain').catch(() => undefined), closed]);
  sending.end();
}

const mebibyte = 1024 * 1024;

test('reads no more from the connection than the handler reads', async () => {
  const reading = createGate();
  const url = await serve(async (request) => {
    const reader: ReadableStreamDefaultReader<Uint8Array> = (request.body ?? assert.fail('no body')).getReader();
    const first = (await reader.read()).value?.byteLength ?? 0;
    await reading.promise;
    return new Response(String(first + (await sizeOf(reader))));
  });
  const sending = httpRequest(url, { method: 'POST' });
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  const sent = sendBytes(sending, 64 * mebibyte);
  await sleep(500);
  const accepted = sending.socket?.bytesWritten ?? 0;
  assert.ok(accepted < 32 * mebibyte, `${accepted} bytes were accepted`);
  reading.open();
  await sent;
  assert.equal(await text((await answered)[0]), String(64 * mebibyte));
});

for (const [title, handle] of [
  ['does not read the body', () => Promise.resolve(new Response('no', { status: 413 }))],
  [
    'reads only a part of the body',
    async (request: Request) => {
      await (request.body ?? assert.fail('no body')).getReader().read();
      return new Response('no', { status: 413 });
    },
  ],
  [
    'cancels the body',
    async (request: Request) => {
      const reader = (request.body ?? assert.fail('no body')).getReader();
      await reader.read();
      await reader.cancel();
      return new Response('no', { status: 413 });
    },
  ],
] as const)
  test(`a handler that ${title} is answered, and the connection stays usable`, async () => {
    const url = await serve(handle);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let times = 0; times < 3; times += 1) {
      const sending = httpRequest(url, { method: 'POST', agent });
      const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
      await sendBytes(sending, 512 * 1024);
      const [answer] = await answered;
      assert.deepEqual([answer.statusCode, await text(answer)], [413, 'no']);
      ports.add(sending.socket?.localPort);
    }
    agent.destroy();
    assert.equal(ports.size, 1, 'one connection');
  });

test('closes the connection of a client that keeps sending an unread body', async () => {
  const url = await serve(() => Promise.resolve(new Response('no', { status: 413 })));
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  socket.write(`POST / HTTP/1.1\r\nHost: shop.example\r\nContent-Length: ${256 * mebibyte}\r\n\r\n`);
  await sendBytes(socket, 255 * mebibyte);
  assert.ok(socket.bytesWritten < 64 * mebibyte, `${socket.bytesWritten} bytes were accepted`);
});

test('closes the connection of a client that does not finish its body in time', async (context: TestContext) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const url = await serve(() => Promise.resolve(new Response('no', { status: 408 })));
  const sending = httpRequest(url, { method: 'POST' });
  sending.on('error', () => undefined);
  sending.write('{');
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 408);
  answer.resume();
  context.mock.timers.tick(4999);
  await new Promise(setImmediate);
  assert.equal(sending.socket?.destroyed, false);
  context.mock.timers.tick(1);
  await closeOf(sending);
});

test('a disconnect during the body rejects the read and aborts the signal', async () => {
  const aborted = createGate();
  let reason = '';
  const url = await serve(async (request) => {
    await request.text().catch((error: unknown) => (reason = error instanceof Error ? error.name : ''));
    if (request.signal.aborted) aborted.open();
    else request.signal.addEventListener('abort', aborted.open);
    return new Response('nobody reads this');
  });
  const sending = httpRequest(url, { method: 'POST' });
  sending.on('error', () => undefined);
  sending.write('{');
  await sleep(100);
  sending.destroy();
  await aborted.promise;
  assert.notEqual(reason, '');
});

test('the signal does not abort after the response was sent', async () => {
  let signal: AbortSignal | undefined;
  const url = await serve((request) => {
    signal = request.signal;
    return Promise.resolve(new Response('done'));
  });
  await (await fetch(url, { headers: { connection: 'close' } })).text();
  await sleep(50);
  assert.equal(signal?.aborted, false);
});

test('a handler that rejects is answered with a 500 without internal text, whose trace id is in the log', async (context: TestContext) => {
  const lines: string[] = [];
  context.mock.method(process.stderr, 'write', (line: string) => lines.push(line));
  const url = await serve(() => Promise.reject(new Error('hunter2')));
  const answer = await fetch(url);
  const problem = z
    .object({ trace_id: z.uuid() })
    .loose()
    .parse(await answer.json());
  assert.deepEqual(
    [answer.status, problem],
    [
      500,
      {
        type: 'about:blank',
        title: 'Something went wrong',
        status: 500,
        code: 'internal',
        trace_id: problem.trace_id,
      },
    ],
  );
  assert.equal(lines.length, 1);
  assert.ok(lines[0]?.includes(problem.trace_id) === true && !lines[0].includes('hunter2'));
});

test('a TLS connection gives an https URL', () => {
  const incoming = new IncomingMessage(new TLSSocket(new Socket()));
  incoming.url = '/checkout/x';
  incoming.headers.host = 'shop.example';
  assert.equal(toFetchRequest(incoming, new AbortController().signal).url, 'https://shop.example/checkout/x');
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, IncomingMessage, request as httpRequest } from 'node:http';
import { connect, Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { after, test, type TestContext } from 'node:test';
import { problem } from '../../../src/checkout-api.ts';
import { toNodeListener } from '../../../src/server.ts';
import { toFetchRequest } from '../../../src/server/node/node-listener.ts';
import { listen } from '../../mounts/listen.ts';
import { createGate } from '../../support/test-checkout-server.ts';

const closers: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closers) await close();
});

async function serve(handle: (request: Request) => Promise<Response>): Promise<string> {
  const { endpoint, close } = await listen(createServer(toNodeListener({ handle })), '');
  closers.push(close);
  return endpoint;
}

/** Resolves when the connection is closed, with or without an error. */
const waitForClose = (clientRequest: Writable): Promise<void> =>
  new Promise((resolve) => clientRequest.once('close', resolve));

/** Sends a body of `bytes` bytes, or as much of it as the connection takes until it is closed. */
async function sendBytes(clientRequest: Writable, bytes: number): Promise<void> {
  const chunk = Buffer.alloc(64 * 1024);
  const closing = waitForClose(clientRequest);
  for (let sentBytes = 0; sentBytes < bytes && !clientRequest.destroyed; sentBytes += chunk.length)
    if (!clientRequest.write(chunk)) await Promise.race([once(clientRequest, 'drain').catch(() => undefined), closing]);
  clientRequest.end();
}

const mebibyte = 1024 * 1024;

for (const [title, handle] of [
  ['does not read the body', () => Promise.resolve(new Response('no', { status: 413 }))],
  [
    'reads only a part of the body',
    async (request: Request) => {
      await (request.body ?? assert.fail('no body')).getReader().read();
      return new Response('no', { status: 413 });
    },
  ],
] as const)
  test(`the response of a handler that ${title} reaches the client, and the connection stays usable`, async () => {
    const url = await serve(handle);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let times = 0; times < 3; times += 1) {
      const clientRequest = httpRequest(url, { method: 'POST', agent });
      const responseEvent = once(clientRequest, 'response') as Promise<[IncomingMessage]>;
      await sendBytes(clientRequest, 512 * 1024);
      const [response] = await responseEvent;
      assert.deepEqual([response.statusCode, await text(response)], [413, 'no']);
      ports.add(clientRequest.socket?.localPort);
    }
    agent.destroy();
    assert.equal(ports.size, 1, 'one connection');
  });

test('the connection of a client that keeps sending an unread body is closed', async () => {
  const url = await serve(() => Promise.resolve(new Response('no', { status: 413 })));
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  socket.write(`POST / HTTP/1.1\r\nHost: shop.example\r\nContent-Length: ${256 * mebibyte}\r\n\r\n`);
  await sendBytes(socket, 255 * mebibyte);
  assert.ok(socket.bytesWritten < 64 * mebibyte, `${socket.bytesWritten} bytes were accepted`);
});

test('the connection of a client that has not sent its whole body 5 s after the response is closed', async (context: TestContext) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const url = await serve(() => Promise.resolve(new Response('no', { status: 408 })));
  const clientRequest = httpRequest(url, { method: 'POST' });
  clientRequest.on('error', () => undefined);
  clientRequest.write('{');
  const [response] = (await once(clientRequest, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 408);
  response.resume();
  context.mock.timers.tick(4999);
  await new Promise(setImmediate);
  assert.equal(clientRequest.socket?.destroyed, false);
  context.mock.timers.tick(1);
  await waitForClose(clientRequest);
});

test('a client that disconnects during its body makes the handler’s read reject and aborts the signal', async () => {
  const abortGate = createGate();
  let reason = '';
  const url = await serve(async (request) => {
    await request.text().catch((error: unknown) => (reason = error instanceof Error ? error.name : ''));
    if (request.signal.aborted) abortGate.open();
    else request.signal.addEventListener('abort', abortGate.open);
    return new Response('nobody reads this');
  });
  const clientRequest = httpRequest(url, { method: 'POST' });
  clientRequest.on('error', () => undefined);
  clientRequest.write('{');
  await sleep(100);
  clientRequest.destroy();
  await abortGate.promise;
  assert.notEqual(reason, '');
});

test('a request whose handler rejects is answered with 500 and no internal text, and its trace id is in the log', async (context: TestContext) => {
  const lines: string[] = [];
  context.mock.method(process.stderr, 'write', (line: string) => lines.push(line));
  const url = await serve(() => Promise.reject(new Error('hunter2')));
  const response = await fetch(url);
  const { code, trace_id: traceId = '' } = problem.parse(await response.json());
  assert.deepEqual([response.status, code], [500, 'internal']);
  assert.equal(lines.length, 1);
  assert.ok(traceId !== '' && lines[0]?.includes(traceId) === true && !lines[0].includes('hunter2'));
});

test('a request on a TLS connection has an https URL', () => {
  const incoming = new IncomingMessage(new TLSSocket(new Socket()));
  incoming.url = '/checkout/x';
  incoming.headers.host = 'shop.example';
  assert.equal(toFetchRequest(incoming, new AbortController().signal).url, 'https://shop.example/checkout/x');
});

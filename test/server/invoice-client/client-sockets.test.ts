import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { suite, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../../src/base/clock.ts';
import {
  createInvoiceServiceClient,
  type InvoiceServiceClientOptions,
} from '../../../src/server/invoice-client/invoice-service-client.ts';
import { InvoiceServiceError } from '../../../src/server/ports/invoice-service.ts';
import { httpResponse, startRawServer } from '../../support/raw-server.ts';
import { until } from '../../support/wait-until.ts';

const request = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' } as const;
const invoice = JSON.stringify({ id: 'inv_1', amount: '1500.00' });
const successResponse = httpResponse('200 OK', invoice);
const quiet: Partial<InvoiceServiceClientOptions> = { log: () => undefined };

async function startService(
  context: TestContext,
  respond: (socket: Socket) => void,
  options: Partial<InvoiceServiceClientOptions> = {},
) {
  const server = await startRawServer(respond);
  context.after(server.close);
  const service = createInvoiceServiceClient({
    baseUrl: server.url,
    token: 'canary-token',
    ...quiet,
    ...options,
  });
  return { server, service };
}

/** The timeout of a create, and how much faster than the machine's the client's clock is. */
const tryMs = 8_000;
const speed = 20;

/**
 * A service that breaks at every request. The timeout starts when the service breaks, so that a slow
 * machine does not time out a request that is still being sent. `progress.ms` is the time that the client has waited.
 */
async function startBreakingService(context: TestContext, fault: (socket: Socket) => void) {
  const progress = { ms: 0, tries: 0, broken: 0 };
  const wait = async (ms: number, signal: AbortSignal): Promise<void> => {
    const isTryTimeout = ms > 1_000;
    if (isTryTimeout) progress.tries += 1;
    for (const tryNumber = progress.tries; isTryTimeout && progress.broken < tryNumber;)
      await pause(5, undefined, { signal });
    await pause(ms / speed, undefined, { signal });
    progress.ms += ms;
  };
  const clock: Clock = {
    now: () => progress.ms,
    schedule(ms, task) {
      const cancellation = new AbortController();
      wait(ms, cancellation.signal).then(task, () => undefined);
      return () => cancellation.abort();
    },
  };
  const breakConnection = (socket: Socket): void => {
    progress.broken += 1;
    fault(socket);
  };
  return { progress, ...(await startService(context, breakConnection, { clock })) };
}

async function failureOf(call: Promise<unknown>): Promise<InvoiceServiceError> {
  const [result] = await Promise.allSettled([call]);
  assert.ok(result.status === 'rejected' && result.reason instanceof InvoiceServiceError, 'the call fails');
  return result.reason;
}

/** Ways in which a service breaks its response. None of them shows whether the invoice was created. */
const faults: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['stalls before its headers', () => undefined],
  ['stalls within its body', (socket) => socket.write(successResponse.slice(0, -5))],
  ['sends its body slowly and without an end', (socket) => sendByteByByte(socket)],
  ['resets the connection', (socket) => socket.resetAndDestroy()],
  ['closes without a response', (socket) => socket.end()],
  ['cuts a chunked body short', (socket) => socket.end(chunkedResponse(`40\r\n${invoice}`))],
  [
    'resets the connection within its body',
    (socket) => socket.write(successResponse.slice(0, -5), () => socket.resetAndDestroy()),
  ],
  ['sends no HTTP', (socket) => socket.end('220 smtp.example ESMTP\r\n')],
];

function chunkedResponse(body: string): string {
  return `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body}`;
}

/** Sends a byte every 20 ms without an end: a timeout that starts again with every byte would never end. */
function sendByteByByte(socket: Socket): void {
  socket.write(chunkedResponse(''));
  const timer = setInterval(() => socket.write('1\r\n \r\n'), 20);
  socket.on('close', () => clearInterval(timer));
}

suite('a service that breaks on a real socket', { concurrency: true, timeout: 60_000 }, () => {
  for (const [name, fault] of faults) {
    test(`that ${name} leaves a create in doubt, after one request that its timeout ends`, async (context) => {
      const { server, service, progress } = await startBreakingService(context, fault);
      assert.equal((await failureOf(service.createInvoice(request))).failure, 'ambiguous');
      assert.ok(progress.ms <= tryMs + 10, `${progress.ms} ms`);
      assert.equal(server.requests.length, 1);
    });
  }
});

suite('a service on a real socket', () => {
  test('whose port is closed makes a create unavailable, not in doubt', async (context) => {
    const { server, service } = await startService(context, () => undefined);
    await server.close();
    assert.equal((await failureOf(service.createInvoice(request))).failure, 'unavailable');
  });
  test('with an unknown host name makes a create unavailable, not in doubt', async () => {
    const service = createInvoiceServiceClient({
      baseUrl: 'https://no.such.name.invalid',
      token: 'x',
      ...quiet,
    });
    assert.equal((await failureOf(service.createInvoice(request))).failure, 'unavailable');
  });

  test('that closes the connection during the TLS handshake makes a create unavailable, because nothing was sent', async (context) => {
    for (const close of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
      const server = createServer(
        (socket) => void socket.on('error', () => undefined).once('data', () => close(socket)),
      );
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      context.after(() => server.close());
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const service = createInvoiceServiceClient({ baseUrl: `https://127.0.0.1:${port}`, token: 'x', ...quiet });
      const { failure, message } = await failureOf(service.createInvoice(request));
      assert.equal(failure, 'unavailable');
      assert.match(message, /not_sent \(ECONNRESET\)/);
    }
  });

  for (const status of ['302 Found', '307 Temporary'])
    test(`that redirects with ${status} does not make the client send a request to the new address`, async (context) => {
      const redirectTarget = await startRawServer((socket) => socket.write(successResponse));
      context.after(redirectTarget.close);
      const { server, service } = await startService(context, (socket) =>
        socket.write(httpResponse(status, '', [`location: ${redirectTarget.url}/`])),
      );
      const error = await failureOf(service.createInvoice(request));
      assert.equal(error.httpStatus, Number(status.slice(0, 3)));
      assert.deepEqual([server.requests.length, redirectTarget.requests.length], [1, 0]);
    });

  test('with an endless response has its connection closed at the size limit', async (context) => {
    let writtenBytes = 0;
    const { server, service } = await startService(context, (socket) => {
      socket.write(chunkedResponse(''));
      const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
      const flood = () => {
        while (!socket.destroyed && writtenBytes < 64 * 2 ** 20) {
          writtenBytes += 0x10000;
          if (!socket.write(chunk)) return;
        }
      };
      socket.on('drain', flood);
      flood();
    });
    const error = await failureOf(service.createInvoice(request));
    assert.match(error.message, /too_large/);
    assert.ok(writtenBytes < 32 * 2 ** 20, `${writtenBytes} bytes`);
    await until('the connections are as expected', () => server.connections.inUse === 0);
  });
  test('has no open connection after the caller aborts', async (context) => {
    const { server, service } = await startService(context, () => undefined);
    const caller = new AbortController();
    const call = failureOf(service.fetchInvoices(['inv_1'], caller.signal));
    await until('the connections are as expected', () => server.requests.length === 1);
    caller.abort();
    assert.equal((await call).code, 'canceled');
    await until('the connections are as expected', () => server.connections.inUse === 0);
  });
});

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { suite, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../../src/base/clock.ts';
import { createInvoiceServiceClient } from '../../../src/server/invoice-client/invoice-service-client.ts';
import type { InvoiceServiceClientOptions } from '../../../src/server/invoice-client/client-options.ts';
import { InvoiceServiceError } from '../../../src/server/ports/invoice-service.ts';
import { http, rawServer } from '../../support/raw-server.ts';

const request = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' } as const;
const invoice = JSON.stringify({ id: 'inv_1', amount: '1500.00' });
const made = http('200 OK', invoice);
const quick: Partial<InvoiceServiceClientOptions> = { backoff: { baseMs: 1, capMs: 1 }, log: () => undefined };

async function against(
  context: TestContext,
  answer: (socket: Socket, count: number) => void,
  options: Partial<InvoiceServiceClientOptions> = {},
) {
  const server = await rawServer(answer);
  context.after(server.close);
  const service = createInvoiceServiceClient({ baseUrl: server.url, token: 'canary-token', ...quick, ...options });
  return { server, service };
}

const tryMs = 300;

/**
 * A service that breaks at its first `times` requests and then answers. The timeout of a try starts when the service breaks,
 * so that a slow machine does not time out a try that is still being sent. `passed.ms` is the time that the client waited.
 */
async function breaking(context: TestContext, fault: (socket: Socket) => void, times: number) {
  const passed = { ms: 0, tries: 0, broken: 0 };
  const wait = async (ms: number, signal: AbortSignal): Promise<void> => {
    const isOfTry = ms > 1;
    if (isOfTry) passed.tries += 1;
    for (const n = passed.tries; isOfTry && passed.broken < n;) await pause(5, undefined, { signal });
    await pause(ms, undefined, { signal });
    passed.ms += ms;
  };
  const clock: Clock = {
    now: () => passed.ms,
    schedule(ms, task) {
      const canceled = new AbortController();
      wait(ms, canceled.signal).then(task, () => undefined);
      return () => canceled.abort();
    },
  };
  const breakOrAnswer = (socket: Socket, count: number): void => {
    if (count > times) return void socket.write(made);
    passed.broken += 1;
    fault(socket);
  };
  return { passed, ...(await against(context, breakOrAnswer, { clock, tryTimeoutMs: { CreateInvoice: tryMs } })) };
}

async function failureOf(call: Promise<unknown>): Promise<InvoiceServiceError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof InvoiceServiceError) return outcome;
  throw new Error('The call did not fail with an InvoiceServiceError.');
}

/** Resolves when the condition holds, and fails after 30 s. */
async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 30_000;
  while (!condition()) {
    assert.ok(performance.now() < end, 'the condition does not hold after 30 s');
    await pause(5);
  }
}

/** Ways in which a service breaks its response; none shows whether the invoice was created. */
const faults: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['stalls before its headers', () => undefined],
  ['stalls within its headers', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-ty')],
  ['stalls within its body', (socket) => socket.write(made.slice(0, -5))],
  ['stalls within the body of an error', (socket) => socket.write(http('500 Oh', '{"code":13}').slice(0, -5))],
  ['drips its body', (socket) => drip(socket)],
  ['resets', (socket) => socket.resetAndDestroy()],
  ['closes without a response', (socket) => socket.end()],
  ['cuts its body short', (socket) => socket.end(made.slice(0, -5))],
  ['cuts a chunked body short', (socket) => socket.end(chunked(`40\r\n${invoice}`))],
  ['resets within its body', (socket) => socket.write(made.slice(0, -5), () => socket.resetAndDestroy())],
  ['sends no HTTP', (socket) => socket.end('220 smtp.example ESMTP\r\n')],
  ['sends garbage for a length', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n{}')],
];

function chunked(body: string): string {
  return `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body}`;
}

/** Sends a byte now and then, forever: a timeout that starts again with every byte would never end. */
function drip(socket: Socket): void {
  socket.write(chunked(''));
  const timer = setInterval(() => socket.write('1\r\n \r\n'), 20);
  socket.on('close', () => clearInterval(timer));
}

suite('a service that breaks on a real socket', { concurrency: true, timeout: 60_000 }, () => {
  for (const [name, fault] of faults) {
    test(`that ${name} leaves a create in doubt, in bounded time and with three tries`, async (context) => {
      const { server, service, passed } = await breaking(context, fault, Infinity);
      assert.equal((await failureOf(service.createInvoice(request))).failure, 'ambiguous');
      assert.ok(passed.ms <= 3 * tryMs + 2, `${passed.ms} ms`);
      assert.equal(server.requests.length, 3);
      const bodies = server.requests.map((text) => text.slice(text.indexOf('\r\n\r\n')));
      assert.deepEqual(new Set(bodies).size, 1);
    });
    test(`that ${name} once is called again and succeeds`, async (context) => {
      const { server, service } = await breaking(context, fault, 1);
      assert.equal((await service.createInvoice(request)).id, 'inv_1');
      assert.equal(server.requests.length, 2);
    });
  }
});

suite('a service on a real socket', () => {
  test('without a listener makes a create unavailable, not in doubt', async (context) => {
    const { server, service } = await against(context, () => undefined);
    await server.close();
    assert.equal((await failureOf(service.createInvoice(request))).failure, 'unavailable');
  });
  test('with an unknown host name makes a create unavailable, not in doubt', async () => {
    const service = createInvoiceServiceClient({
      baseUrl: 'https://no.such.name.invalid',
      token: 'x',
      ...quick,
    });
    assert.equal((await failureOf(service.createInvoice(request))).failure, 'unavailable');
  });

  for (const status of ['301 Moved', '302 Found', '303 See Other', '307 Temporary', '308 Permanent'])
    test(`that redirects with ${status} sends the token nowhere else`, async (context) => {
      const other = await rawServer((socket) => socket.write(made));
      context.after(other.close);
      const { server, service } = await against(context, (socket) =>
        socket.write(http(status, '', [`location: ${other.url}/`])),
      );
      const error = await failureOf(service.createInvoice(request));
      assert.equal(error.httpStatus, Number(status.slice(0, 3)));
      assert.deepEqual([server.requests.length, other.requests.length], [1, 0]);
    });

  test('with an endless response is cut off at the size limit', async (context) => {
    let written = 0;
    const { server, service } = await against(context, (socket) => {
      socket.write(chunked(''));
      const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
      const flood = () => {
        while (!socket.destroyed && written < 64 * 2 ** 20) {
          written += 0x10000;
          if (!socket.write(chunk)) return;
        }
      };
      socket.on('drain', flood);
      flood();
    });
    const error = await failureOf(service.createInvoice(request));
    assert.match(error.message, /too_large/);
    assert.ok(written < 32 * 2 ** 20, `${written} bytes`);
    await until(() => server.connections.used === 0);
  });
  test('with a Content-Length above the limit is not read', async (context) => {
    const { service } = await against(context, (socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n{'),
    );
    assert.match((await failureOf(service.createInvoice(request))).message, /too_large/);
  });
  test('gets many calls over connections that are kept alive', async (context) => {
    const { server, service } = await against(context, (socket) => socket.write(http('200 OK', '{"invoices":[]}')));
    for (let call = 0; call < 20; call += 1) await service.fetchInvoices(['inv_1']);
    assert.equal(server.requests.length, 20);
    assert.ok(server.connections.made <= 2, `${server.connections.made} connections`);
  });
  test('is closed when the caller aborts', async (context) => {
    const { server, service } = await against(context, () => undefined);
    const caller = new AbortController();
    const call = failureOf(service.fetchInvoices(['inv_1'], caller.signal));
    await until(() => server.requests.length === 1);
    caller.abort();
    assert.equal((await call).code, 'canceled');
    await until(() => server.connections.used === 0);
  });
});

// Two processes of the standalone server behind one nginx, as the documents say it, restarted in turn under constant requests.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../example-shops/example-shop.ts';
import { adminToken, Buyer } from '../support/buyer.ts';
import { startSandbox, startServerProcess, type ServerProcess } from '../support/standalone-server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/wait-until.ts';
import { nginxFile, skipWithout, startProxy } from './start-proxy.ts';

const text =
  /```nginx\n(upstream [^`]*)```/.exec(readFileSync('docs/operations.md', 'utf8'))?.[1] ?? assert.fail('no nginx text');

type Send = (checkoutUrl: string, signal: AbortSignal) => Promise<Response>;

/** The requests that a shop and its payers send. */
const requests: Readonly<Record<string, Send>> = {
  read: (url, signal) => fetch(url, { signal }),
  async longPoll(url, signal) {
    const etag = (await fetch(url, { signal })).headers.get('etag') ?? '';
    return fetch(url, { headers: { prefer: 'wait=25', 'if-none-match': etag }, signal });
  },
  create: (url, signal) =>
    fetch(`${url}/invoice`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'the-same-each-time' },
      body: JSON.stringify({ payment_method_id: 'pm_sbp' }),
      signal,
    }),
  order: (url, signal) =>
    fetch(new URL('/admin/checkouts', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ order_id: randomUUID(), amount: '1500.00', currency: 'RUB' }),
      signal,
    }),
};

/** Sends five requests of each kind at a time. The returned function ends it, and returns the number of each result. */
function sendConstantly(checkoutUrl: string): () => Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  const controller = new AbortController();
  const { signal } = controller;
  const isOver = (): boolean => signal.aborted;
  const repeat = async (name: string, send: Send): Promise<void> => {
    while (!isOver()) {
      const result = await send(checkoutUrl, signal)
        .then(async ({ status, body }) => {
          await body?.cancel();
          return status;
        })
        .catch(String);
      if (isOver()) return;
      counts[`${name} ${result}`] = (counts[`${name} ${result}`] ?? 0) + 1;
      await delay(Math.random() * 100);
    }
  };
  for (const [name, send] of Object.entries(requests))
    for (let index = 0; index < 5; index += 1) void repeat(name, send);
  return () => {
    controller.abort();
    return counts;
  };
}

test('no request fails while one process after the other is restarted', { skip: skipWithout('nginx') }, async (t) => {
  const sandbox = await startSandbox(t);
  const port = await findFreePort();
  const serverPorts = [await findFreePort(), await findFreePort()] as const;
  const url = `http://127.0.0.1:${port}`;
  const folder = temporaryFolder();
  const start = (serverPort: string): Promise<ServerProcess> =>
    startServerProcess(t, sandbox, {
      PORT: serverPort,
      PUBLIC_URL: url,
      DATA_DIR: folder,
      TRUST_PROXY: '1',
      LOG_LEVEL: 'error',
    });
  const processes: ServerProcess[] = [];
  for (const serverPort of serverPorts) processes.push(await start(serverPort));
  await startProxy(t, 'nginx', port, (proxyFolder) =>
    nginxFile(
      proxyFolder,
      text
        .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
        .replaceAll(/ssl_.*;/g, '')
        .replace('8080', serverPorts[0])
        .replace('8081', serverPorts[1]),
    ),
  );
  const buyer = new Buyer({ url, sandbox });
  await buyer.order();
  await buyer.createInvoice('pm_sbp', 'the-same-each-time');

  const stopSending = sendConstantly(`${url}/checkout/${buyer.checkoutId}`);
  for (const [index, serverPort] of serverPorts.entries()) {
    await delay(1000);
    const { child } = processes[index] ?? assert.fail();
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
    processes[index] = await start(serverPort);
    await until('the process is ready', async () => (await fetch(`http://127.0.0.1:${serverPort}/readyz`)).ok);
  }
  const counts = stopSending();
  t.diagnostic(JSON.stringify(counts));
  for (const kind of Object.keys(requests))
    assert.ok(
      Object.keys(counts).some((name) => name.startsWith(kind)),
      kind,
    );
  assert.deepEqual(
    Object.keys(counts).filter((name) => !/ (200|201|304)$/.test(name)),
    [],
  );
});

import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { Buyer } from '../support/buyer.ts';
import { until } from '../support/wait-until.ts';

const folder = await mkdtemp(join(tmpdir(), 'start-'));
const children = new Set<ChildProcess>();
after(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

/** Runs the server. */
function runProgram(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/support/server-program.ts'], {
    env: { PATH: process.env['PATH'], DATA_DIR: join(folder, 'data'), PORT: '0', SANDBOX_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  return child;
}

/** Starts a server and resolves when it has printed its addresses. */
async function startShop(env: Readonly<Record<string, string>>) {
  const child = runProgram(env);
  let url = '';
  let sandbox = '';
  for await (const line of createInterface({ input: child.stdout })) {
    url ||= /Server\s+(\S+)/.exec(line)?.[1] ?? '';
    sandbox ||= /Sandbox\s+(\S+)/.exec(line)?.[1] ?? '';
    if (url !== '' && sandbox !== '') break;
  }
  const ports = { PORT: new URL(url).port, SANDBOX_PORT: new URL(sandbox).port };
  return { child, url, sandbox, ports };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null) await once(child, 'exit');
}

const busyServer = createServer().listen(0, '127.0.0.1');
await once(busyServer, 'listening');
const address = busyServer.address();
const busyPort = typeof address === 'object' && address !== null ? String(address.port) : '';
after(() => busyServer.close());

const failingStarts: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  ['an invalid variable', { PORT: 'http' }, /^Cannot start: PORT must be a whole number from 0 to 65535$/],
  [
    'a real service without a mode',
    { INVOICE_BASE_URL: 'https://pay.example', INVOICE_ACCESS_TOKEN: 'secret' },
    /^Cannot start: INVOICE_MODE is required when INVOICE_BASE_URL names a service$/,
  ],
  ['a port that is in use', { PORT: busyPort }, /^Cannot start: port \d+ cannot be used \(EADDRINUSE\)/],
  [
    'a sandbox port that is in use',
    { SANDBOX_PORT: busyPort },
    /^Cannot start: port \d+ cannot be used \(EADDRINUSE\)/,
  ],
  [
    'a data folder that cannot exist',
    { DATA_DIR: '/dev/null/data' },
    /^Cannot start: the database .* cannot be opened: /,
  ],
  [
    'a database that does not answer',
    { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' },
    /DATABASE_URL cannot be opened/,
  ],
];
for (const [cause, env, message] of failingStarts)
  test(`the server prints one line without secrets and exits with 1 because of ${cause}`, async () => {
    const child = runProgram(env);
    const [errors, output] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'exit')]);
    assert.equal(child.exitCode, 1);
    assert.match(errors.trimEnd(), message);
    assert.equal(errors.trimEnd().split('\n').length, 1, errors);
    assert.doesNotMatch(errors + output, /secret/);
  });

test('a payment reaches the payer and the shop although the program is killed and started again before and after it', async () => {
  const DATA_DIR = join(folder, 'killed');
  const firstShop = await startShop({ DATA_DIR });
  const buyer = new Buyer(firstShop);
  await buyer.order();
  const { invoice } = await buyer.createInvoice();
  assert.ok(invoice);
  await kill(firstShop.child);

  const secondShop = await startShop({ DATA_DIR, ...firstShop.ports });
  assert.equal((await buyer.readCheckout()).invoice?.id, invoice.id);
  await buyer.simulate(invoice.id, 'pay');
  await kill(secondShop.child);

  await startShop({ DATA_DIR, ...firstShop.ports });
  await buyer.waitFor('paid');
  await until('the outcome is delivered', async () => (await buyer.readDelivered()).includes('paid'));
  assert.deepEqual(await buyer.readDelivered(), ['paid'], 'the outcome is stored once');
});

test('the program answers its long polls and exits with 0 after SIGTERM', async () => {
  const { child, url, sandbox } = await startShop({ DATA_DIR: join(folder, 'terminated') });
  const buyer = new Buyer({ url, sandbox });
  await buyer.order();
  const etag = (await fetch(`${url}/checkout/${buyer.checkoutId}`)).headers.get('etag') ?? '';
  const longPoll = fetch(`${url}/checkout/${buyer.checkoutId}`, {
    headers: { prefer: 'wait=30', 'if-none-match': etag },
  });
  await buyer.readCheckout(); // its response shows that the shop has received the long poll before it
  child.kill('SIGTERM');
  assert.ok([200, 304].includes((await longPoll).status));
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

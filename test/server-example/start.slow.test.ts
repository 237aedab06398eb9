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
import { sql } from 'kysely';
import { openDatabase } from '../support/open-database.ts';
import { Buyer } from './buyer.ts';
import { until } from '../support/wait-until.ts';

const root = await mkdtemp(join(tmpdir(), 'start-'));
const children = new Set<ChildProcess>();
after(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(root, { recursive: true });
});

/** Runs the program of `npm start` without its build. */
function run(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'server-example/npm-start.ts'], {
    env: { PATH: process.env['PATH'], DATA_DIR: join(root, 'data'), PORT: '0', SANDBOX_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  return child;
}

/** Starts a shop and resolves when it has printed its addresses. */
async function start(env: Readonly<Record<string, string>>) {
  const child = run(env);
  let url = '';
  let sandbox = '';
  for await (const line of createInterface({ input: child.stdout })) {
    url ||= /Shop\s+(\S+)/.exec(line)?.[1] ?? '';
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

const busy = createServer().listen(0, '127.0.0.1');
await once(busy, 'listening');
const address = busy.address();
const busyPort = typeof address === 'object' && address !== null ? String(address.port) : '';
after(() => busy.close());

const refusals: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  ['a wrong variable', { PORT: 'http' }, /^Cannot start: PORT must be a whole number from 0 to 65535$/],
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
for (const [what, env, message] of refusals)
  test(`stops with one clear line for ${what}`, async () => {
    const child = run(env);
    const [errors, printed] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'exit')]);
    assert.equal(child.exitCode, 1);
    assert.match(errors.trimEnd(), message);
    assert.equal(errors.trimEnd().split('\n').length, 1, errors);
    assert.doesNotMatch(errors + printed, /secret/);
  });

test('a payment continues after the program was killed and started again', async () => {
  const DATA_DIR = join(root, 'killed');
  const first = await start({ DATA_DIR });
  const buyer = new Buyer(first);
  await buyer.order();
  const { invoice } = await buyer.createInvoice();
  assert.ok(invoice);
  await kill(first.child);

  const second = await start({ DATA_DIR, ...first.ports });
  assert.equal((await buyer.readCheckout()).invoice?.id, invoice.id);
  await buyer.simulate(invoice.id, 'pay');
  await kill(second.child);

  const third = await start({ DATA_DIR, ...first.ports });
  await buyer.waitFor('paid');
  await until('the order is paid', async () => (await buyer.readOrder()).status === 'paid');
  await kill(third.child);

  const database = await openDatabase({ dataDir: DATA_DIR }, []);
  const { rows } = await sql<{ kind: string }>`select kind from order_payments`.execute(database.db);
  await database.close();
  assert.deepEqual(rows, [{ kind: 'paid' }], 'the payment is stored once');
});

test('ends at SIGTERM, and answers the waiting requests', async () => {
  const { child, url, sandbox } = await start({ DATA_DIR: join(root, 'terminated') });
  const buyer = new Buyer({ url, sandbox });
  await buyer.order();
  const etag = (await fetch(`${url}/checkout/${buyer.checkoutId}`)).headers.get('etag') ?? '';
  const held = fetch(`${url}/checkout/${buyer.checkoutId}`, { headers: { prefer: 'wait=30', 'if-none-match': etag } });
  await buyer.readCheckout(); // answered after the request before it was received
  child.kill('SIGTERM');
  assert.ok([200, 304].includes((await held).status));
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

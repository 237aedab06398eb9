import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { operationPath, type Operation } from '../../src/service-api.ts';
import { createInvoiceServiceClient, toNodeListener } from '../../src/server.ts';
import { documentOf, shellIn } from '../docs/documents.ts';
import { listen } from '../mounts/listen.ts';
import { createMerchantBackend } from '../mounts/merchant-backend.ts';
import { checkoutParams } from '../support/test-checkout-server.ts';
import { installNode } from '../../scripts/install-node.ts';
import { CleanMachine } from './clean-machine.ts';

/** A substitute for `php`. It creates a checkout in the shop at this address, and prints the checkout's capability. */
const createArtisan = (shop: string): string => `#!/bin/sh
case "$*" in
  'artisan orders:open --typed') exec curl --silent ${shop}/typed ;;
  'artisan orders:open --amount=1500.00') exec curl --silent ${shop}/priced ;;
esac
exit 1
`;

let machine: CleanMachine;
before(async () => {
  machine = await CleanMachine.withPackage();
});
after(() => machine.remove());

async function callOperation(sandbox: string, name: Operation, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer token-of-mine' };
  const response = await fetch(`${sandbox}${operationPath(name)}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 200, await response.clone().text());
  return response.json();
}

describe('a machine with only the package installed', { timeout: 300_000 }, () => {
  it('has the four libraries that the package imports, and none of the example', async () => {
    const installedPackages = (await machine.run('npm', 'ls', '--all', '--parseable'))
      .split('\n')
      .map((line) => basename(line));
    for (const name of ['hono', 'libsql', 'express', 'pg']) assert.ok(!installedPackages.includes(name), name);
    for (const name of ['pay-invoice', 'kysely', 'lit', 'qrcode', 'zod'])
      assert.ok(installedPackages.includes(name), name);
  });

  const serverVariables = ['PORT=0', 'SANDBOX_PORT=0', 'DATA_DIR=kept'];

  it('serves a trial with nothing else on Node 22.13, keeps it in files of its owner, and prints the tables on any version', async () => {
    const node = installNode('22.13.0');
    if (typeof node === 'string') throw new Error(node);
    const program = machine.start('env', ...serverVariables, node.binary, 'node_modules/.bin/pay-invoice-server');
    const url = await program.printed(/Checkout server +(http:\S+)/);
    await program.printed(/Sandbox +(http:\S+)/);
    assert.equal(await program.printed(/Database +(.+)/), 'SQLite kept/checkouts.db (node:sqlite)');
    const authorization = `Bearer ${await program.printed(/Admin token +(\S+)/)}`;
    const response = await fetch(`${url}/admin/checkouts`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ order_id: '1001', amount: '1500.00', currency: 'RUB' }),
    });
    assert.equal(response.status, 201, await response.text());
    const files = (await readdir(join(machine.folder, 'kept'))).sort();
    assert.deepEqual(files, ['checkouts.db', 'checkouts.db-shm', 'checkouts.db-wal', 'sandbox.jsonl']);
    for (const file of files) assert.equal((await stat(join(machine.folder, 'kept', file))).mode & 0o777, 0o600, file);
    await program.stop();
    assert.match(await machine.run('pay-invoice-server', 'ddl'), /create table pay_invoice_checkouts/);
    assert.match(await machine.run('pay-invoice-server', 'ddl', '--postgres'), /create table pay_invoice\.checkouts/);
  });

  it(
    'says in one line what to do on a Node without SQLite',
    { skip: process.getBuiltinModule('node:sqlite') !== undefined },
    async () => {
      const run = machine.run('env', ...serverVariables, 'pay-invoice-server');
      await assert.rejects(
        run,
        /\nCannot start: .*Node 20\S+ has no SQLite: use Node 22.13 or later, or run npm install libsql\n$/,
      );
    },
  );

  it('runs the sandbox, which keeps its invoices after a kill when it has a store', async () => {
    const flags = ['--port', '0', '--token', 'token-of-mine', '--store', 'kept.jsonl'];
    const firstRun = machine.start('npx', '--no-install', 'pay-invoice-sandbox', ...flags);
    const sandbox = await firstRun.printed(/Sandbox +(http:\S+)/);
    assert.match(await firstRun.printed(/(Token.*)/), /the one that you gave/);
    const createResponse = await callOperation(sandbox, 'CreateInvoice', { amount: '10.00', external_id: 'order-1' });
    const { id, payment_url } = createResponse as { id: string; payment_url: string };
    const page = await (await fetch(payment_url)).text();
    assert.match(page, /10,00/);
    await fetch(payment_url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }) });
    const responseBeforeKill = await callOperation(sandbox, 'FetchInvoices', { ids: [id] });
    assert.match(JSON.stringify(responseBeforeKill), /"status":"PAID"/);
    await firstRun.kill();

    const port = new URL(sandbox).port;
    const secondRun = machine.start('pay-invoice-sandbox', ...flags.with(1, port));
    assert.equal(await secondRun.printed(/Sandbox +(http:\S+)/), sandbox);
    assert.deepEqual(await callOperation(sandbox, 'FetchInvoices', { ids: [id] }), responseBeforeKill);
    await assert.rejects(machine.run('pay-invoice-sandbox', '--port', port), /cannot start: port \d+ is in use/);
    await secondRun.kill();
  });

  it('has programs that print their help and reject wrong arguments', async () => {
    for (const bin of ['pay-invoice-sandbox', 'pay-invoice-conformance'])
      assert.match(await machine.run(bin, '--help'), new RegExp(`^Usage: ${bin}`));
    await assert.rejects(machine.run('pay-invoice-sandbox', '--port', 'no'), /--port must be a whole number/);
    await assert.rejects(machine.run('pay-invoice-conformance'), /name one endpoint/);
  });

  it('confirms by the commands of docs/conformance.md that a backend with the package’s sandbox serves the checkout API', async () => {
    const baseUrl = await machine.start('pay-invoice-sandbox', '--port', '0').printed(/Sandbox +(http:\S+)/);
    const merchant = createMerchantBackend({
      service: createInvoiceServiceClient({ baseUrl, token: 'sandbox-token' }),
    });
    const serve = toNodeListener(merchant.checkouts);
    const paramsByPath = {
      '/priced': checkoutParams,
      '/typed': { ...checkoutParams, amount: null, amountLimits: { minAmount: '1.00' } },
    };
    const { endpoint, close } = await listen(
      createServer((request, response) => {
        const [, params] = Object.entries(paramsByPath).find(([path]) => path === request.url) ?? [];
        if (params === undefined) serve(request, response);
        else
          void merchant.checkouts
            .create({ ...params, orderId: crypto.randomUUID() })
            .then(({ capability }) => response.end(capability));
      }),
    );
    await machine.write({ 'node_modules/.bin/php': createArtisan(new URL(endpoint).origin) });
    await machine.run('chmod', '+x', 'node_modules/.bin/php');
    const guide = documentOf('docs/conformance.md');
    for (const [commandStart, checks] of [
      ['npx pay-invoice-conformance http://localhost:8000/checkout --checkout', 'checkout,etag'],
      [
        'npx pay-invoice-conformance http://localhost:8000/checkout \\\n',
        'checkout,invoice.created,typed.shape,paid.seen',
      ],
    ] as const) {
      const command = shellIn(guide, commandStart)
        .trim()
        .replace('http://localhost:8000/checkout', endpoint)
        .replace('chk_…', await merchant.open())
        .replace('http://127.0.0.1:8081', baseUrl);
      const output = await machine.run('sh', '-c', `${command} --only ${checks}`);
      assert.match(output, /\d passed, 0 violations, 0 not run/);
    }
    await Promise.all([close(), merchant.checkouts.stop()]);
  });
});

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { basename } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { operationPath, type Operation } from '../../src/contract.ts';
import { createInvoiceServiceClient, toNodeListener } from '../../src/server.ts';
import { documentOf, shellIn } from '../docs/documents.ts';
import { listen } from '../mounts/listen.ts';
import { createMerchantBackend } from '../mounts/merchant-backend.ts';
import { checkoutParams } from '../support/test-checkout-server.ts';
import { CleanMachine } from './clean-machine.ts';

/** A substitute for `php`: it creates a checkout in the shop at that address, and prints its capability. */
const artisan = (shop: string): string => `#!/bin/sh
case "$*" in
  'artisan orders:open --typed') exec curl --silent ${shop}/typed ;;
  'artisan orders:open --amount=1500.00') exec curl --silent ${shop}/priced ;;
esac
exit 1
`;

let machine: CleanMachine;
before(async () => {
  machine = await CleanMachine.make();
});
after(() => machine.remove());

async function call(sandbox: string, name: Operation, body: object): Promise<unknown> {
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
  it('has the two libraries that the package imports, and none of the example', async () => {
    const installed = (await machine.run('npm', 'ls', '--all', '--parseable'))
      .split('\n')
      .map((line) => basename(line));
    for (const name of ['hono', 'kysely', 'libsql', 'express', 'pg', 'qrcode'])
      assert.ok(!installed.includes(name), name);
    for (const name of ['pay-invoice', 'lit', 'zod']) assert.ok(installed.includes(name), name);
  });

  it('runs the sandbox, which keeps its invoices after a kill when it has a store', async () => {
    const flags = ['--port', '0', '--token', 'token-of-mine', '--store', 'kept.jsonl'];
    const first = machine.start('npx', '--no-install', 'pay-invoice-sandbox', ...flags);
    const sandbox = await first.printed(/Sandbox +(http:\S+)/);
    assert.match(await first.printed(/(Token.*)/), /the one that you gave/);
    const created = await call(sandbox, 'CreateInvoice', { amount: '10.00', external_id: 'order-1' });
    const { id, payment_url } = created as { id: string; payment_url: string };
    const page = await (await fetch(payment_url)).text();
    assert.match(page, /10,00/);
    await fetch(payment_url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }) });
    const before = await call(sandbox, 'FetchInvoices', { ids: [id] });
    assert.match(JSON.stringify(before), /"status":"PAID"/);
    await first.kill();

    const port = new URL(sandbox).port;
    const second = machine.start('pay-invoice-sandbox', ...flags.with(1, port));
    assert.equal(await second.printed(/Sandbox +(http:\S+)/), sandbox);
    assert.deepEqual(await call(sandbox, 'FetchInvoices', { ids: [id] }), before);
    await assert.rejects(machine.run('pay-invoice-sandbox', '--port', port), /cannot start: port \d+ is in use/);
    await second.kill();
  });

  it('prints its help, and rejects wrong arguments', async () => {
    for (const bin of ['pay-invoice-sandbox', 'pay-invoice-conformance'])
      assert.match(await machine.run(bin, '--help'), new RegExp(`^Usage: ${bin}`));
    await assert.rejects(machine.run('pay-invoice-sandbox', '--port', 'no'), /--port must be a whole number/);
    await assert.rejects(machine.run('pay-invoice-conformance'), /name one endpoint/);
  });

  it('confirms that a backend with that sandbox serves the checkout API, by the commands of docs/conformance.md', async () => {
    const baseUrl = await machine.start('pay-invoice-sandbox', '--port', '0').printed(/Sandbox +(http:\S+)/);
    const merchant = createMerchantBackend({
      service: createInvoiceServiceClient({ baseUrl, token: 'sandbox-token' }),
    });
    const serve = toNodeListener(merchant.checkouts);
    const opened = {
      '/priced': checkoutParams,
      '/typed': { ...checkoutParams, amount: null, amountLimits: { minAmount: '1.00' } },
    };
    const { endpoint, close } = await listen(
      createServer((request, response) => {
        const [, order] = Object.entries(opened).find(([path]) => path === request.url) ?? [];
        if (order === undefined) serve(request, response);
        else
          void merchant.checkouts.create({ ...order, orderId: crypto.randomUUID() }).then(({ id }) => response.end(id));
      }),
    );
    await machine.write({ 'node_modules/.bin/php': artisan(new URL(endpoint).origin) });
    await machine.run('chmod', '+x', 'node_modules/.bin/php');
    const guide = documentOf('docs/conformance.md');
    for (const [start, only] of [
      ['npx pay-invoice-conformance http://localhost:8000/checkout --checkout', 'checkout,etag'],
      [
        'npx pay-invoice-conformance http://localhost:8000/checkout \\\n',
        'checkout,invoice.created,typed.shape,paid.seen',
      ],
    ] as const) {
      const command = shellIn(guide, start)
        .trim()
        .replace('http://localhost:8000/checkout', endpoint)
        .replace('chk_…', await merchant.open())
        .replace('http://127.0.0.1:8081', baseUrl);
      const output = await machine.run('sh', '-c', `${command} --only ${only}`);
      assert.match(output, /\d passed, 0 violations, 0 not run/);
    }
    await Promise.all([close(), merchant.checkouts.stop()]);
  });
});

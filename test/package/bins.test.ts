import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { basename } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { operationPath, type Operation } from '../../src/contract.ts';
import { createInvoiceServiceClient, toNodeListener } from '../../src/server.ts';
import { listen } from '../mounts/listen.ts';
import { createMerchant } from '../mounts/merchant.ts';
import { Machine } from './machine.ts';

let machine: Machine;
before(async () => {
  machine = await Machine.make();
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

describe('a machine with nothing but the package', { timeout: 120_000 }, () => {
  it('has the three libraries of the widget, and none of the example', async () => {
    const installed = (await machine.run('npm', 'ls', '--all', '--parseable'))
      .split('\n')
      .map((line) => basename(line));
    for (const name of ['hono', 'kysely', 'libsql', 'express', 'pg']) assert.ok(!installed.includes(name), name);
    for (const name of ['pay-invoice', 'lit', 'qrcode', 'zod']) assert.ok(installed.includes(name), name);
  });

  it('runs the whole sandbox, which keeps invoices through a kill where it is asked to', async () => {
    const flags = ['--port', '0', '--token', 'token-of-mine', '--store', 'kept.jsonl'];
    const first = machine.start('npx', '--no-install', 'pay-invoice-sandbox', ...flags);
    const sandbox = await first.said(/Sandbox +(http:\S+)/);
    assert.match(await first.said(/(Token.*)/), /the one that you gave/);
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
    assert.equal(await second.said(/Sandbox +(http:\S+)/), sandbox);
    assert.deepEqual(await call(sandbox, 'FetchInvoices', { ids: [id] }), before);
    await assert.rejects(machine.run('pay-invoice-sandbox', '--port', port), /cannot start: port \d+ is in use/);
    await second.kill();
  });

  it('helps', async () => {
    for (const bin of ['pay-invoice-sandbox', 'pay-invoice-conformance'])
      assert.match(await machine.run(bin, '--help'), new RegExp(`^Usage: ${bin}`));
    await assert.rejects(machine.run('pay-invoice-sandbox', '--port', 'no'), /--port must be a whole number/);
    await assert.rejects(machine.run('pay-invoice-conformance'), /name one endpoint/);
  });

  it('tells that a backend in front of that sandbox serves the checkout API', async () => {
    const program = machine.start('pay-invoice-sandbox', '--port', '0');
    const baseUrl = await program.said(/Sandbox +(http:\S+)/);
    const merchant = createMerchant({ service: createInvoiceServiceClient({ baseUrl, token: 'sandbox-token' }) });
    const { endpoint, close } = await listen(createServer(toNodeListener(merchant.checkouts)));
    const ids = await Promise.all(Array.from({ length: 4 }, () => merchant.open()));
    const flags = ids.flatMap((id) => ['--checkout', id]);
    const only = ['--only', 'checkout,invoice.created'];
    const said = await machine.run('pay-invoice-conformance', endpoint, ...flags, ...only, '--sandbox', baseUrl);
    assert.match(said, /\d\d passed, 0 findings/);
    await Promise.all([close(), merchant.checkouts.stop(), program.kill()]);
  });
});

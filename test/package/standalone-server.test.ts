import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { listen } from '../mounts/listen.ts';
import { until } from '../support/wait-until.ts';
import { CleanMachine, type Program } from './clean-machine.ts';

// Follows docs/standalone-server.md in a folder with only the packed package and the driver of SQLite.
const adminToken = 'token-of-the-admin-api-1234';
const key = Buffer.alloc(24, 7);
const secret = `whsec_${key.toString('base64')}`;

interface Webhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let machine: CleanMachine;
let program: Program;
let receiver: Awaited<ReturnType<typeof listen>>;
let variables: readonly string[] = [];
let addresses = { server: '', sandbox: '', metrics: '' };
const webhooks: Webhook[] = [];

/** Runs the server with more variables, and waits until it ends. */
const runServer = (moreVariables: readonly string[], ...args: readonly string[]): Promise<string> =>
  machine.run('env', ...variables, ...moreVariables, 'pay-invoice-server', ...args);

before(async () => {
  machine = await CleanMachine.withPackage('libsql');
  receiver = await listen(
    createServer((request, response) => {
      void text(request).then((body) => {
        const isSigned = request.headers['webhook-signature'] !== undefined;
        if (isSigned) webhooks.push({ headers: request.headers, body });
        response.writeHead(isSigned ? 204 : 401).end();
      });
    }),
    '',
  );
  variables = [
    'PORT=0',
    'SANDBOX_PORT=0',
    'METRICS_PORT=0',
    'DATA_DIR=data',
    `ADMIN_TOKEN=${adminToken}`,
    `OUTCOME_SECRET=${secret}`,
    `OUTCOME_URL=${receiver.endpoint}/outcomes`,
    'ALLOWED_ORIGINS=https://shop.example',
  ];
  program = machine.start('env', ...variables, 'pay-invoice-server');
  addresses = {
    server: await program.printed(/Checkout server +(http:\S+)/),
    sandbox: await program.printed(/Sandbox +(http:\S+)/),
    metrics: await program.printed(/Metrics +(http:\S+)/),
  };
});
after(async () => {
  await machine.remove();
  await receiver.close();
});

const post = (url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const createCheckout = (token: string, orderId: string): Promise<Response> =>
  post(
    `${addresses.server}/admin/checkouts`,
    { order_id: orderId, amount: '1500.00', currency: 'RUB' },
    { authorization: `Bearer ${token}` },
  );

const createdSchema = z.object({
  id: z.string().startsWith('co_'),
  capability: z.string().startsWith('chk_'),
  status: z.literal('open'),
  order_id: z.string(),
});
const checkoutSchema = z.object({
  status: z.string(),
  options: z.array(z.object({ id: z.string(), type: z.string() })),
  invoice: z.object({ id: z.string() }).nullable(),
});

describe('the standalone server from the packed package', { timeout: 300_000 }, () => {
  it('prints its help, its version and the tables of its database', async () => {
    assert.match(
      await machine.run('npx', '--no-install', 'pay-invoice-server', '--help'),
      /^Usage: pay-invoice-server/,
    );
    assert.match(await runServer([], '--version'), /^\d+\.\d+\.\d+\n$/);
    assert.match(await runServer([], 'ddl'), /create table .*checkouts/i);
    await assert.rejects(runServer([], 'delete'), /unknown argument: delete/);
  });

  it('serves the widget and the parts that it loads, compressed', async () => {
    const response = await fetch(`${addresses.server}/pay-invoice.js`, { headers: { 'accept-encoding': 'br' } });
    assert.deepEqual([response.status, response.headers.get('content-encoding')], [200, 'br']);
    const script = await response.text(); // fetch decompresses
    const chunks = [...script.matchAll(/\.\/(pay-invoice\.[\w.-]+\.js)/g)].map(([, name]) => name);
    assert.ok(chunks.length > 0, 'the widget loads no parts');
    for (const name of new Set(chunks)) {
      const chunk = await fetch(`${addresses.server}/${name ?? ''}`);
      assert.equal(chunk.status, 200, name);
      assert.equal(chunk.headers.get('cache-control'), 'public, max-age=31536000, immutable', name);
    }
  });

  it('notifies the shop of a payment by a webhook that is signed by Standard Webhooks', async () => {
    const { capability } = createdSchema.parse(await (await createCheckout(adminToken, '1002')).json());
    const url = `${addresses.server}/checkout/${capability}`;
    const [method] = checkoutSchema.parse(await (await fetch(url)).json()).options.filter(({ type }) => type === 'SBP');
    const body = { payment_method_id: method?.id };
    const createResponse = await post(`${url}/invoice`, body, { 'idempotency-key': crypto.randomUUID() });
    assert.equal(createResponse.status, 201);
    const { invoice } = checkoutSchema.parse(await createResponse.json());
    await post(`${addresses.sandbox}/sandbox/invoices/${invoice?.id ?? ''}/pay`, {});
    await until('the webhook arrives', () => Promise.resolve(webhooks.length > 0), 30_000);
    const [webhook] = webhooks;
    const {
      'webhook-id': messageId,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    } = webhook?.headers ?? {};
    const signedContent = `${String(messageId)}.${String(timestamp)}.${webhook?.body ?? ''}`;
    assert.equal(signature, `v1,${createHmac('sha256', key).update(signedContent).digest('base64')}`);
    const payload = z
      .object({ type: z.string(), data: z.looseObject({ id: z.string(), order_id: z.string(), amount: z.string() }) })
      .parse(JSON.parse(webhook?.body ?? ''));
    const { type, data } = payload;
    assert.deepEqual([type, data.id, data.order_id, data.amount], ['checkout.paid', messageId, '1002', '1500.00']);
    assert.equal(checkoutSchema.parse(await (await fetch(url)).json()).status, 'paid');
  });

  it('passes the checks of its command `doctor`, which fails with a reason when OUTCOME_URL accepts unsigned requests', async () => {
    assert.doesNotMatch(await runServer([], 'doctor'), /^fail/m);
    const { port } = new URL(addresses.server);
    await assert.rejects(
      runServer([`OUTCOME_URL=http://127.0.0.1:${port}/healthz`], 'doctor'),
      /fail +outcomes .*accepts a request without a signature/,
    );
  });

  it('ends with exit code 0 at SIGTERM, and keeps the checkouts for the next start', async () => {
    assert.equal(await program.stop(), 0);
    const secondRun = machine.start('env', ...variables, 'pay-invoice-server');
    addresses = { ...addresses, server: await secondRun.printed(/Checkout server +(http:\S+)/) };
    assert.equal((await createCheckout(adminToken, '1002')).status, 200);
    assert.equal(await secondRun.stop(), 0);
  });
});

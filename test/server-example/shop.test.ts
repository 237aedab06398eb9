import assert from 'node:assert/strict';
import { join } from 'node:path';
import process from 'node:process';
import { test, type TestContext } from 'node:test';
import { startShop } from '../../server-example/shop.ts';
import { readEnvironment } from '../../src/standalone.ts';
import { Buyer } from '../support/buyer.ts';
import { recordReads } from '../support/record-reads.ts';
import { until } from '../support/wait-until.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

async function openShop(t: TestContext, variables: Readonly<Record<string, string>> = {}) {
  const shop = await startShop(readEnvironment({ PORT: '0', SANDBOX_PORT: '0', DATA_DIR: folder, ...variables }));
  t.after(() => shop.close());
  return shop;
}

test('an order has the sum of the catalogue’s prices, a reference and the return addresses, and is paid by its checkout', async (t) => {
  const shop = await openShop(t);
  const { order_id, checkout, pay_url } = await shop.place([
    { sku: 'cup', quantity: 2 },
    { sku: 'postcard', quantity: 1 },
  ]);
  const buyer = new Buyer({ url: shop.url, sandbox: shop.sandbox ?? '' }, { checkoutId: checkout });
  const { amount, reference, return_urls } = await buyer.readCheckout();
  assert.deepEqual([amount, reference], ['3045.00', order_id]);
  assert.deepEqual(return_urls, { success_url: `${shop.url}/paid`, fail_url: shop.url });
  assert.match(await (await fetch(pay_url, { headers: { 'accept-language': 'en' } })).text(), /Leaf &amp; Clay/);
  assert.match(order_id, /^\d{10}$/);
  assert.ok(!pay_url.includes(order_id), 'the number gives access to nothing');

  const { invoice } = await buyer.createInvoice();
  assert.equal((await shop.find(order_id))?.paid_at, null);
  await buyer.simulate(invoice?.id ?? '', 'pay');
  await buyer.waitFor('paid');
  await until('the order is paid', async () => (await shop.find(order_id))?.paid_at !== null);
});

test('a shop in LIVE with a real service has no sandbox, and says that its payments are no test', async (t) => {
  const shop = await openShop(t, {
    DATA_DIR: join(folder, 'live'),
    INVOICE_BASE_URL: 'http://127.0.0.1:9',
    INVOICE_ACCESS_TOKEN: 'token',
    INVOICE_MODE: 'LIVE',
    INVOICE_PAID_STATUSES: 'PAID',
    PUBLIC_URL: 'https://shop.example',
  });
  assert.deepEqual([shop.test, shop.sandbox, shop.url], [false, undefined, 'https://shop.example']);
});

test('a shop says at its start which variables it does not read, because only the standalone server does', async (t) => {
  const written = t.mock.method(process.stderr, 'write', () => true);
  await openShop(t, {
    DATA_DIR: join(folder, 'ignored'),
    OUTCOME_URL: 'https://shop.example/outcomes',
    SHOP_NAME: 'Leaf',
  });
  const lines = written.mock.calls.map(({ arguments: [text] }) => String(text));
  written.mock.restore();
  const [line = assert.fail(lines.join(''))] = lines.filter((text) => text.includes('"variables_ignored"'));
  assert.match(line, /"level":"warn".*"variables":"OUTCOME_URL, SHOP_NAME"/);
});

test('each variable that the shop reads from the environment has an effect in it', async (t) => {
  const env = readEnvironment({ PORT: '0', SANDBOX_PORT: '0', DATA_DIR: folder });
  const { read, recorded } = recordReads(env);
  const shop = await startShop(recorded);
  t.after(() => shop.close());
  await (await fetch(`${shop.url}/checkout/chk_unknown`)).arrayBuffer(); // the number of proxies is read at a request
  assert.deepEqual(
    Object.keys(env).filter((name) => !read.has(name)),
    [],
  );
});

test('an order of an unknown product is not stored', async (t) => {
  const shop = await openShop(t);
  await assert.rejects(shop.place([{ sku: 'nothing', quantity: 1 }]), { message: 'there is no product nothing' });
  assert.equal(await shop.find('nothing'), undefined);
});

test('an order and its payment outlive the program, and a payment of another amount does not pay the order', async (t) => {
  const first = await startShop(readEnvironment({ PORT: '0', SANDBOX_PORT: '0', DATA_DIR: join(folder, 'restart') }));
  const order = await first.place([{ sku: 'cup', quantity: 1 }]);
  const buyer = new Buyer({ url: first.url, sandbox: first.sandbox ?? '' }, { checkoutId: order.checkout });
  const { invoice } = await buyer.createInvoice();
  await first.close();
  const ports = { PORT: new URL(first.url).port, SANDBOX_PORT: new URL(first.sandbox ?? '').port };
  const second = await openShop(t, { ...ports, DATA_DIR: join(folder, 'restart') });
  t.mock.method(console, 'error', () => undefined);
  const fault = JSON.stringify({ operation: 'FetchInvoices', kind: 'wrong_amount' });
  const headers = { 'content-type': 'application/json' };
  const setFault = () => fetch(`${second.sandbox ?? ''}/sandbox/faults`, { method: 'PUT', headers, body: fault });
  await setFault().catch(setFault); // the first connection is the closed sandbox's
  await buyer.simulate(invoice?.id ?? '', 'pay');
  const kinds = async () => (await second.find(order.order_id))?.outcomes.map(({ kind }) => kind);
  await until('the payment is reported', async () => (await kinds())?.[0] === 'amount_mismatch');
  assert.equal((await second.find(order.order_id))?.paid_at, null);
});

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readEnvironment } from '../../src/standalone.ts';
import { startShop } from '../../server-example/start-shop.ts';
import { Buyer } from './buyer.ts';
import { allDatabases } from '../stores/databases.ts';
import { until } from '../support/wait-until.ts';

const databaseKinds = await allDatabases();
const root = await mkdtemp(join(tmpdir(), 'shop-'));
after(async () => {
  for (const kind of databaseKinds) await kind.end();
  await rm(root, { recursive: true });
});

for (const kind of databaseKinds) {
  test(`an order is placed and paid over real sockets, on ${kind.name}`, async () => {
    const { dataDir, databaseUrl = '' } = await kind.fresh();
    const env = { PORT: '0', SANDBOX_PORT: '0', DATA_DIR: dataDir || join(root, 'sandbox'), DATABASE_URL: databaseUrl };
    const shop = await startShop(readEnvironment(env));
    try {
      const buyer = new Buyer(shop);
      await buyer.order([{ sku: 'cup', quantity: 2 }]);
      const checkout = await buyer.readCheckout();
      assert.deepEqual(
        [checkout.status, checkout.amount, checkout.currency, checkout.test],
        ['open', '3000.00', 'RUB', true],
      );
      assert.ok(checkout.options.length > 0);
      const { invoice, status } = await buyer.createInvoice();
      assert.equal(status, 'pending');
      assert.equal(invoice?.amount, '3000.00');
      assert.deepEqual(await buyer.readOrder(), { status: 'new', paid_at: null });

      await buyer.simulate(invoice.id, 'pay');
      await buyer.waitFor('paid');
      await until('the order is paid', async () => (await buyer.readOrder()).status === 'paid');
    } finally {
      await shop.close();
    }
  });
}

for (const kind of databaseKinds) {
  test(`a payment of an order is shown by both of two shops on ${kind.name}`, async () => {
    const { dataDir, databaseUrl = '' } = await kind.fresh();
    const env = { PORT: '0', SANDBOX_PORT: '0', DATA_DIR: dataDir || join(root, 'two'), DATABASE_URL: databaseUrl };
    const firstShop = await startShop(readEnvironment(env));
    const service = {
      INVOICE_BASE_URL: firstShop.sandbox ?? '',
      INVOICE_ACCESS_TOKEN: 'sandbox-token',
      INVOICE_MODE: 'TEST',
    };
    const secondShop = await startShop(readEnvironment({ ...env, ...service }));
    try {
      const firstBuyer = new Buyer(firstShop);
      await firstBuyer.order();
      const secondBuyer = new Buyer({ url: secondShop.url, sandbox: firstShop.sandbox }, firstBuyer);
      const { invoice } = await firstBuyer.createInvoice();
      assert.equal((await secondBuyer.readCheckout()).invoice?.id, invoice?.id);
      const paidCheckouts = Promise.all([firstBuyer.waitFor('paid'), secondBuyer.waitFor('paid')]);
      await secondBuyer.simulate(invoice?.id ?? '', 'pay');
      await paidCheckouts;
      for (const buyer of [firstBuyer, secondBuyer])
        await until('the order is paid', async () => (await buyer.readOrder()).status === 'paid');
    } finally {
      await secondShop.close();
      await firstShop.close();
    }
  });
}

test('a closed shop ends waiting requests, and a new shop continues with its ports and data', async () => {
  const env = { PORT: '0', SANDBOX_PORT: '0', DATA_DIR: join(root, 'closed') };
  const firstShop = await startShop(readEnvironment(env));
  const buyer = new Buyer(firstShop);
  await buyer.order();
  const { invoice } = await buyer.createInvoice();
  const waitingResult = buyer.waitFor('paid').catch(() => 'ended');
  await firstShop.close();
  assert.equal(await waitingResult, 'ended');

  const ports = { PORT: new URL(firstShop.url).port, SANDBOX_PORT: new URL(firstShop.sandbox ?? '').port };
  const secondShop = await startShop(readEnvironment({ ...env, ...ports }));
  try {
    assert.equal((await buyer.readCheckout()).invoice?.id, invoice?.id);
    await buyer.simulate(invoice?.id ?? '', 'pay');
    await buyer.waitFor('paid');
  } finally {
    await secondShop.close();
  }
});

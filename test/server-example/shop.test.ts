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

const kinds = await allDatabases();
const root = await mkdtemp(join(tmpdir(), 'shop-'));
after(async () => {
  for (const kind of kinds) await kind.end();
  await rm(root, { recursive: true });
});

for (const kind of kinds) {
  test(`a buyer orders and pays over real sockets, on ${kind.name}`, async () => {
    const { dataDir, databaseUrl = '' } = await kind.fresh();
    const env = { PORT: '0', SANDBOX_PORT: '0', DATA_DIR: dataDir || join(root, 'sandbox'), DATABASE_URL: databaseUrl };
    const shop = await startShop(readEnvironment(env));
    try {
      const buyer = new Buyer(shop);
      await buyer.order([{ sku: 'cup', quantity: 2 }]);
      const open = await buyer.readCheckout();
      assert.deepEqual([open.status, open.amount, open.currency, open.test], ['open', '3000.00', 'RUB', true]);
      assert.ok(open.options.length > 0);
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

for (const kind of kinds) {
  test(`two shop processes on ${kind.name} share a payment`, async () => {
    const { dataDir, databaseUrl = '' } = await kind.fresh();
    const env = { PORT: '0', SANDBOX_PORT: '0', DATA_DIR: dataDir || join(root, 'two'), DATABASE_URL: databaseUrl };
    const first = await startShop(readEnvironment(env));
    const service = {
      INVOICE_BASE_URL: first.sandbox ?? '',
      INVOICE_ACCESS_TOKEN: 'sandbox-token',
      INVOICE_MODE: 'TEST',
    };
    const second = await startShop(readEnvironment({ ...env, ...service }));
    try {
      const here = new Buyer(first);
      await here.order();
      const there = new Buyer({ url: second.url, sandbox: first.sandbox }, here);
      const { invoice } = await here.createInvoice();
      assert.equal((await there.readCheckout()).invoice?.id, invoice?.id);
      const seen = Promise.all([here.waitFor('paid'), there.waitFor('paid')]);
      await there.simulate(invoice?.id ?? '', 'pay');
      await seen;
      for (const buyer of [here, there])
        await until('the order is paid', async () => (await buyer.readOrder()).status === 'paid');
    } finally {
      await second.close();
      await first.close();
    }
  });
}

test('releases its ports and data when it closes', async () => {
  const env = { PORT: '0', SANDBOX_PORT: '0', DATA_DIR: join(root, 'closed') };
  const first = await startShop(readEnvironment(env));
  const buyer = new Buyer(first);
  await buyer.order();
  const { invoice } = await buyer.createInvoice();
  const waiting = buyer.waitFor('paid').catch(() => 'ended');
  await first.close();
  assert.equal(await waiting, 'ended');

  const ports = { PORT: new URL(first.url).port, SANDBOX_PORT: new URL(first.sandbox ?? '').port };
  const second = await startShop(readEnvironment({ ...env, ...ports }));
  try {
    assert.equal((await buyer.readCheckout()).invoice?.id, invoice?.id);
    await buyer.simulate(invoice?.id ?? '', 'pay');
    await buyer.waitFor('paid');
  } finally {
    await second.close();
  }
});

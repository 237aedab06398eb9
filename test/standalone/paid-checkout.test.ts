import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startTestServer } from '../support/start-test-server.ts';
import { Buyer } from '../support/buyer.ts';
import { allDatabases } from '../stores/databases.ts';
import { until } from '../support/wait-until.ts';

const databaseKinds = await allDatabases();
const root = await mkdtemp(join(tmpdir(), 'shop-'));
after(async () => {
  for (const kind of databaseKinds) await kind.end();
  await rm(root, { recursive: true });
});

for (const kind of databaseKinds) {
  test(`a payment is shown by both of two servers on ${kind.name}`, async () => {
    const { dataDir, databaseUrl = '' } = await kind.fresh();
    const env = { DATA_DIR: dataDir || join(root, 'two'), DATABASE_URL: databaseUrl };
    const firstServer = await startTestServer(env);
    const service = {
      INVOICE_BASE_URL: firstServer.sandbox ?? '',
      INVOICE_ACCESS_TOKEN: 'sandbox-token',
      INVOICE_MODE: 'TEST',
    };
    const secondServer = await startTestServer({ ...env, ...service });
    try {
      const firstBuyer = new Buyer(firstServer);
      await firstBuyer.order();
      const secondBuyer = new Buyer({ url: secondServer.url, sandbox: firstServer.sandbox }, firstBuyer);
      const { invoice } = await firstBuyer.createInvoice();
      assert.equal((await secondBuyer.readCheckout()).invoice?.id, invoice?.id);
      const paidCheckouts = Promise.all([firstBuyer.waitFor('paid'), secondBuyer.waitFor('paid')]);
      await secondBuyer.simulate(invoice?.id ?? '', 'pay');
      await paidCheckouts;
      for (const buyer of [firstBuyer, secondBuyer])
        await until('the outcome is delivered', async () => (await buyer.readDelivered()).includes('paid'));
    } finally {
      await secondServer.close();
      await firstServer.close();
    }
  });
}

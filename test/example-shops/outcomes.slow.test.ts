import { after, describe } from 'node:test';
import { join } from 'node:path';
import { adminToken } from '../support/buyer.ts';
import { startTestServer } from '../support/start-test-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ExampleShop, findFreePort, languages } from './example-shop.ts';
import { testOutcomes } from './outcome-table.ts';
import { secret } from './webhook-vectors.ts';

// The receivers in PHP and Python get the outcomes of the standalone server. Other shops have the same table in go-shop.slow.test.ts,
// cron-shop.slow.test.ts, and in test/package.
const folder = temporaryFolder();

for (const language of languages)
  describe(`the shop in ${language.name}`, { skip: language.reasonToSkip, timeout: 300_000 }, () => {
    const closing: (() => Promise<unknown>)[] = [];
    after(async () => {
      for (const close of closing) await close();
    });
    testOutcomes(async () => {
      const port = await findFreePort();
      const receiver = { OUTCOME_URL: `http://127.0.0.1:${port}/outcomes`, OUTCOME_SECRET: secret };
      const server = await startTestServer({ DATA_DIR: join(folder, language.name), LOG_LEVEL: 'error', ...receiver });
      const shop = await ExampleShop.start(language, port, { CHECKOUT_SERVER: server.url, ADMIN_TOKEN: adminToken });
      closing.push(
        () => shop.stop(),
        () => server.close(),
      );
      return {
        server: server.url,
        sandbox: server.sandbox ?? '',
        checkoutsFile: join(folder, language.name, 'checkouts.db'),
        order: () => shop.placeOrder(),
        isPaid: async (orderId) => (await shop.fetchStatus(orderId)) === 'paid',
        listForPerson: (orderId) => shop.listForPerson(orderId),
      };
    });
  });

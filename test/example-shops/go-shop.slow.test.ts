import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { RunningServer } from '../../src/standalone/start-server.ts';
import { adminToken } from '../support/buyer.ts';
import { startTestServer } from '../support/start-test-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/wait-until.ts';
import { findFreePort } from './example-shop.ts';
import { testOutcomes } from './outcome-table.ts';
import { secret } from './webhook-vectors.ts';

const isGoInstalled = spawnSync('go', ['version']).status === 0;
const skip = isGoInstalled ? false : 'not installed: apt-get install golang-go';
const source = 'examples/go';
const folder = temporaryFolder();

const runGo = (...args: readonly string[]): void => {
  const { status, stdout, stderr } = spawnSync('go', args, { cwd: source, encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`);
};

describe('the shop in Go', { skip, timeout: 300_000 }, () => {
  let server: RunningServer;
  let shop: ChildProcess;
  let url: string;
  after(async () => {
    shop.kill();
    await server.close();
  });
  const placeOrder = (): Promise<Response> => fetch(`${url}/orders`, { method: 'POST', redirect: 'manual' });

  testOutcomes(async () => {
    url = `http://127.0.0.1:${await findFreePort()}`;
    const receiver = { OUTCOME_URL: `${url}/outcomes`, OUTCOME_SECRET: secret };
    server = await startTestServer({ DATA_DIR: folder, LOG_LEVEL: 'error', ...receiver });
    runGo('build', '-o', join(folder, 'shop'));
    const env = { SHOP_URL: url, CHECKOUT_SERVER: server.url, ADMIN_TOKEN: adminToken, OUTCOME_SECRET: secret };
    shop = spawn(join(folder, 'shop'), [], { cwd: folder, env, stdio: ['ignore', 'inherit', 'pipe'] });
    let log = '';
    shop.stderr?.setEncoding('utf8').on('data', (text: string) => (log += text));
    await until('the shop answers', () => fetch(url).then(() => true, () => false)); // prettier-ignore
    return {
      server: server.url,
      sandbox: server.sandbox ?? '',
      checkoutsFile: join(folder, 'checkouts.db'),
      order: placeOrder,
      isPaid: (orderId) => existsSync(join(folder, `${orderId}.paid`)),
      listForPerson: (orderId) =>
        [...log.matchAll(/a person has to look at \{ID:\S+ Kind:(\w+) .*OrderID:(\w+)/g)].flatMap(([, kind, id]) =>
          id === orderId ? [kind ?? ''] : [],
        ),
    };
  });

  it('accepts the valid vectors and rejects all others', () => {
    runGo('vet', './...');
    runGo('test', './...');
  });

  it('leads to the pay page of an order, and refuses an outcome without a signature', async () => {
    const page = (await placeOrder()).headers.get('location') ?? assert.fail('no pay page');
    assert.ok(page.startsWith(`${server.url}/pay/chk_`), page);
    assert.equal((await fetch(`${url}/outcomes`, { method: 'POST', body: '{}' })).status, 401);
  });
});

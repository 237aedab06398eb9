import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { RunningServer } from '../../src/standalone/start-server.ts';
import { openSqliteFile, type SqliteFile } from '../../src/stores/sqlite-file.ts';
import { adminToken } from '../support/buyer.ts';
import { startTestServer } from '../support/start-test-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/wait-until.ts';
import { languages } from './example-shop.ts';
import { testOutcomes } from './outcome-table.ts';

// examples/php/cron-shop.php against a trial of the standalone server: its runs are killed, fail and overlap.
const run = promisify(execFile);
const php = 'php';
const program = resolve('examples/php/cron-shop.php');
const folder = temporaryFolder();
const databaseFile = join(folder, 'shop.sqlite');
let server: RunningServer;
let environment: NodeJS.ProcessEnv;

const cron = async (...args: readonly string[]): Promise<string> =>
  (await run(php, [program, ...args], { env: environment })).stdout.trim();

/** Makes an order, and pays it at its address as a browser without JavaScript does. */
async function payOrder(id: string): Promise<void> {
  const url = await cron('order', id, '1500.00');
  await fetch(url, { method: 'POST', body: new URLSearchParams({ payment_method_id: 'pm_card', key: id }) });
  const checkout = z.object({ invoice: z.object({ payment_url: z.string() }) });
  const { invoice } = checkout.parse(await (await fetch(url.replace('/pay/', '/checkout/'))).json());
  await fetch(invoice.payment_url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }) });
}

function inDatabase<T>(work: (database: SqliteFile) => T): T {
  const database = openSqliteFile(databaseFile);
  database.exec('pragma busy_timeout = 5000');
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const readAll = (query: string): readonly unknown[] => inDatabase((database) => database.prepare(query).all([]));

const paidOrders = (): readonly unknown[] =>
  readAll("select id from orders where status = 'paid' order by id").map((row) => z.object({ id: z.string() }).parse(row).id); // prettier-ignore

const kindsForPerson = () =>
  readAll('select order_id, kind from outcomes where needs_person').map((row) =>
    z.object({ order_id: z.string(), kind: z.string() }).parse(row),
  );

const skip = languages.find(({ name }) => name === 'PHP')?.reasonToSkip ?? false;

describe('the shop in PHP without a public address', { skip, timeout: 300_000 }, () => {
  before(async () => {
    server = await startTestServer({ DATA_DIR: folder, LOG_LEVEL: 'error' });
    environment = {
      PATH: process.env['PATH'],
      SHOP_DATABASE: databaseFile,
      CHECKOUT_SERVER: server.url,
      ADMIN_TOKEN: adminToken,
    };
  });
  after(() => server.close());

  it('marks each paid order once, though its runs are killed and overlap', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `killed-${String(index).padStart(2, '0')}`);
    const payments = (async () => {
      for (const id of ids) await payOrder(id);
    })();
    for (let count = 0; count < 60; count += 1) {
      const children = [0, 1].map(() => spawn(php, [program], { env: environment, stdio: 'ignore' }));
      await delay(10 + ((count * 7) % 90));
      for (const child of children) {
        if (child.exitCode === null) child.kill('SIGKILL');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      }
    }
    await payments;
    await until('every order is paid', async () => {
      await cron();
      return paidOrders().length === ids.length;
    });
    assert.deepEqual(paidOrders(), ids);
    assert.deepEqual(readAll('select * from outcomes where needs_person'), []);
    assert.deepEqual(readAll('select count(*) as count from outcomes'), [{ count: ids.length }]);
  });

  for (const table of ['outcomes', 'feed'])
    it(`reads an outcome again when its run ended before the write to ${table}`, async () => {
      const id = `ended-before-${table}`;
      await payOrder(id);
      inDatabase((database) =>
        database.exec(`create trigger stop before insert on ${table} begin select raise(abort, 'stopped'); end`),
      );
      await until('a run ends early', () => cron().then(() => false, () => true)); // prettier-ignore
      inDatabase((database) => database.exec('drop trigger stop'));
      await cron();
      assert.ok(paidOrders().includes(id));
      assert.deepEqual(readAll('select * from outcomes where needs_person'), []);
    });

  it('reads from the first outcome when the database of the server is another one, and changes nothing twice', async () => {
    const before = readAll('select * from outcomes order by id');
    inDatabase((database) => database.exec("update feed set cursor = 'other.7.cursor'"));
    await cron();
    assert.deepEqual(readAll('select * from outcomes order by id'), before);
    await payOrder('after-another-database');
    await until('the order is paid', () => cron().then(() => paidOrders().includes('after-another-database')));
  });

  it('fails when the server does not answer, and changes nothing', async () => {
    await assert.rejects(run(php, [program], { env: { ...environment, CHECKOUT_SERVER: 'http://127.0.0.1:9' } }));
    assert.match(await cron('order', 'ended-before-feed', '1500.00'), /\/pay\/chk_/, 'an order is made once');
  });

  testOutcomes(() => {
    let count = 0;
    return Promise.resolve({
      server: server.url,
      sandbox: server.sandbox ?? '',
      checkoutsFile: join(folder, 'checkouts.db'),
      order: () => cron('order', `table-${(count += 1)}`, '1500.00'),
      isPaid: (orderId) => paidOrders().includes(orderId),
      listForPerson: (orderId) =>
        kindsForPerson().flatMap(({ order_id, kind }) => (order_id === orderId ? [kind] : [])),
      fetchOutcomes(again) {
        if (again) inDatabase((database) => database.exec('delete from feed'));
        return cron();
      },
    });
  });
});

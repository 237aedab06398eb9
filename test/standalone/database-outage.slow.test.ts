import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres } from '../../scripts/with-postgres.ts';
import { Buyer } from '../support/buyer.ts';
import { startServerProcess, startSlowService } from '../support/server-processes.ts';
import { until } from '../support/wait-until.ts';

// A process whose PostgreSQL is restarted and suspended. That no payment is lost under load meanwhile is shown by
// test/stores/fault-campaign.slow.test.ts. That no request waits longer than 5 s is asserted with a fake clock in
// test/server/http/store-outage.test.ts and test/stores/postgres-outage.test.ts.

/** A request waits 5 s at most; the machine may be twice as slow. */
const longestRequestMs = 10_000;
/** Longer than a request may take, so that a request that waits until the database resumes exceeds its limit. */
const suspendedMs = 12_000;

const postgres = await startPostgres();
after(async () => {
  postgres?.resume();
  await postgres?.stop();
});

test(
  'every request is answered while the database is restarted or suspended, payments go on after it, and the process can be ended during it',
  { skip: postgres === undefined },
  async (t) => {
    assert.ok(postgres);
    const service = await startSlowService(t, 50);
    const { child, url, errors } = await startServerProcess(t, service.url, { DATABASE_URL: postgres.url });
    const shop = { url, sandbox: service.sandbox };
    const reader = new Buyer(shop);
    await reader.order();
    /** Rejects when the response takes too long, or does not come. */
    const readStatus = async (path: string): Promise<number> =>
      (await fetch(`${url}${path}`, { signal: AbortSignal.timeout(longestRequestMs) })).status;
    const isPaid = async (): Promise<boolean> => {
      const buyer = new Buyer(shop);
      await buyer.order();
      const { invoice } = await buyer.createInvoice();
      await buyer.simulate(invoice?.id ?? '', 'pay');
      return (await buyer.waitFor('paid', 20_000)).status === 'paid';
    };
    const suspend = async (): Promise<void> => {
      postgres.suspend();
      await delay(500);
      assert.equal(await readStatus('/readyz'), 503, 'not ready while the database is suspended');
      await delay(suspendedMs);
      postgres.resume();
    };

    for (const [name, causeFault] of [
      ['a fast restart', () => postgres.restart('SIGINT', 500)],
      ['an immediate restart', () => postgres.restart('SIGQUIT', 500)],
      ['a suspended database', suspend],
    ] as const) {
      const statuses = new Set<number>();
      const state = { isOver: false };
      const reads = (async (): Promise<void> => {
        while (!state.isOver) {
          statuses.add(await readStatus(`/checkout/${reader.checkoutId}`));
          await delay(50);
        }
      })();
      await Promise.race([causeFault(), reads]);
      await until('the server is ready', async () => (await readStatus('/readyz')) === 200, 10_000);
      await until('an order is paid', () => isPaid().catch(() => false), 30_000);
      state.isOver = true;
      await reads;
      assert.deepEqual(
        [...statuses].filter((status) => status !== 200 && status !== 503),
        [],
        name,
      );
      assert.equal(child.exitCode, null, `${name}: ${errors().slice(-2000)}`);
    }

    postgres.suspend();
    child.kill('SIGTERM');
    await once(child, 'exit', { signal: AbortSignal.timeout(15_000) });
  },
);

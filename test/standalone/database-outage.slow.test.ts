import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { startPostgres } from '../../scripts/with-postgres.ts';
import { createPostgresStore } from '../../src/postgres.ts';
import { checkDatabase } from '../../src/standalone/doctor/run-doctor.ts';
import { startSandbox, startServerProcess } from '../support/standalone-server-process.ts';
import { until } from '../support/wait-until.ts';

// What the programs do with a PostgreSQL that is empty, suspended or missing. That no payment is lost meanwhile is shown by
// test/stores/fault-campaign.slow.test.ts, and that no request waits longer than 5 s by test/server/http/store-outage.test.ts and
// test/stores/postgres-outage.test.ts.
const postgres = await startPostgres();

test(
  'the doctor checks a PostgreSQL database without creating its tables; a server is not ready while it is suspended, and can be ended',
  { skip: postgres === undefined },
  async (t) => {
    assert.ok(postgres);
    t.after(async () => {
      postgres.resume();
      await postgres.stop();
    });
    const check = async (databaseUrl = postgres.url, schema?: string): Promise<string> => {
      const { level, text } = await checkDatabase({
        databaseUrl,
        dataDir: '',
        tables: { schema, tablePrefix: undefined },
      });
      return `${level} ${text}`;
    };
    for (let times = 0; times < 2; times += 1) assert.match(await check(), /^ok .*has no tables yet/);
    const store = await createPostgresStore({ url: postgres.url });
    await store.close();
    assert.match(await check(), /^ok .*no migration was run/);
    assert.match(await check(postgres.url, 'other'), /^ok .*has no tables yet/);
    assert.match(await check(`${postgres.url}_of_nobody`), /^fail .* does not exist: check DATABASE_URL$/);

    const { child, url } = await startServerProcess(t, await startSandbox(t), { DATABASE_URL: postgres.url });
    const isReady = async (): Promise<boolean> => {
      const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) });
      assert.ok(status === 200 || status === 503);
      return status === 200;
    };
    await until('the server is ready', isReady);
    postgres.suspend();
    await until('the server is not ready', async () => !(await isReady()), 10_000);
    postgres.resume();
    await until('the server is ready again', isReady, 10_000);
    postgres.suspend();
    child.kill('SIGTERM');
    await once(child, 'exit', { signal: AbortSignal.timeout(15_000) });
  },
);

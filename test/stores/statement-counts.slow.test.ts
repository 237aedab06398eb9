import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import { Pool } from 'pg';
import { createPostgresStore } from '../../src/postgres.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';
import { sleep, systemClock } from '../../src/base/clock.ts';
import { ignoreConnectionErrors, postgresDatabases } from './databases.ts';

// How many statements the server sends to PostgreSQL for a request, and how many transactions while nothing happens.

const postgres = await postgresDatabases();
after(() => postgres?.end());

/** A pool that records each statement. */
class RecordingPool extends Pool {
  readonly statements: string[] = [];

  override connect(...args: readonly []): Promise<never> {
    const connection = super.connect(...args).then((client) => {
      const record = (query: unknown): void => {
        this.statements.push(typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : '');
      };
      return new Proxy(client, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...values: unknown[]): unknown => {
            if (name === 'query') record(values[0]);
            return Reflect.apply(member, target, values);
          };
        },
      });
    });
    return connection as Promise<never>;
  }
}

async function openServer(t: TestContext, databases: NonNullable<typeof postgres>) {
  const pool = new RecordingPool({ connectionString: (await databases.fresh()).databaseUrl });
  ignoreConnectionErrors(pool);
  const store = await createPostgresStore({ pool });
  const harness = new TestCheckoutServer({ store, clock: systemClock });
  harness.id = await harness.createCheckout();
  t.after(async () => {
    await harness.server.stop();
    await store.close();
    await pool.end();
  });
  return { pool, harness };
}

if (postgres !== undefined) {
  test('the create of an invoice takes at most 10 statements, and a poll of an unchanged checkout takes one', async (t) => {
    const { pool, harness } = await openServer(t, postgres);
    await harness.getCheckout(); // loads the payment options, and starts to listen
    await sleep(systemClock, 300);
    pool.statements.length = 0;
    const { status, etag } = await harness.createInvoice({ method: 'pm_sbp' });
    assert.equal(status, 201);
    const create = pool.statements.filter((text) => !text.includes('set_config'));
    t.diagnostic(create.map((text) => text.slice(0, 60)).join('\n'));
    assert.ok(create.length <= 10, create.join('\n'));
    await harness.getCheckout({ 'if-none-match': etag });
    pool.statements.length = 0;
    assert.equal((await harness.getCheckout({ 'if-none-match': etag })).status, 304);
    assert.deepEqual(pool.statements.length, 1, pool.statements.join('\n'));
  });

  test('an idle server makes at most three transactions a second', async (t) => {
    const { pool, harness } = await openServer(t, postgres);
    harness.server.start();
    await sleep(systemClock, 2000);
    pool.statements.length = 0;
    const seconds = 10;
    await sleep(systemClock, seconds * 1000);
    t.diagnostic(`${pool.statements.length / seconds} a second`);
    assert.ok(pool.statements.length <= 3 * seconds, pool.statements.join('\n'));
  });
}

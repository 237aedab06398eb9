import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Pool } from 'pg';
import { createCheckoutServer, type CheckoutServer } from '../../src/server.ts';
import { createPostgresStore } from '../../src/postgres.ts';
import { FakeInvoiceService } from '../support/fake-invoice-service.ts';
import { checkoutParams, endpoint } from '../support/test-checkout-server.ts';
import { sleep, systemClock } from '../../src/base/clock.ts';
import { postgresDatabases } from './databases.ts';

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

async function openServer(databases: NonNullable<typeof postgres>): Promise<{
  readonly pool: RecordingPool;
  readonly server: CheckoutServer;
  readonly capability: string;
  readonly close: () => Promise<void>;
}> {
  const pool = new RecordingPool({ connectionString: (await databases.fresh()).databaseUrl });
  pool.on('connect', (client) => client.on('error', () => undefined)); // PostgreSQL may stop while they are being closed
  const store = await createPostgresStore({ pool });
  const service = new FakeInvoiceService(() => Date.now());
  const server = createCheckoutServer({ service, store, endpoint, mode: 'TEST', onOutcome: () => Promise.resolve() });
  const { capability } = await server.create(checkoutParams);
  const close = async (): Promise<void> => {
    await server.stop();
    await store.close();
    await pool.end();
  };
  return { pool, server, capability, close };
}

function request(server: CheckoutServer, path: string, init: RequestInit = {}): Promise<Response> {
  return server.handle(new Request(`${endpoint}/${path}`, init), { address: '192.0.2.1' });
}

if (postgres !== undefined) {
  test('the create of an invoice takes at most 10 statements, and a poll of an unchanged checkout takes one', async (t) => {
    const { pool, server, capability, close } = await openServer(postgres);
    t.after(close);
    await request(server, capability); // loads the payment options, and starts to listen
    await sleep(systemClock, 300);
    pool.statements.length = 0;
    const response = await request(server, `${capability}/invoice`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'key-1', origin: 'https://shop.example' },
      body: JSON.stringify({ payment_method_id: 'pm_sbp' }),
    });
    assert.equal(response.status, 201, await response.clone().text());
    const create = pool.statements.filter((text) => !text.includes('set_config'));
    t.diagnostic(create.map((text) => text.slice(0, 60)).join('\n'));
    assert.ok(create.length <= 10, create.join('\n'));
    const etag = response.headers.get('etag') ?? '';
    await request(server, capability, { headers: { 'if-none-match': etag } });
    pool.statements.length = 0;
    const poll = await request(server, capability, { headers: { 'if-none-match': etag } });
    assert.equal(poll.status, 304);
    assert.deepEqual(pool.statements.length, 1, pool.statements.join('\n'));
  });

  test('an idle server makes at most three transactions a second', async (t) => {
    const { pool, server, close } = await openServer(postgres);
    t.after(close);
    server.start();
    await sleep(systemClock, 2000);
    pool.statements.length = 0;
    const seconds = 10;
    await sleep(systemClock, seconds * 1000);
    t.diagnostic(`${pool.statements.length / seconds} a second`);
    assert.ok(pool.statements.length <= 3 * seconds, pool.statements.join('\n'));
  });
}

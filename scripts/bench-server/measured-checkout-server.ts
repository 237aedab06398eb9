// The checkout servers that the server bench measures, on node:http and in hono.
import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { Hono } from 'hono';
import { openDatabase } from '../../test/support/open-database.ts';
import type { Database } from '../../src/stores/database-interface.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { createCheckoutServer, createMetrics, toNodeListener, type InvoiceService } from '../../src/server.ts';
import { loadSqliteDriver, type SqliteFile } from '../../src/stores/sqlite-file.ts';

/** A checkout server with its database on disk, its metrics and its workers. */
export interface Shop {
  readonly listener: RequestListener;
  readonly inHono: RequestListener;
  /** Answers reads of a checkout by a hono route with one SELECT by the capability, and other requests by the checkout server. */
  readonly withSelect: RequestListener;
  open(count: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

const lifetimeMs = 3_600_000;

/** Creates an invoice service in the same process that responds without delay. */
function createInstantService(): InvoiceService {
  let count = 0;
  return {
    createInvoice: ({ amount = '', external_id = '' }) => {
      count += 1;
      return Promise.resolve({
        id: `inv_${count}`,
        external_id,
        amount,
        expires_at: new Date(Date.now() + lifetimeMs).toISOString(),
        payment_url: `https://pay.example/${count}`,
        nspk_url: `https://qr.nspk.ru/AS${count}?type=02&sum=150000&cur=RUB&crc=0F0F`,
        sbp: { holder_name: 'Test Holder', phone: '+79990000000' },
      });
    },
    fetchPaymentOptions: () =>
      Promise.resolve([
        {
          id: 'pm_sbp',
          type: 'SBP',
          name: 'SBP',
          available: true,
          limits: { min_amount: '1', max_amount: '100000' },
          banks: [],
        },
      ]),
    fetchInvoices: (ids) => Promise.resolve(ids.map((id) => ({ id, status: 'PENDING' }))),
  };
}

/** Creates the cheapest possible route with a database: it reads one row by its unique capability, with the store's driver. */
function createSelectRoute(
  { db }: Database,
  connection: SqliteFile,
): { readonly listener: RequestListener; close(): void } {
  const select = connection.prepare(db.selectFrom('checkouts').selectAll().where('capability', '=', '').compile().sql);
  const app = new Hono();
  app.get('/checkout/:id', (c) => {
    const row: unknown = select.get([c.req.param('id')]);
    if (row === undefined) return c.body(null, 404);
    return c.body(JSON.stringify(row), 200, { 'content-type': 'application/json' });
  });
  const listener = getRequestListener(app.fetch);
  return { listener: (request, response) => void listener(request, response), close: () => connection.close() };
}

export async function openShop(endpoint: string): Promise<Shop> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'bench-server-'));
  const database = await openDatabase({ dataDir }, checkoutMigrations);
  const unlimitedAllowance = { burst: 1e9, perMinute: 1e9 };
  const checkouts = createCheckoutServer({
    service: createInstantService(),
    store: createSqlStore(database),
    endpoint,
    mode: 'TEST',
    onOutcome: () => Promise.resolve(),
    limits: { createsOfAddress: unlimitedAllowance },
    metrics: createMetrics(),
    log: () => undefined,
  });
  checkouts.start();
  const app = new Hono();
  app.all('/checkout/*', (c) => checkouts.handle(c.req.raw, { address: getConnInfo(c).remote.address }));
  const inHono = getRequestListener(app.fetch);
  const listener = toNodeListener(checkouts);
  const select = createSelectRoute(database, (await loadSqliteDriver())(path.join(dataDir, 'shop.db')));
  return {
    listener,
    inHono: (request, response) => void inHono(request, response),
    withSelect: (request, response) => (request.method === 'GET' ? select.listener : listener)(request, response),
    async open(count) {
      const capabilities: string[] = [];
      for (let index = 0; index < count; index += 1) {
        const { capability } = await checkouts.create({
          orderId: `order_${crypto.randomUUID()}`,
          amount: '1500.00',
          currency: 'RUB',
          description: 'Tea bowl',
          successUrl: 'https://shop.example/thanks',
        });
        capabilities.push(capability);
      }
      return capabilities;
    },
    async close() {
      await checkouts.stop();
      select.close();
      await database.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

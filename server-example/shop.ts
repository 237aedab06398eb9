// The server of a small shop, to be copied: its orders, and their payment on the pay page.
import { randomInt } from 'node:crypto';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { clientAddress, createCheckoutServer, createInvoiceServiceClient, createMetrics } from 'pay-invoice/server';
import type { Migration } from 'pay-invoice/sqlite';
import * as standalone from 'pay-invoice/standalone';
import { currency, productOf } from './catalogue.ts';

interface OrdersTable {
  readonly order_id: string;
  readonly amount: string;
  readonly items: string;
  readonly paid_at: number | null;
}

/** The shop's tables, beside the checkouts. The names begin with the shop's own: another program may have `orders` in `public`. */
const migrations: readonly Migration[] = [
  {
    name: 'shop-1',
    up: (schema) =>
      schema
        .createTable('leaf_orders')
        .addColumn('order_id', 'text', (column) => column.primaryKey())
        .addColumn('amount', 'text', (column) => column.notNull())
        .addColumn('items', 'text', (column) => column.notNull())
        .addColumn('paid_at', 'bigint')
        .execute(),
  },
];

interface CartItem {
  readonly sku: string;
  readonly quantity: number;
}

export type Shop = Awaited<ReturnType<typeof startShop>>;

/** Opens the database, starts the sandbox of a trial, and listens. The caller adds its pages to `app`. */
export async function startShop(env: standalone.Environment) {
  const widget = standalone.createWidgetHandler();
  const log = standalone.createLog(env.logLevel);
  if (env.ignoredVariables.length > 0) log('warn', 'variables_ignored', { variables: env.ignoredVariables.join(', ') });
  const store = await standalone.openStore(env, migrations, log);
  const db = store.db.$extendTables<{ leaf_orders: OrdersTable }>();
  const sandbox = env.serviceUrl === undefined ? await standalone.startSandbox(env) : undefined;
  const metrics = createMetrics();
  const metricsPort = await standalone.serveMetrics(env, { metrics, isReady: () => store.check(), log });
  const server = standalone.createHttpServer();
  const listening = await standalone.listen(server, env.port, env.host);
  const url = env.publicUrl ?? listening;
  const endpoint = `${url}/checkout`;

  const checkouts = createCheckoutServer({
    service: createInvoiceServiceClient({
      baseUrl: env.serviceUrl ?? sandbox?.serviceUrl ?? '',
      token: env.token,
      requestsPerSecond: env.requestsPerSecond,
      metrics,
      log,
    }),
    store,
    endpoint,
    mode: env.mode,
    metrics,
    log,
    ...env.options,
    // An outcome may come twice, and stays paid. What needs a person is in the log, and kept with the order's checkout.
    async onOutcome({ kind, orderId, occurredAt }) {
      if (kind === 'paid')
        await db.updateTable('leaf_orders').set({ paid_at: occurredAt }).where('order_id', '=', orderId).execute();
      else if (!['failed', 'expired', 'resolved'].includes(kind))
        console.error(`Order ${orderId} needs a person: ${kind}`);
    },
  });
  checkouts.start(); // polls the status of every invoice, also when the payer has closed the page

  const app = new Hono<{ Bindings: HttpBindings }>();
  const payPage = standalone.createPayPage({ checkouts, endpoint, shop: { name: 'Leaf & Clay' } });
  const payer = ({ req, env: { incoming } }: Context<{ Bindings: HttpBindings }>) => ({
    address: clientAddress(req.header('x-forwarded-for'), incoming.socket.remoteAddress, {
      trustedProxies: env.trustedProxies,
    }),
  });
  app.all('/checkout/*', (c) => checkouts.handle(c.req.raw, payer(c))); // before anything that reads a body
  app.all('/pay/*', (c) => payPage(c.req.raw, payer(c)));
  app.get('/pay-invoice*', (c) => widget(c.req.raw));
  app.get('/readyz', (c) => store.check().then(() => c.text('ready'), () => c.text('not ready', 503))); // prettier-ignore
  const listener = getRequestListener(app.fetch);
  server.on('request', (request, response) => void listener(request, response));

  return {
    app,
    url,
    sandbox: sandbox?.url,
    /** Whether the invoices are test invoices: no money moves. */
    test: env.mode === 'TEST',
    /** Creates an order at the catalogue's prices, and its checkout: neither exists without the other. */
    place: (items: readonly CartItem[]) =>
      db.transaction().execute(async (transaction) => {
        const order_id = String(randomInt(1e9, 1e10)); // a number for people: it gives access to nothing
        const amount = amountOf(items);
        await transaction
          .insertInto('leaf_orders')
          .values({ order_id, amount, items: JSON.stringify(items), paid_at: null })
          .execute();
        const shown = { reference: order_id, successUrl: `${url}/paid`, failUrl: url };
        const order = { orderId: order_id, amount, currency, ...shown };
        const { capability } = await checkouts.create(order, { transaction });
        return { order_id, checkout: capability, pay_url: `${url}/pay/${capability}` };
      }),
    /** The order, and the outcomes of its checkout. */
    find: async (orderId: string) => {
      const order = await db.selectFrom('leaf_orders').selectAll().where('order_id', '=', orderId).executeTakeFirst();
      const checkout = await checkouts.getByOrder(orderId);
      return order && checkout && { ...order, outcomes: checkout.outcomes };
    },
    /** Finishes the running requests, then closes the server and the database. */
    close: async (): Promise<void> => {
      await checkouts.stop();
      await standalone.closeServer(server);
      await metricsPort?.close();
      await sandbox?.close();
      await store.close();
    },
  };
}

/** The price is the shop's, never the browser's. @throws RangeError for an unknown product */
function priceOf(sku: string): string {
  const product = productOf(sku);
  if (product === undefined) throw new RangeError(`there is no product ${sku}`);
  return product.price;
}

/** The sum of a cart, counted in kopecks: each price has two of their digits. @throws RangeError for a part of a product */
function amountOf(items: readonly CartItem[]): string {
  const kopecks = items.reduce(
    (sum, item) => sum + BigInt(priceOf(item.sku).replace('.', '')) * BigInt(item.quantity),
    0n,
  );
  return String(kopecks).replace(/(\d\d)$/, '.$1');
}

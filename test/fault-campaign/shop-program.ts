// One process of a shop, which can be killed at a named point. The first line of its standard input has its settings. It
// writes messages as lines of JSON to its standard output, and exits when its input ends.
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { openDatabase } from '../support/open-database.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { createCheckoutServer, createInvoiceServiceClient, toNodeListener, type Log } from '../../src/server.ts';
import type { Migration } from '../../src/sqlite.ts';
import { portOf } from '../mounts/listen.ts';
import { withDefect } from './defects.ts';
import { runClock } from './fast-time.ts';
import type { Payment } from './ledger.ts';
import { withKill, type Ports } from './kill-points.ts';
import { processSettings, type ProcessMessage, type ProcessSettings } from './process-settings.ts';

/** The shop's own table: a row for each outcome that reports a payment. */
const shopMigration: Migration = {
  name: 'shop-1',
  up: (schema) =>
    schema
      .createTable('order_payments')
      .addColumn('outcome_id', 'text', (column) => column.primaryKey())
      .addColumn('order_id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('invoice_id', 'text', (column) => column.notNull())
      .execute(),
};

/** Writes a message synchronously, so that the last message of a killed process is not lost. */
function send(line: ProcessMessage): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function startShop({
  epoch,
  database: location,
  serviceUrl,
  token,
  endpoint,
  kill,
  defect,
}: ProcessSettings): Promise<void> {
  const clock = runClock(epoch);
  const log: Log = (level, event, facts) => send({ log: event, level, facts: JSON.stringify(facts) });
  const database = await openDatabase(location, [...checkoutMigrations, shopMigration]);
  if (defect === 'deletes committed intents') {
    const [schedules, attempts] = [sql.table('schedules'), sql.table('attempts')];
    await sql`
      delete from ${schedules} where attempt_id in (select external_id from ${attempts} where state = 'creating')
    `.execute(database.db);
    await sql`delete from ${attempts} where state = 'creating'`.execute(database.db);
  }
  const db = database.db.withTables<{ order_payments: Payment }>();
  let ports: Ports = {
    service: createInvoiceServiceClient({
      baseUrl: serviceUrl,
      token,
      clock,
      log,
    }),
    // The store must use the run's clock, which is faster than the database's.
    store: { ...createSqlStore(database), clock: undefined },
    async onOutcome({ id, orderId, kind, invoiceId, externalId }) {
      if (kind === 'failed' || kind === 'expired') return;
      const payment = { outcome_id: id, order_id: orderId, kind, invoice_id: invoiceId ?? externalId };
      await db
        .insertInto('order_payments')
        .values(payment)
        .onConflict((conflict) => conflict.column('outcome_id').doNothing())
        .execute();
    },
  };
  if (defect !== null) ports = withDefect(ports, defect, () => clock.now());
  if (kill !== null)
    ports = withKill(ports, kill, () => {
      send({ killedAt: kill.point });
      process.kill(process.pid, 'SIGKILL');
    });
  const checkouts = createCheckoutServer({ ...ports, endpoint, mode: 'TEST', clock, log });
  const handleCheckout = toNodeListener(checkouts);
  const server = createServer((request, response) => {
    if (request.url !== '/shop/orders') {
      handleCheckout(request, response);
      return;
    }
    const order_id = randomUUID();
    checkouts
      .create({ orderId: order_id, amount: '1500.00', currency: 'RUB' })
      .then(({ capability }) => response.end(JSON.stringify({ order_id, checkout: capability })))
      .catch(() => response.writeHead(503).end());
  });
  server.listen(0, '127.0.0.1', () => {
    checkouts.start();
    send({ port: portOf(server) });
  });
}

const lines = createInterface({ input: process.stdin });
lines.once('line', (line) => {
  startShop(processSettings.parse(JSON.parse(line))).catch((error: unknown) => {
    send({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    process.exit(1);
  });
});
lines.once('close', () => process.exit(0));

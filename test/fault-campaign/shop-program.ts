// One process of a shop, which can be killed at a named point. The first line of its standard input has its settings. It
// writes messages as lines of JSON to its standard output, and exits when its input ends.
import { writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { createApp } from '../../server-example/create-app.ts';
import { requestListener } from '../../server-example/request-listener.ts';
import { createOrders, shopMigrations } from '../../server-example/orders.ts';
import { openDatabase } from '../support/open-database.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { createCheckoutServer, createInvoiceServiceClient, type Log } from '../../src/server.ts';
import { portOf } from '../mounts/listen.ts';
import { withDefect } from './defects.ts';
import { runClock } from './fast-time.ts';
import { withKill, type Ports } from './kill-points.ts';
import { processSettings, type ProcessMessage, type ProcessSettings } from './process-settings.ts';

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
  const database = await openDatabase(location, [...checkoutMigrations, ...shopMigrations]);
  if (defect === 'deletes committed intents') {
    const [schedules, attempts] = [sql.table('schedules'), sql.table('attempts')];
    await sql`
      delete from ${schedules} where attempt_id in (select external_id from ${attempts} where state = 'creating')
    `.execute(database.db);
    await sql`delete from ${attempts} where state = 'creating'`.execute(database.db);
  }
  const orders = createOrders(database.db, 'TEST');
  let ports: Ports = {
    service: createInvoiceServiceClient({
      baseUrl: serviceUrl,
      token,
      clock,
      log,
    }),
    // The store must use the run's clock, which is faster than the database's.
    store: { ...createSqlStore(database), clock: undefined },
    onOutcome: (outcome) => orders.settle(outcome),
  };
  if (defect !== null) ports = withDefect(ports, defect, () => clock.now());
  if (kill !== null)
    ports = withKill(ports, kill, () => {
      send({ killedAt: kill.point });
      process.kill(process.pid, 'SIGKILL');
    });
  const checkouts = createCheckoutServer({ ...ports, endpoint, mode: 'TEST', clock, log });
  const app = createApp({
    checkouts,
    orders,
    sandbox: null,
    test: true,
    isHealthy: () => Promise.resolve(),
    trust: {},
    dist: 'dist',
  });
  const server = createServer(requestListener(app, checkouts, {}));
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

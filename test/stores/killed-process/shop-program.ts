// One process of a shop, which can be killed at a named point. The first line of its standard input has its settings. It
// writes messages as lines of JSON to its standard output, and exits when its input ends.
import { writeSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { createCheckoutServer, createInvoiceServiceClient, toNodeListener } from '../../../src/server.ts';
import { createSqlStore } from '../../../src/stores/sql-store.ts';
import { portOf } from '../../mounts/listen.ts';
import { openDatabase } from '../../support/open-database.ts';
import { createFastClock, withKill, type Kill, type ShopMessage, type ShopSettings } from './kill-points.ts';

/** Writes a message synchronously, so that the last message of a killed process is not lost. */
const send = (message: ShopMessage): void => void writeSync(1, `${JSON.stringify(message)}\n`);

async function startShop({
  epoch,
  database: location,
  serviceUrl,
  token,
  outcomeFile,
  kill,
}: ShopSettings): Promise<void> {
  const clock = createFastClock(epoch);
  const database = await openDatabase(location);
  const killProcess = ({ point }: Kill): void => {
    send({ killedAt: point });
    process.kill(process.pid, 'SIGKILL');
  };
  const ports = withKill(
    {
      service: createInvoiceServiceClient({ baseUrl: serviceUrl, token, clock, log: () => undefined }),
      // The store must use the run's clock, which is faster than the database's.
      store: { ...createSqlStore(database), clock: undefined },
      onOutcome: async (outcome) => appendFile(outcomeFile, `${JSON.stringify(outcome)}\n`),
    },
    kill,
    killProcess,
  );
  const endpoint = 'http://127.0.0.1/checkout';
  const checkouts = createCheckoutServer({ ...ports, endpoint, mode: 'TEST', clock, log: () => undefined });
  const server = createServer(toNodeListener(checkouts));
  server.listen(0, '127.0.0.1', () => {
    checkouts.start();
    send({ port: portOf(server) });
  });
}

const lines = createInterface({ input: process.stdin });
lines.once('line', (line) => {
  startShop(JSON.parse(line) as ShopSettings).catch((error: unknown) => {
    send({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    process.exit(1);
  });
});
lines.once('close', () => process.exit(0));

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findBinaries } from '../../scripts/with-postgres.ts';
import { systemClock } from '../../src/base/clock.ts';
import { systemRandom } from '../../src/base/random.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox.ts';
import { createInvoiceServiceClient } from '../../src/server.ts';
import { openStore, type DatabaseLocation } from '../support/open-database.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';
import { until } from '../support/wait-until.ts';
import { databasesOfFile } from './databases.ts';

// The backups are made with the commands of docs/going-live.md: VACUUM INTO, and pg_dump with pg_restore.
const run = promisify(execFile);
const token = 'backup-token';
const databaseFile = ({ dataDir }: DatabaseLocation): string => join(dataDir, 'shop.db');
const postgresProgram = (program: string): string => join(findBinaries() ?? '', program);

/** Copies a database into an empty database, in a separate process. */
async function backUp(from: DatabaseLocation, to: DatabaseLocation): Promise<void> {
  if (from.databaseUrl === undefined || to.databaseUrl === undefined) {
    await mkdir(dirname(databaseFile(to)), { recursive: true });
    const vacuum = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec("VACUUM INTO '" + process.argv[2] + "'")`;
    await run(process.execPath, ['-e', vacuum, databaseFile(from), databaseFile(to)]);
    return;
  }
  const archive = `/tmp/${randomUUID()}.dump`;
  await run(postgresProgram('pg_dump'), ['--format=custom', '--no-owner', `--file=${archive}`, from.databaseUrl]);
  await run(postgresProgram('pg_restore'), ['--no-owner', `--dbname=${to.databaseUrl}`, archive]);
  await run('rm', [archive]);
}

/** A shop whose received outcomes are not in the database, so that a backup does not contain them. */
async function openShop(sandbox: Sandbox, place: DatabaseLocation) {
  const store = await openStore(place);
  const shop = new TestCheckoutServer({
    store,
    clock: systemClock,
    random: systemRandom,
    limits: { createsOfAddress: { burst: 10_000, perMinute: 10_000 } },
    service: createInvoiceServiceClient({
      baseUrl: 'https://service.example',
      token,
      fetch: (input, init) => sandbox.fetch(new Request(input, init)),
      log: () => undefined,
    }),
  });
  shop.server.start();
  const read = (id: string) => shop.parseResponse(shop.request(`/${shop.capabilityOf(id)}`));
  return {
    createCheckout: (orderId: string) => shop.createCheckout({ orderId }),
    read,
    loadCheckout: async (id: string) => (await read(id)).checkout,
    /** Creates an invoice; resolves with its identifier at the service. */
    async createInvoice(id: string): Promise<string> {
      shop.id = id;
      const { checkout } = await shop.createInvoice({ key: randomUUID() });
      return checkout.invoice?.id ?? assert.fail('there is no invoice');
    },
    async pay(invoiceId: string): Promise<void> {
      const pay = new Request(`https://service.example/sandbox/invoices/${invoiceId}/pay`, { method: 'POST' });
      assert.equal((await sandbox.fetch(pay)).status, 200);
    },
    /** The identifiers of the outcomes that were delivered for an order. */
    outcomeIdsOf: (orderId: string) => shop.outcomes.flatMap((one) => (one.orderId === orderId ? one.id : [])),
    async close(): Promise<void> {
      await shop.server.stop();
      await store.close();
    },
  };
}

const systems = await databasesOfFile();

for (const system of systems)
  describe(`a backup of ${system.name}`, { timeout: 120_000 }, () => {
    it('has every invoice that was created before the backup began, even if invoices are created during the backup', async () => {
      const sandbox = createSandbox({ token });
      const [place, copy] = [await system.fresh(), await system.fresh()];
      const shop = await openShop(sandbox, place);
      const invoiceIds = new Map<string, string>();
      let isBackupDone = false;
      const createInvoices = async (): Promise<void> => {
        while (!isBackupDone) {
          const id = await shop.createCheckout(randomUUID());
          invoiceIds.set(id, await shop.createInvoice(id));
          await setImmediate(); // lets the event loop run, because no call above waits for a socket or a timer
        }
      };
      const payers = Promise.all(Array.from({ length: 4 }, createInvoices));
      await until('there are invoices', () => invoiceIds.size > 20, 60_000);
      const invoicesBefore = [...invoiceIds];
      await backUp(place, copy);
      isBackupDone = true;
      await payers; // rejects if any request failed
      assert.ok(invoiceIds.size > invoicesBefore.length, 'invoices were created while the backup was taken');
      await shop.close();

      const restoredShop = await openShop(sandbox, copy);
      for (const [id, invoiceId] of invoicesBefore)
        assert.equal((await restoredShop.loadCheckout(id)).invoice?.id, invoiceId);
      await restoredShop.close();
      await sandbox.close();
    });

    it('leads to an outcome for every later payment of its invoices, with the same outcome id as before the restore', async () => {
      const sandbox = createSandbox({ token });
      const [place, copy] = [await system.fresh(), await system.fresh()];
      const lostShop = await openShop(sandbox, place);
      const pay = async (orderId: string, id: string): Promise<void> => {
        await lostShop.pay(await lostShop.createInvoice(id));
        await until(`${orderId} is delivered`, () => lostShop.outcomeIdsOf(orderId).length === 1, 60_000);
      };
      await pay('delivered before', await lostShop.createCheckout('delivered before'));
      const paidDuringOutage = await lostShop.createCheckout('paid later');
      const invoicePaidDuringOutage = await lostShop.createInvoice(paidDuringOutage);
      const paidAfterBackup = await lostShop.createCheckout('paid between');
      const invoicePaidAfterBackup = await lostShop.createInvoice(paidAfterBackup);
      const withoutInvoice = await lostShop.createCheckout('without an invoice');
      await backUp(place, copy);

      await lostShop.pay(invoicePaidAfterBackup);
      await until('the payment is delivered', () => lostShop.outcomeIdsOf('paid between').length === 1, 60_000);
      await pay('without an invoice', withoutInvoice);
      const createdAfterBackup = await lostShop.createCheckout('ordered after the backup');
      await lostShop.createInvoice(createdAfterBackup);
      await lostShop.close();
      await lostShop.pay(invoicePaidDuringOutage);

      const restoredShop = await openShop(sandbox, copy);
      const isDelivered = (orderId: string) => () => restoredShop.outcomeIdsOf(orderId).length === 1;
      await until('the payment during the outage is delivered', isDelivered('paid later'), 60_000);
      await until('the payment after the backup is delivered a second time', isDelivered('paid between'), 60_000);
      assert.deepEqual(restoredShop.outcomeIdsOf('paid between'), lostShop.outcomeIdsOf('paid between'));
      assert.deepEqual(restoredShop.outcomeIdsOf('delivered before'), []);
      assert.equal((await restoredShop.loadCheckout(paidDuringOutage)).status, 'paid');
      assert.equal((await restoredShop.loadCheckout(paidAfterBackup)).status, 'paid');

      // Invoices and checkouts that were created after the backup are lost. The service still has the invoices with their
      // orders.
      assert.equal((await restoredShop.loadCheckout(withoutInvoice)).status, 'open');
      assert.deepEqual(restoredShop.outcomeIdsOf('without an invoice'), []);
      assert.equal((await restoredShop.read(createdAfterBackup)).status, 404);
      assert.notEqual(await restoredShop.createCheckout('ordered after the backup'), createdAfterBackup);
      const listResponse = await sandbox.fetch(new Request('https://service.example/sandbox/invoices'));
      const text = await listResponse.text();
      for (const orderId of ['without an invoice', 'ordered after the backup'])
        assert.ok(text.includes(`"${orderId}"`), text);
      await restoredShop.close();
      await sandbox.close();
    });
  });

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findBinaries } from '../../scripts/with-postgres.ts';
import { createPostgresStore } from '../../src/postgres.ts';
import { checkout as checkoutSchema, type Checkout } from '../../src/checkout-api.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox.ts';
import {
  createCheckoutServer,
  createInvoiceServiceClient,
  type CheckoutServer,
  type Outcome,
} from '../../src/server.ts';
import { createSqliteStore } from '../../src/sqlite.ts';
import type { DatabaseLocation } from '../support/open-database.ts';
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
    const vacuum = `new (require('libsql'))(process.argv[1]).exec("VACUUM INTO '" + process.argv[2] + "'")`;
    await run(process.execPath, ['-e', vacuum, databaseFile(from), databaseFile(to)]);
    return;
  }
  const archive = `/tmp/${randomUUID()}.dump`;
  await run(postgresProgram('pg_dump'), ['--format=custom', '--no-owner', `--file=${archive}`, from.databaseUrl]);
  await run(postgresProgram('pg_restore'), ['--no-owner', `--dbname=${to.databaseUrl}`, archive]);
  await run('rm', [archive]);
}

/**
 * A shop with a checkout server in this process. Its received outcomes are not in the database, so a backup does not contain
 * them.
 */
class Shop {
  readonly outcomes: Outcome[] = [];
  readonly #server: CheckoutServer;
  readonly #closeStore: () => Promise<void>;
  readonly #sandbox: Sandbox;

  private constructor(sandbox: Sandbox, store: Awaited<ReturnType<typeof createSqliteStore>>) {
    this.#sandbox = sandbox;
    this.#closeStore = () => store.close();
    this.#server = createCheckoutServer({
      service: createInvoiceServiceClient({
        baseUrl: 'https://service.example',
        token,
        fetch: (input, init) => sandbox.fetch(new Request(input, init)),
        log: () => undefined,
      }),
      store,
      endpoint: 'https://shop.example/checkout',
      mode: 'TEST',
      limits: { createsOfAddress: { burst: 10_000, perMinute: 10_000 } },
      onOutcome: (outcome) => Promise.resolve(void this.outcomes.push(outcome)),
      log: () => undefined,
    });
    this.#server.start();
  }

  static async open(sandbox: Sandbox, place: DatabaseLocation): Promise<Shop> {
    const { databaseUrl: url } = place;
    const store = url === undefined ? createSqliteStore({ file: databaseFile(place) }) : createPostgresStore({ url });
    return new Shop(sandbox, await store);
  }

  /** Creates the checkout of an order; resolves with its capability. */
  async createCheckout(orderId: string): Promise<string> {
    const { capability } = await this.#server.create({ orderId, amount: '1500.00', currency: 'RUB' });
    return capability;
  }

  async getCheckout(id: string): Promise<Response> {
    return this.#server.handle(new Request(`https://shop.example/checkout/${id}`), { address: undefined });
  }

  async loadCheckout(id: string): Promise<Checkout> {
    return checkoutSchema.parse(await (await this.getCheckout(id)).json());
  }

  /** Creates an invoice; resolves with its identifier at the service. */
  async createInvoice(id: string): Promise<string> {
    const response = await this.#server.handle(
      new Request(`https://shop.example/checkout/${id}/invoice`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
        body: JSON.stringify({ payment_method_id: 'pm_card' }),
      }),
      { address: undefined },
    );
    assert.equal(response.status, 201);
    const { invoice } = checkoutSchema.parse(await response.json());
    return invoice?.id ?? assert.fail('there is no invoice');
  }

  async pay(invoiceId: string): Promise<void> {
    const url = `https://service.example/sandbox/invoices/${invoiceId}/pay`;
    assert.equal((await this.#sandbox.fetch(new Request(url, { method: 'POST' }))).status, 200);
  }

  /** The identifiers of the outcomes that were delivered for an order. */
  outcomeIdsOf(orderId: string): readonly string[] {
    return this.outcomes.filter((outcome) => outcome.orderId === orderId).map(({ id }) => id);
  }

  async close(): Promise<void> {
    await this.#server.stop();
    await this.#closeStore();
  }
}

const systems = await databasesOfFile();

for (const system of systems)
  describe(`a backup of ${system.name}`, { timeout: 120_000 }, () => {
    it('has every invoice that was created before the backup began, even if invoices are created during the backup', async () => {
      const sandbox = createSandbox({ token });
      const [place, copy] = [await system.fresh(), await system.fresh()];
      const shop = await Shop.open(sandbox, place);
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

      const restoredShop = await Shop.open(sandbox, copy);
      for (const [id, invoiceId] of invoicesBefore)
        assert.equal((await restoredShop.loadCheckout(id)).invoice?.id, invoiceId);
      await restoredShop.close();
      await sandbox.close();
    });

    it('leads to an outcome for every later payment of its invoices, with the same outcome id as before the restore', async () => {
      const sandbox = createSandbox({ token });
      const [place, copy] = [await system.fresh(), await system.fresh()];
      const lostShop = await Shop.open(sandbox, place);
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

      const restoredShop = await Shop.open(sandbox, copy);
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
      assert.equal((await restoredShop.getCheckout(createdAfterBackup)).status, 404);
      assert.notEqual(await restoredShop.createCheckout('ordered after the backup'), createdAfterBackup);
      const listResponse = await sandbox.fetch(new Request('https://service.example/sandbox/invoices'));
      const text = await listResponse.text();
      for (const orderId of ['without an invoice', 'ordered after the backup'])
        assert.ok(text.includes(`"${orderId}"`), text);
      await restoredShop.close();
      await sandbox.close();
    });
  });

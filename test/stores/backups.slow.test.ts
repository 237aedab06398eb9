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
import { checkout as checkoutSchema, type Checkout } from '../../src/protocol.ts';
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
import { allDatabases } from './databases.ts';

// The commands of docs/going-live.md: VACUUM INTO, and pg_dump with pg_restore.
const run = promisify(execFile);
const token = 'backup-token';
const fileIn = ({ dataDir }: DatabaseLocation): string => join(dataDir, 'shop.db');
const postgres = (program: string): string => join(findBinaries() ?? '', program);

/** Copies a database into another, empty one, in a process of its own. */
async function backUp(from: DatabaseLocation, to: DatabaseLocation): Promise<void> {
  if (from.databaseUrl === undefined || to.databaseUrl === undefined) {
    await mkdir(dirname(fileIn(to)), { recursive: true });
    const vacuum = `new (require('libsql'))(process.argv[1]).exec("VACUUM INTO '" + process.argv[2] + "'")`;
    await run(process.execPath, ['-e', vacuum, fileIn(from), fileIn(to)]);
    return;
  }
  const archive = `/tmp/${randomUUID()}.dump`;
  await run(postgres('pg_dump'), ['--format=custom', '--no-owner', `--file=${archive}`, from.databaseUrl]);
  await run(postgres('pg_restore'), ['--no-owner', `--dbname=${to.databaseUrl}`, archive]);
  await run('rm', [archive]);
}

/** A shop with a checkout server in this process. Its orders are not in the database: a restored backup does not change them. */
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
    const store = url === undefined ? createSqliteStore({ file: fileIn(place) }) : createPostgresStore({ url });
    return new Shop(sandbox, await store);
  }

  async order(orderId: string): Promise<string> {
    const { id } = await this.#server.create({ orderId, amount: '1500.00', currency: 'RUB' });
    return id;
  }

  async read(id: string): Promise<Response> {
    return this.#server.handle(new Request(`https://shop.example/checkout/${id}`));
  }

  async checkout(id: string): Promise<Checkout> {
    return checkoutSchema.parse(await (await this.read(id)).json());
  }

  /** Creates an invoice; resolves with its identifier at the service. */
  async createInvoice(id: string): Promise<string> {
    const response = await this.#server.handle(
      new Request(`https://shop.example/checkout/${id}/invoice`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
        body: JSON.stringify({ payment_method_id: 'pm_card' }),
      }),
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

const kinds = await allDatabases();
after(async () => {
  for (const kind of kinds) await kind.end();
});

for (const kind of kinds)
  describe(`a backup of ${kind.name}`, { timeout: 120_000 }, () => {
    it('has every invoice that was created before it began, although others are created while it is taken', async () => {
      const sandbox = createSandbox({ token });
      const [place, copy] = [await kind.fresh(), await kind.fresh()];
      const shop = await Shop.open(sandbox, place);
      const invoiceIds = new Map<string, string>();
      let isOver = false;
      const buy = async (): Promise<void> => {
        while (!isOver) {
          const id = await shop.order(randomUUID());
          invoiceIds.set(id, await shop.createInvoice(id));
          await setImmediate(); // nothing here waits for a socket or a timer
        }
      };
      const payers = Promise.all(Array.from({ length: 4 }, buy));
      await until('there are invoices', () => invoiceIds.size > 20, 60_000);
      const before = [...invoiceIds];
      await backUp(place, copy);
      isOver = true;
      await payers; // rejects if a request was refused
      assert.ok(invoiceIds.size > before.length, 'invoices were created while the backup was taken');
      await shop.close();

      const restored = await Shop.open(sandbox, copy);
      for (const [id, invoiceId] of before) assert.equal((await restored.checkout(id)).invoice?.id, invoiceId);
      await restored.close();
      await sandbox.close();
    });

    it('leads to an outcome for every payment of its invoices, with the same identifier as before', async () => {
      const sandbox = createSandbox({ token });
      const [place, copy] = [await kind.fresh(), await kind.fresh()];
      const lost = await Shop.open(sandbox, place);
      const pay = async (orderId: string, id: string): Promise<void> => {
        await lost.pay(await lost.createInvoice(id));
        await until(`${orderId} is delivered`, () => lost.outcomeIdsOf(orderId).length === 1, 60_000);
      };
      await pay('delivered before', await lost.order('delivered before'));
      const waiting = await lost.order('paid later');
      const unpaid = await lost.createInvoice(waiting);
      const paidBetween = await lost.order('paid between');
      const between = await lost.createInvoice(paidBetween);
      const known = await lost.order('without an invoice');
      await backUp(place, copy);

      await lost.pay(between);
      await until('the payment is delivered', () => lost.outcomeIdsOf('paid between').length === 1, 60_000);
      await pay('without an invoice', known);
      const unknown = await lost.order('ordered after the backup');
      await lost.createInvoice(unknown);
      await lost.close();
      await lost.pay(unpaid);

      const restored = await Shop.open(sandbox, copy);
      const isDelivered = (orderId: string) => () => restored.outcomeIdsOf(orderId).length === 1;
      await until('the payment during the outage is delivered', isDelivered('paid later'), 60_000);
      await until('the payment after the backup is delivered again', isDelivered('paid between'), 60_000);
      assert.deepEqual(restored.outcomeIdsOf('paid between'), lost.outcomeIdsOf('paid between'));
      assert.deepEqual(restored.outcomeIdsOf('delivered before'), []);
      assert.equal((await restored.checkout(waiting)).status, 'paid');
      assert.equal((await restored.checkout(paidBetween)).status, 'paid');

      // Invoices and checkouts after the backup are lost. The service still has the invoices, each with its order.
      assert.equal((await restored.checkout(known)).status, 'open');
      assert.deepEqual(restored.outcomeIdsOf('without an invoice'), []);
      assert.equal((await restored.read(unknown)).status, 404);
      assert.notEqual(await restored.order('ordered after the backup'), unknown);
      const list = await sandbox.fetch(new Request('https://service.example/sandbox/invoices'));
      const text = await list.text();
      for (const orderId of ['without an invoice', 'ordered after the backup'])
        assert.ok(text.includes(`"${orderId}"`), text);
      await restored.close();
      await sandbox.close();
    });
  });

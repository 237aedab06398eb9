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

/** A shop over a database and a sandbox in this process. Its own orders are elsewhere: a restored backup does not change them. */
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

  async look(id: string): Promise<Response> {
    return this.#server.handle(new Request(`https://shop.example/checkout/${id}`));
  }

  async checkout(id: string): Promise<Checkout> {
    return checkoutSchema.parse(await (await this.look(id)).json());
  }

  /** Creates an invoice; resolves with its identifier at the service. */
  async choose(id: string): Promise<string> {
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

  /** The identifiers of an order's outcomes. */
  idsOf(orderId: string): readonly string[] {
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
    it('taken while payers are at work holds everything that was confirmed before it began', async () => {
      const sandbox = createSandbox({ token });
      const [place, copy] = [await kind.fresh(), await kind.fresh()];
      const shop = await Shop.open(sandbox, place);
      const confirmed = new Map<string, string>();
      let isOver = false;
      const buy = async (): Promise<void> => {
        while (!isOver) {
          const id = await shop.order(randomUUID());
          confirmed.set(id, await shop.choose(id));
          await setImmediate(); // nothing here waits for a socket or a timer
        }
      };
      const payers = Promise.all(Array.from({ length: 4 }, buy));
      await until('there are invoices', () => confirmed.size > 20, 60_000);
      const before = [...confirmed];
      await backUp(place, copy);
      isOver = true;
      await payers; // none was refused
      assert.ok(confirmed.size > before.length, 'payers were at work');
      await shop.close();

      const restored = await Shop.open(sandbox, copy);
      for (const [id, invoiceId] of before) assert.equal((await restored.checkout(id)).invoice?.id, invoiceId);
      await restored.close();
      await sandbox.close();
    });

    it('finds every payment of the invoices that it holds, and tells each under the identifier that it had before', async () => {
      const sandbox = createSandbox({ token });
      const [place, copy] = [await kind.fresh(), await kind.fresh()];
      const lost = await Shop.open(sandbox, place);
      const pay = async (orderId: string, id: string): Promise<void> => {
        await lost.pay(await lost.choose(id));
        await until(`${orderId} is told`, () => lost.idsOf(orderId).length === 1, 60_000);
      };
      await pay('told before', await lost.order('told before'));
      const waiting = await lost.order('paid later');
      const unpaid = await lost.choose(waiting);
      const behind = await lost.order('paid between');
      const between = await lost.choose(behind);
      const known = await lost.order('without an invoice');
      await backUp(place, copy);

      await lost.pay(between);
      await until('the payment is told', () => lost.idsOf('paid between').length === 1, 60_000);
      await pay('without an invoice', known);
      const unknown = await lost.order('ordered after the backup');
      await lost.choose(unknown);
      await lost.close();
      await lost.pay(unpaid);

      const restored = await Shop.open(sandbox, copy);
      const isTold = (orderId: string) => () => restored.idsOf(orderId).length === 1;
      await until('the payment during the outage is told', isTold('paid later'), 60_000);
      await until('the payment after the backup is told again', isTold('paid between'), 60_000);
      assert.deepEqual(restored.idsOf('paid between'), lost.idsOf('paid between')); // the shop takes it for the same one
      assert.deepEqual(restored.idsOf('told before'), []);
      assert.equal((await restored.checkout(waiting)).status, 'paid');
      assert.equal((await restored.checkout(behind)).status, 'paid');

      // What is lost: invoices and checkouts after the backup. The service has both by the order.
      assert.equal((await restored.checkout(known)).status, 'open');
      assert.deepEqual(restored.idsOf('without an invoice'), []);
      assert.equal((await restored.look(unknown)).status, 404);
      assert.notEqual(await restored.order('ordered after the backup'), unknown);
      const list = await sandbox.fetch(new Request('https://service.example/sandbox/invoices'));
      const text = await list.text();
      for (const orderId of ['without an invoice', 'ordered after the backup'])
        assert.ok(text.includes(`"${orderId}"`), text);
      await restored.close();
      await sandbox.close();
    });
  });

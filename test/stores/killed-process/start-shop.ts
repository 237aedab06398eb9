import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { z } from 'zod';
import { checkout as checkoutSchema, type Checkout } from '../../../src/checkout-api.ts';
import {
  createCheckoutServer,
  createInvoiceServiceClient,
  type CheckoutStore,
  type Outcome,
} from '../../../src/server.ts';
import { createSqlStore } from '../../../src/stores/sql-store.ts';
import { createSandbox } from '../../../src/tools/sandbox/create-sandbox.ts';
import { openDatabase, type DatabaseLocation } from '../../support/open-database.ts';
import { createFastClock, type Kill } from './kill-points.ts';
import { ShopProcess } from './restarted-process.ts';

const token = 'token-of-the-shop';

const invoiceList = z.object({
  invoices: z.array(
    z.object({
      id: z.string(),
      external_id: z.string(),
      amount: z.string(),
      created_at: z.string(),
      expires_at: z.string(),
      metadata: z.object({ order_id: z.string() }),
    }),
  ),
});
type ServiceInvoice = z.infer<typeof invoiceList>['invoices'][number];

/** Builds the program of a shop's process into one file, which starts about six times as fast as the sources. */
export async function buildShopProgram(): Promise<{ readonly program: string; readonly folder: string }> {
  mkdirSync('.tmp', { recursive: true });
  const folder = mkdtempSync(resolve('.tmp/shop-'));
  await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: resolve('test/stores/killed-process/shop-program.ts'),
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      target: 'node22',
    },
    ssr: { noExternal: true, external: ['pg'] },
  });
  return { program: join(folder, 'shop-program.js'), folder };
}

/** The response to a payer's request. */
export interface PayerResponse {
  readonly status: number;
  /** Undefined for a problem. */
  readonly checkout: Checkout | undefined;
}

/** A shop of some processes on one database, and a sandbox as its invoice service. */
export interface ShopRun {
  readonly shops: readonly ShopProcess[];
  readonly store: CheckoutStore;
  /** Milliseconds since 1970 on the run's clock, which is faster than the system's. */
  now(): number;
  createCheckout(orderId: string): Promise<{ readonly id: string; readonly capability: string }>;
  /** Sends a payer's request to the processes in turn. Undefined when no response comes. */
  send(capability: string, path?: string, init?: RequestInit): Promise<PayerResponse | undefined>;
  /** Calls the sandbox's control API. */
  control(method: string, path: string, body?: unknown): Promise<void>;
  listInvoices(): Promise<readonly ServiceInvoice[]>;
  /** The outcomes that the shop has received. */
  readonly readOutcomes: () => readonly Outcome[];
  stop(): Promise<void>;
}

/** Starts the shop. Each process is killed when it first reaches the point of `kill`. */
export async function startShopRun(
  program: string,
  database: DatabaseLocation,
  processCount: number,
  kill: Kill | null,
): Promise<ShopRun> {
  const epoch = Date.now();
  const clock = createFastClock(epoch);
  const sandbox = createSandbox({ token, clock, repeatedExternalId: 'same' });
  const { url: serviceUrl } = await sandbox.listen({ port: 0, host: '127.0.0.1' });
  const ownDatabase = await openDatabase(database);
  const store = { ...createSqlStore(ownDatabase), clock: undefined };
  const outcomeFile = join(program, '..', randomUUID());
  const settings = { epoch, database, serviceUrl, token, outcomeFile, kill };
  const shops = Array.from({ length: processCount }, () => new ShopProcess(program, settings));
  await Promise.all(shops.map((shop) => shop.start()));
  const ownServer = createCheckoutServer({
    service: createInvoiceServiceClient({ baseUrl: serviceUrl, token }),
    store,
    clock,
    endpoint: 'http://127.0.0.1/checkout',
    mode: 'TEST',
    onOutcome: () => Promise.resolve(),
    log: () => undefined,
  });
  let requestCount = 0;
  const callSandbox = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const json =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await sandbox.fetch(new Request(`${serviceUrl}/sandbox/${path}`, { method, ...json }));
    assert.ok(response.ok, `${method} ${path}: ${response.status}`);
    return response;
  };
  return {
    shops,
    store,
    now: () => clock.now(),
    createCheckout: (orderId) => ownServer.create({ orderId, amount: '1500.00', currency: 'RUB' }),
    async send(capability, path = '', init = {}) {
      const { endpoint } = shops[(requestCount += 1) % shops.length] ?? assert.fail();
      if (endpoint === undefined) return undefined;
      try {
        const response = await fetch(`${endpoint}/${capability}${path}`, init);
        const { success, data } = checkoutSchema.safeParse(await response.json());
        return { status: response.status, checkout: success ? data : undefined };
      } catch {
        return undefined; // the process was killed
      }
    },
    async control(method, path, body) {
      await callSandbox(method, path, body);
    },
    listInvoices: async () =>
      invoiceList.parse(await (await callSandbox('GET', 'invoices?limit=1000')).json()).invoices,
    // A line that is still being written has no end yet.
    readOutcomes: () =>
      (existsSync(outcomeFile) ? readFileSync(outcomeFile, 'utf8') : '')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Outcome),
    async stop() {
      for (const shop of shops) await shop.stop();
      await ownDatabase.close();
      await sandbox.close();
    },
  };
}

import { createSandbox } from '../../src/sandbox/create-sandbox.ts';
import { operationPath, type Operation } from '../../src/contract.ts';
import { runConformance, type ConformanceOptions, type Report } from '../../src/conformance.ts';
import {
  createCheckoutServer,
  createInvoiceServiceClient,
  createMemoryStore,
  type CheckoutServerOptions,
} from '../../src/server.ts';
import { VirtualTime } from '../support/virtual-time.ts';

/** What a defect can do besides answering. */
interface Means {
  /** Lets virtual time pass. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Calls the invoice service, as a backend does. */
  readonly callService: (operation: Operation) => Promise<void>;
}

/** A request on its way to the backend: a defect answers it, or changes it or its answer, in its own way. */
export type Defect = (
  request: Request,
  next: (request: Request) => Promise<Response>,
  means: Means,
) => Promise<Response>;

/** How a merchant differs from a sound one. */
export interface Differences {
  /** Stands between the conformance run and the backend. */
  readonly edge?: Defect;
  readonly server?: Partial<CheckoutServerOptions>;
  /** What the service does with a repeated `external_id`. */
  readonly repeatedExternalId?: 'new' | 'same' | 'conflict';
  /** Capabilities as the merchant hands them out. */
  readonly mint?: (capability: string) => string;
}

const token = 'token-of-the-tested-merchant';
const endpoint = 'http://shop.test/checkout';
const sandboxUrl = 'http://sandbox.test';

/**
 * Runs the conformance checks against our server and our sandbox in one process and in virtual time; the shop opens at
 * most so many orders.
 */
export async function testMerchant(
  { edge, server, repeatedExternalId = 'new', mint = (capability) => capability }: Differences = {},
  { orders = Infinity, ...options }: Partial<ConformanceOptions> & { readonly orders?: number } = {},
): Promise<Report> {
  const clock = new VirtualTime();
  const sandbox = createSandbox({
    token,
    publicUrl: sandboxUrl,
    clock,
    sendWebhook: async (request) => checkouts.handle(request),
    random: () => 0.5,
    repeatedExternalId,
  });
  const service = createInvoiceServiceClient({
    baseUrl: 'http://127.0.0.1:1',
    token,
    fetch: (input, init) => sandbox.fetch(new Request(input, init)),
    clock,
    random: () => 0.5,
    log: () => undefined,
  });
  const checkouts = createCheckoutServer({
    service,
    store: createMemoryStore(),
    endpoint,
    mode: 'TEST',
    onOutcome: () => Promise.resolve(),
    clock,
    random: () => 0.5,
    log: () => undefined,
    ...server,
  });
  checkouts.start();
  const toBackend = (request: Request): Promise<Response> => checkouts.handle(request);

  const sleep = (ms: number): Promise<void> => clock.sleep(ms);
  const callService = async (operation: Operation): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const url = `${sandboxUrl}${operationPath(operation)}`;
    await sandbox.fetch(new Request(url, { method: 'POST', headers, body: '{"ids":[]}' }));
  };

  let opened = 0;
  const run = runConformance({
    endpoint,
    sandbox: sandboxUrl,
    token,
    slow: true,
    open: async (kind) => {
      if ((opened += 1) > orders) return undefined;
      return mint(
        await checkouts.create({
          order_id: `order-${opened}`,
          amount: kind === 'priced' ? '1500.00' : null,
          amount_limits: kind === 'priced' ? null : { min_amount: '50.00', max_amount: '100000.00' },
          currency: 'RUB',
          description: 'Leaf & Clay',
          success_url: null,
          fail_url: 'https://shop.test/again',
        }),
      );
    },
    ports: {
      now: () => clock.now(),
      sleep,
      fetch(request) {
        if (request.url.startsWith(sandboxUrl)) return sandbox.fetch(request);
        return edge === undefined ? toBackend(request) : edge(request, toBackend, { sleep, callService });
      },
    },
    ...options,
  });
  const outcome = await clock.settle(run);
  await clock.settle(checkouts.stop());
  await sandbox.close();
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

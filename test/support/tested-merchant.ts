import { createSandbox } from '../../server-example/sandbox/sandbox.ts';
import { runConformance, type ConformanceOptions, type Report } from '../../src/conformance.ts';
import {
  createCheckoutServer,
  createInvoiceServiceClient,
  createMemoryStore,
  type CheckoutServerOptions,
  type Clock,
} from '../../src/server.ts';
import { VirtualTime } from './virtual-time.ts';

/** A request on its way to the backend: a defect answers it, or changes it or its answer, in its own way. */
export type Defect = (request: Request, next: (request: Request) => Promise<Response>) => Promise<Response>;

/** How a merchant differs from a sound one. */
export interface Differences {
  /** Stands between the conformance run and the backend. */
  readonly edge?: Defect;
  /** Stands between the backend and the invoice service. */
  readonly upstream?: Defect;
  readonly server?: Partial<CheckoutServerOptions>;
  /** Capabilities as the merchant hands them out. */
  readonly mint?: (capability: string) => string;
}

const token = 'token-of-the-tested-merchant';
const endpoint = 'http://shop.test/checkout';
const sandboxUrl = 'http://sandbox.test';

/** A clock of the server and of the sandbox in virtual time. */
function clockIn(time: VirtualTime): Clock {
  return {
    now: () => time.now(),
    schedule(ms, task) {
      const controller = new AbortController();
      time.sleep(ms, controller.signal).then(task, () => undefined);
      return () => controller.abort();
    },
  };
}

/** Runs the conformance checks against our server and our sandbox in one process and in virtual time. */
export async function testMerchant(
  { edge, upstream, server, mint = (capability) => capability }: Differences = {},
  options: Partial<ConformanceOptions> = {},
): Promise<Report> {
  const time = new VirtualTime();
  const clock = clockIn(time);
  const sandbox = createSandbox({
    token,
    publicUrl: sandboxUrl,
    clock,
    sendHook: async (request) => checkouts.handle(request),
    random: () => 0.5,
  });
  const toService = (request: Request): Promise<Response> => sandbox.fetch(request);
  const service = createInvoiceServiceClient({
    baseUrl: 'http://127.0.0.1:1',
    token,
    fetch: (input, init) => {
      const request = new Request(input, init);
      return upstream === undefined ? toService(request) : upstream(request, toService);
    },
    clock: time,
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

  const run = runConformance({
    endpoint,
    sandbox: sandboxUrl,
    token,
    slow: true,
    open: async (kind) =>
      mint(
        await checkouts.open({
          order_id: 'order',
          amount: kind === 'priced' ? '1500.00' : null,
          amount_limits: kind === 'priced' ? null : { min_amount: '50.00', max_amount: '100000.00' },
          currency: 'RUB',
          description: 'Leaf & Clay',
          success_url: null,
          fail_url: 'https://shop.test/again',
        }),
      ),
    ports: {
      now: () => time.now(),
      sleep: (ms) => time.sleep(ms, new AbortController().signal),
      fetch(request) {
        if (request.url.startsWith(sandboxUrl)) return sandbox.fetch(request);
        return edge === undefined ? toBackend(request) : edge(request, toBackend);
      },
    },
    ...options,
  });
  const outcome = await time.settle(run);
  await time.settle(checkouts.stop());
  await sandbox.close();
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

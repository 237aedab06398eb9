import type { Random } from '../../src/base/random.ts';
import { createSandbox } from '../../src/tools/sandbox/create-sandbox.ts';
import { operationPath, type Operation } from '../../src/service-api.ts';
import { runConformance, type ConformanceOptions, type OrderKind, type Report } from '../../src/conformance.ts';
import {
  createCheckoutServer,
  createInvoiceServiceClient,
  createMemoryStore,
  type CheckoutServer,
  type CheckoutServerOptions,
  type CreateCheckoutParams,
} from '../../src/server.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { AutoAdvancingClock } from '../support/auto-advancing-clock.ts';

/** Functions that a defect may call. */
interface DefectPorts {
  /** Waits on the fake clock. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Calls the invoice service, as a backend does. */
  readonly callService: (operation: Operation) => Promise<void>;
}

/** Handles a request in place of the backend. `next` passes a request on to the backend. */
export type Defect = (
  request: Request,
  next: (request: Request) => Promise<Response>,
  ports: DefectPorts,
) => Promise<Response>;

/** How a backend differs from a correct one. */
export interface BackendChanges {
  /** Handles requests between the conformance run and the backend. */
  readonly intercept?: Defect;
  readonly server?: Partial<CheckoutServerOptions>;
  /** What the sandbox does with a repeated `external_id`: creates a new invoice, returns the same one, or answers 409. */
  readonly repeatedExternalId?: 'new' | 'same' | 'conflict';
  /** Changes the capabilities that the backend creates. */
  readonly changeCapability?: (capability: string) => string;
  /** Closes a checkout in place of the backend. */
  readonly closeCheckout?: (checkouts: CheckoutServer, checkout: string) => Promise<unknown>;
}

export const token = 'token-of-the-tested-backend';
const endpoint = 'http://shop.test/checkout';
export const sandboxUrl = 'https://sandbox.test';
export const allowedOrigin = 'https://partner.example';

/** The parameters of the checkouts that the checks use. */
export const orderParams = (kind: OrderKind, number: number): CreateCheckoutParams => ({
  orderId: `order-${number}`,
  ...(kind === 'priced' ? { amount: '1500.00' } : { amountLimits: { minAmount: '50.00', maxAmount: '100000.00' } }),
  currency: 'RUB',
  description: 'Leaf & Clay',
  failUrl: 'https://shop.test/again',
});

/** Describes each check that did not pass: its id, and what it got or why it was not run. */
export const describeFailedChecks = ({ results }: Report): readonly string[] =>
  results.filter(({ verdict }) => verdict !== 'passed').map(({ id, got, reason }) => `${id}: ${got ?? reason ?? ''}`);

/** Our server and the sandbox that it uses, in this process. */
export function startTestedBackend(
  ports: { readonly clock?: AutoAdvancingClock; readonly random?: Random } = {},
  { server, repeatedExternalId = 'new' }: Pick<BackendChanges, 'server' | 'repeatedExternalId'> = {},
) {
  const sandbox = createSandbox({
    token,
    publicUrl: sandboxUrl,
    sendWebhook: async (request) => checkouts.handle(request, { address: undefined }),
    repeatedExternalId,
    ...ports,
  });
  const service = createInvoiceServiceClient({
    baseUrl: 'http://127.0.0.1:1',
    token,
    fetch: (input, init) => sandbox.fetch(new Request(input, init)),
    log: () => undefined,
    ...(ports.clock && { clock: ports.clock }),
  });
  const checkouts = createCheckoutServer({
    service,
    store: createMemoryStore(),
    endpoint,
    mode: 'TEST',
    onOutcome: () => Promise.resolve(),
    log: () => undefined,
    allowedOrigins: [allowedOrigin],
    ...ports,
    ...server,
  });
  checkouts.start();
  return { sandbox, checkouts };
}

/**
 * Runs the conformance checks against our server and our sandbox in one process, on an `AutoAdvancingClock`. `orders` is the
 * maximum number of checkouts that are opened.
 */
export async function runConformanceInProcess(
  changes: BackendChanges = {},
  { orders = Infinity, ...options }: Partial<ConformanceOptions> & { readonly orders?: number } = {},
): Promise<Report> {
  const clock = new AutoAdvancingClock();
  const { sandbox, checkouts } = startTestedBackend({ clock, random: fixedRandom(0.5) }, changes);
  const {
    intercept,
    changeCapability = (capability: string) => capability,
    closeCheckout = (server: CheckoutServer, checkout: string) => server.close(checkout),
  } = changes;
  const sendToBackend = (request: Request): Promise<Response> => checkouts.handle(request, { address: undefined });

  const sleep = (ms: number): Promise<void> => clock.sleep(ms);
  const callService = async (operation: Operation): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const url = `${sandboxUrl}${operationPath(operation)}`;
    await sandbox.fetch(new Request(url, { method: 'POST', headers, body: '{"ids":[]}' }));
  };

  let openedCount = 0;
  const checkoutIds = new Map<string, string>();
  const reportPromise = runConformance({
    endpoint,
    sandbox: sandboxUrl,
    token,
    allowedOrigin,
    slow: true,
    close: async (checkout) => {
      await closeCheckout(checkouts, checkoutIds.get(checkout) ?? '');
    },
    open: async (kind) => {
      if ((openedCount += 1) > orders) return undefined;
      const { id, capability } = await checkouts.create(orderParams(kind, openedCount));
      checkoutIds.set(changeCapability(capability), id);
      return changeCapability(capability);
    },
    ports: {
      now: () => clock.now(),
      sleep,
      fetch(request) {
        if (request.url.startsWith(sandboxUrl)) return sandbox.fetch(request);
        return intercept === undefined
          ? sendToBackend(request)
          : intercept(request, sendToBackend, { sleep, callService });
      },
    },
    ...options,
  });
  const outcome = await clock.settle(reportPromise);
  await clock.settle(checkouts.stop());
  await sandbox.close();
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

import {
  createCheckoutServer,
  createMemoryStore,
  createMetrics,
  type CheckoutServer,
  type CheckoutServerOptions,
  type CheckoutStore,
  type Outcome,
} from '../../src/server.ts';
import { checkoutParams } from '../support/test-checkout-server.ts';
import { FakeInvoiceService } from '../support/fake-invoice-service.ts';

/** A checkout server with a fake invoice service and an in-memory store, in real time, which a test mounts in a web framework. */
export interface MerchantBackend {
  readonly checkouts: CheckoutServer;
  readonly service: FakeInvoiceService;
  readonly store: CheckoutStore;
  readonly outcomes: readonly Outcome[];
  /** How many long polls the server holds now. */
  readonly heldRequests: () => Promise<number>;
  /** Creates a checkout for a new order, and resolves with its capability. */
  readonly open: () => Promise<string>;
}

export function createMerchantBackend(options: Partial<CheckoutServerOptions> = {}): MerchantBackend {
  const service = new FakeInvoiceService(() => Date.now());
  const store = createMemoryStore();
  const outcomes: Outcome[] = [];
  const metrics = createMetrics();
  const checkouts = createCheckoutServer({
    service,
    store,
    endpoint: 'https://shop.example/checkout',
    mode: 'TEST',
    timing: { fastMs: 100 },
    onOutcome: (outcome) => {
      outcomes.push(outcome);
      return Promise.resolve();
    },
    log: () => undefined,
    metrics,
    ...options,
  });
  checkouts.start();
  let orderCount = 0;
  const open = async (): Promise<string> =>
    (await checkouts.create({ ...checkoutParams, orderId: `order-${(orderCount += 1)}` })).capability;
  const heldRequests = async (): Promise<number> =>
    Number(/^pay_invoice_long_polls (\d+)$/m.exec(await metrics.expose())?.[1]);
  return { checkouts, service, store, outcomes, heldRequests, open };
}

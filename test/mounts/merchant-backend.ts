import {
  createCheckoutServer,
  createMemoryStore,
  type CheckoutServer,
  type CheckoutServerOptions,
  type CheckoutStore,
  type Outcome,
} from '../../src/server.ts';
import { checkoutParams } from '../support/test-checkout-server.ts';
import { FakeService } from '../support/fake-invoice-service.ts';

/** A page of this origin may use the checkout from elsewhere. */
export const listedOrigin = 'https://m.shop.example';

/** A merchant's half of the checkout over a fake service and a store in memory, in real time, to be mounted somewhere. */
export interface Merchant {
  readonly checkouts: CheckoutServer;
  readonly service: FakeService;
  readonly store: CheckoutStore;
  readonly outcomes: readonly Outcome[];
  readonly open: () => Promise<string>;
}

export function createMerchant(options: Partial<CheckoutServerOptions> = {}): Merchant {
  const service = new FakeService(() => Date.now());
  const store = createMemoryStore();
  const outcomes: Outcome[] = [];
  const checkouts = createCheckoutServer({
    service,
    store,
    endpoint: 'https://shop.example/checkout',
    mode: 'TEST',
    allowedOrigins: [listedOrigin],
    timing: { fastMs: 100 },
    onOutcome: (outcome) => {
      outcomes.push(outcome);
      return Promise.resolve();
    },
    log: () => undefined,
    ...options,
  });
  checkouts.start();
  let orders = 0;
  const open = (): Promise<string> => checkouts.create({ ...checkoutParams, order_id: `order-${(orders += 1)}` });
  return { checkouts, service, store, outcomes, open };
}

/** Where a merchant's handler can be reached. */
export interface Mounted {
  /** The address of the checkout API, such as `http://127.0.0.1:8080/checkout`. */
  readonly endpoint: string;
  readonly close: () => Promise<void>;
}

/** Mounts the handler; `trustedProxies` as of the node listener. */
export type Mount = (merchant: Merchant, trustedProxies: number) => Promise<Mounted>;

import { systemClock } from '../../src/base/clock.ts';
import { createMetrics, type CheckoutServer, type CheckoutServerOptions } from '../../src/server.ts';
import type { FakeInvoiceService } from '../support/fake-invoice-service.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

/** A checkout server with a fake invoice service and an in-memory store, in real time, which a test mounts in a web framework. */
export interface MerchantBackend {
  readonly checkouts: CheckoutServer;
  readonly service: FakeInvoiceService;
  /** How many long polls the server holds now. */
  readonly heldRequests: () => Promise<number>;
  /** Creates a checkout for a new order, and resolves with its capability. */
  readonly open: () => Promise<string>;
}

export function createMerchantBackend(options: Partial<CheckoutServerOptions> = {}): MerchantBackend {
  const metrics = createMetrics();
  const harness = new TestCheckoutServer({ clock: systemClock, timing: { fastMs: 100 }, metrics, ...options });
  const { server: checkouts, service } = harness;
  checkouts.start();
  let orderCount = 0;
  const open = async (): Promise<string> =>
    harness.capabilityOf(
      await harness.createCheckout({ orderId: `order-${(orderCount += 1)}`, reference: `R-${orderCount}` }),
    );
  const heldRequests = async (): Promise<number> =>
    Number(/^pay_invoice_long_polls (\d+)$/m.exec(await metrics.expose())?.[1]);
  return { checkouts, service, heldRequests, open };
}

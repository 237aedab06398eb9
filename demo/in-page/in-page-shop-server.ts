import { catalogue, currency, productOf } from '../../server-example/catalogue.ts';
import { sumOf } from '../../src/service-api.ts';
import type { Order, RequestFacts, ShopServer } from '../shop-server-interface.ts';
import { createInPageBackend } from './in-page-checkout-backend.ts';
import { loadAll, save } from './session-storage-stores.ts';

/** The shop's server inside the page. Its orders have the catalogue's prices. The backend's outcome makes an order paid. */
export function createInPageShop(bankPage: URL): ShopServer {
  const orders = new Map(loadAll('order').map((value) => [(value as Order).order_id, value as Order])); // saved by this file
  const listeners: ((request: RequestFacts) => void)[] = [];
  const put = (order: Order): void => {
    orders.set(order.order_id, order);
    save('order', order.order_id, order);
  };
  const backend = createInPageBackend({
    bankPage,
    onOutcome({ kind, orderId }) {
      if (kind === 'paid') put({ order_id: orderId, status: 'paid' });
    },
    onRequest(request) {
      for (const listener of listeners) listener(request);
    },
  });

  return {
    lead: 'leadSimulated',
    products: catalogue,
    async placeOrder(items) {
      const order_id = `ord_${String(Date.now())}`;
      const checkout = await backend.createCheckout({
        orderId: order_id,
        amount: sumOf(items.map(({ sku, quantity }) => ({ price: productOf(sku)?.price ?? '0', quantity }))),
        amountLimits: null,
        currency,
        description: null,
        reference: String(1001 + orders.size),
        successUrl: null,
        failUrl: null,
      });
      put({ order_id, status: 'new' });
      return { order_id, checkout };
    },
    fetchOrder: (orderId) => Promise.resolve(orders.get(orderId) ?? { order_id: orderId, status: 'new' }),
    transportOf: (checkout) => backend.transportOf(checkout),
    control: async (method, path, body) => (await backend.control(method, path, body)).ok,
    watchRequests: (listener) => void listeners.push(listener),
  };
}

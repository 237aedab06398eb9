import type { PayInvoiceElement } from '../src/element.ts';
import { byId, create } from './dom-helpers.ts';
import type { Order, PlacedOrder, ShopServer } from './shop-server-interface.ts';
import { text } from './texts.ts';

/** The order in the page's address: it survives a reload, and a fragment is sent to no server. */
export function orderInAddress(): PlacedOrder | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const order_id = fragment.get('order_id');
  const checkout = fragment.get('checkout');
  return order_id === null || checkout === null ? undefined : { order_id, checkout };
}

/** Shows the payment of an order: creates the element. */
export function showPayment(order: PlacedOrder, server: ShopServer): PayInvoiceElement {
  history.replaceState(null, '', `#${new URLSearchParams({ ...order }).toString()}`);
  turnTo('payment');
  byId('order-id').textContent = order.order_id;

  const widget = create('pay-invoice');
  widget.setAttribute('endpoint', '/checkout');
  widget.setAttribute('checkout', order.checkout);
  widget.setAttribute('page-title', '');
  byId('tag').textContent = widget.outerHTML;
  const transport = server.transportOf(order.checkout);
  if (transport !== undefined) widget.transport = transport;
  byId('widget').replaceChildren(widget);

  const { order_id } = order;
  widget.addEventListener('pay-invoice-paid', () => void showOrderState(order_id, server, 30));
  void showOrderState(order_id, server, 1);
  return widget;
}

/**
 * Shows the order's status on the shop's server, which alone decides about delivery. The server learns of a payment
 * shortly after the payer, so it is polled up to `times` times, once a second.
 */
async function showOrderState(orderId: string, server: ShopServer, times: number): Promise<void> {
  const order: Order = await server.fetchOrder(orderId).catch(() => ({ order_id: orderId, status: 'new' }));
  const { status, other_payments = [] } = order;
  if (orderInAddress()?.order_id !== orderId) return;
  const others = other_payments.map(({ kind, mode, amount }) => `${kind} (${mode}, ${amount})`);
  const checks = others.length === 0 ? '' : ` ${text('orderCheck')} ${others.join(', ')}`;
  byId('order-state').textContent = text(status === 'paid' ? 'orderPaid' : 'orderNew') + checks;
  if (status !== 'paid' && times > 1) setTimeout(() => void showOrderState(orderId, server, times - 1), 1000);
}

/** Back to the catalogue with a fresh address. */
export function showShop(): void {
  history.replaceState(null, '', location.pathname);
  byId('widget').replaceChildren();
  turnTo('shop');
  byId('tag').textContent = '<pay-invoice endpoint="/checkout" checkout="chk_…"></pay-invoice>';
}

function turnTo(view: 'shop' | 'payment'): void {
  byId('shop').hidden = byId('cart').hidden = view !== 'shop';
  byId('payment').hidden = view !== 'payment';
  scrollTo(0, 0);
}

import type { PayInvoiceElement } from '../src/element.ts';
import type { CheckoutStatus } from '../src/protocol.ts';
import { byId, create } from './dom-helpers.ts';
import { orderTexts } from './order-texts.ts';
import type { Order, PlacedOrder, ShopServer } from './shop-server-interface.ts';
import { nameText, text } from './texts.ts';

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
  byId('order-checks').textContent = '';

  const widget = create('pay-invoice');
  widget.setAttribute('endpoint', '/checkout');
  widget.setAttribute('checkout', order.checkout);
  widget.setAttribute('page-title', '');
  byId('tag').textContent = onLines(widget.outerHTML);
  const transport = server.transportOf(order.checkout);
  if (transport !== undefined) widget.transport = transport;
  byId('widget').replaceChildren(widget);

  widget.addEventListener('pay-invoice-status', ({ status }) => {
    void showOrderState(order.order_id, server, status);
  });
  void showOrderState(order.order_id, server, 'open');
  return widget;
}

/** How often the shop's server is asked about an order that the widget shows as paid. */
const mostReads = 30;

/**
 * Shows what has become of the order: by the shop's server, which alone decides about delivery, and by the widget's
 * checkout. The server learns of a payment shortly after the payer, so it is asked once a second until then.
 */
async function showOrderState(orderId: string, server: ShopServer, checkout: CheckoutStatus, reads = 1): Promise<void> {
  const order: Order = await server.fetchOrder(orderId).catch(() => ({ order_id: orderId, status: 'new' }));
  if (orderInAddress()?.order_id !== orderId) return;
  const { title, note } = orderTexts(order.status, checkout);
  nameText(byId('payment-title'), title);
  nameText(byId('order-state'), note);
  const others = (order.other_payments ?? []).map(({ kind, mode, amount }) => `${kind} (${mode}, ${amount})`);
  byId('order-checks').textContent = others.length === 0 ? '' : `${text('orderCheck')} ${others.join(', ')}`;
  if (checkout === 'paid' && order.status !== 'paid' && reads < mostReads)
    setTimeout(() => void showOrderState(orderId, server, checkout, reads + 1), 1000);
}

/** A tag with each attribute on a line of its own. */
function onLines(tag: string): string {
  return tag.replaceAll(/ (?=[\w-]+=)/g, '\n  ').replaceAll('=""', '');
}

/** Back to the catalogue with a fresh address. */
export function showShop(): void {
  history.replaceState(null, '', location.pathname);
  byId('widget').replaceChildren();
  turnTo('shop');
  byId('tag').textContent = onLines('<pay-invoice endpoint="/checkout" checkout="chk_…"></pay-invoice>');
}

function turnTo(view: 'shop' | 'payment'): void {
  byId('shop').hidden = byId('cart').hidden = view !== 'shop';
  byId('payment').hidden = view !== 'payment';
  document.body.classList.toggle('paying', view === 'payment');
  scrollTo(0, 0);
}

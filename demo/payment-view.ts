import type { PayInvoiceElement } from '../src/element.ts';
import type { CheckoutStatus } from '../src/checkout-api.ts';
import type { CheckoutTransport } from '../src/core.ts';
import { methodDrawings } from '../src/base/method-drawings.ts';
import { byId, create, lineDrawing } from './dom-helpers.ts';
import type { Order, PlacedOrder, Shop } from './shop-client.ts';
import { setText, text, type Text } from './page-texts.ts';

/** The order in the fragment of the page's URL, which survives a reload and is sent to no server. */
export function orderInAddress(): PlacedOrder | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const order_id = fragment.get('order_id');
  const checkout = fragment.get('checkout');
  return order_id === null || checkout === null ? undefined : { order_id, checkout };
}

/** Whether the address asks for the catalogue. Without a fragment, it asks for the order that is ready to be paid. */
export const isCatalogueInAddress = (): boolean => location.hash === '#goods';

/** Shows the place of a payment, without an order yet. Returns whether the catalogue had the focus. */
export function showPaymentPlace(): boolean {
  const hadFocus = switchTo('payment');
  showReference(undefined);
  byId('order-checks').textContent = '';
  setText(byId('payment-title'), '');
  return hadFocus;
}

/** Shows the payment of an order in a new element. `attributes`: more attributes of the tag. */
export function showPayment(
  { order_id, checkout }: PlacedOrder,
  shop: Shop,
  attributes: Readonly<Record<string, string>> = {},
): PayInvoiceElement {
  history.replaceState(null, '', `#${new URLSearchParams({ order_id, checkout }).toString()}`);
  const hadFocus = showPaymentPlace();
  const widget = showWidget({ endpoint: '/checkout', checkout, 'page-title': '', ...attributes });

  widget.addEventListener('pay-invoice-ready', () => showReference(widget));
  widget.addEventListener('pay-invoice-status', ({ status }) => {
    showReference(widget);
    void showOrderState(order_id, shop, status);
  });
  // The heading has no text before, which a screen reader could read.
  void showOrderState(order_id, shop, 'open').then(() => {
    if (hadFocus && !widget.matches(':focus-within')) byId('payment-title').focus({ preventScroll: true });
  });
  return widget;
}

/** Shows a payment that is played in the page, with no server behind it. */
export function showScriptedPayment(transport: CheckoutTransport): PayInvoiceElement {
  showPaymentPlace();
  setText(byId('payment-title'), 'orderTitle');
  return showWidget({ checkout: 'chk_demo', ...readyAttributes }, { transport });
}

/** Attributes with which the widget asks for an invoice itself: the payment of an order that is ready. */
export const readyAttributes = { method: 'SBP', 'auto-continue': '' } as const;

/** Shows a new element, and its tag in the developer's panel. */
function showWidget(
  attributes: Readonly<Record<string, string>>,
  properties: Partial<PayInvoiceElement> = {},
): PayInvoiceElement {
  const widget = create('pay-invoice', properties);
  for (const [name, value] of Object.entries(attributes)) widget.setAttribute(name, value);
  byId('tag').textContent = breakAttributes(widget.outerHTML);
  const shopName = create('span', { slot: 'logo' });
  setText(shopName, 'brand');
  widget.append(shopName, ...methodLogos());
  byId('widget').replaceChildren(widget);
  return widget;
}

/** The shop's pictures of the methods, in its colour. */
const methodLogos = (): readonly SVGSVGElement[] =>
  Object.entries(methodDrawings).map(([type, path]) => {
    const logo = lineDrawing(path, 24);
    logo.setAttribute('slot', `method-${type.toLowerCase().replace('_', '-')}`);
    return logo;
  });

/**
 * Shows the order's number for people, which the shop's server stored in the checkout. Its line keeps its place while the
 * number is not known, so that nothing moves under the payer's pointer.
 */
function showReference(widget: PayInvoiceElement | undefined): void {
  const state = widget?.state;
  const reference = state && 'checkout' in state ? state.checkout.reference : null;
  byId('order-reference').textContent = reference;
  byId('order-number').classList.toggle('unknown', reference === null);
}

/** The maximum number of reads of an order that the widget shows as paid and the shop's server does not. */
const maxReads = 30;

/**
 * Shows the status of the order, which the shop's server decides, and of the widget's checkout. The server receives the
 * outcome of a paid checkout shortly after the widget, so the order is then read once a second until it is paid.
 */
async function showOrderState(orderId: string, shop: Shop, checkout: CheckoutStatus, reads = 1): Promise<void> {
  const order: Order = await shop.fetchOrder(orderId).catch(() => ({ order_id: orderId, status: 'new' }));
  if (orderInAddress()?.order_id !== orderId) return;
  const payments = order.other_payments ?? [];
  const { title, note } = orderTexts(order.status, checkout, payments.length > 0);
  setText(byId('payment-title'), title);
  setText(byId('order-state'), note ?? '');
  const otherPayments = payments.map(({ kind, mode, amount }) => `${kind} (${mode}, ${amount})`);
  byId('order-checks').textContent =
    otherPayments.length === 0 ? '' : `${text('orderCheck')} ${otherPayments.join(', ')}`;
  if (checkout === 'paid' && order.status !== 'paid' && reads < maxReads)
    setTimeout(() => void showOrderState(orderId, shop, checkout, reads + 1), 1000);
}

/**
 * The heading and the line above the widget, which says nothing that the widget says: until there is an outcome, it has the
 * order's number. Only the shop's server decides that an order is paid: it may have received a payment that the widget does not show yet. `hasPaymentInCheck` is true when a person at the shop has to check a payment.
 * The payer is then not asked to pay.
 */
export function orderTexts(
  order: Order['status'],
  checkout: CheckoutStatus,
  hasPaymentInCheck = false,
): { readonly title: Text; readonly note?: Text } {
  if (order === 'paid') return { title: 'orderThanks', note: 'orderPaid' };
  switch (checkout) {
    case 'paid':
      return { title: 'orderThanks', note: 'orderConfirming' };
    case 'failed':
    case 'expired':
      return { title: 'orderUnpaid', note: 'orderKept' };
    case 'closed':
      return { title: 'orderUnpaid', note: 'orderClosed' };
    case 'open':
    case 'pending':
      return hasPaymentInCheck ? { title: 'orderUnpaid', note: 'orderKept' } : { title: 'orderTitle' };
  }
}

/** A tag with each attribute on its own line. */
function breakAttributes(tag: string): string {
  return tag.replaceAll(/ (?=[\w-]+=)/g, '\n  ').replaceAll('=""', '');
}

/** Shows the catalogue, and removes the order from the page's URL. */
export function showShop(): void {
  history.replaceState(null, '', '#goods');
  byId('widget').replaceChildren();
  if (switchTo('shop')) byId('shop-title').focus({ preventScroll: true });
  byId('tag').textContent = breakAttributes('<pay-invoice endpoint="/checkout" checkout="chk_…"></pay-invoice>');
}

/** Shows a view in place of the other one. Returns whether that had the focus, which is then lost. */
function switchTo(view: 'shop' | 'payment'): boolean {
  const others = view === 'shop' ? [byId('payment')] : [byId('shop'), byId('cart')];
  const hadFocus = others.some((other) => other.contains(document.activeElement));
  byId('shop').hidden = byId('cart').hidden = view !== 'shop';
  byId('payment').hidden = view !== 'payment';
  document.body.classList.toggle('paying', view === 'payment');
  scrollTo(0, 0);
  return hadFocus;
}

// The demo shop: an order that is ready to be paid with the element, things to try with it, and the catalogue to order from. A panel
// shows the element's state, requests and events.
import { Cart } from './cart-view.ts';
import { DeveloperPanel } from './developer-panel.ts';
import { byId } from './dom-helpers.ts';
import { connectHeader } from './page-header.ts';
import {
  isCatalogueInAddress,
  orderInAddress,
  readyAttributes,
  showPayment,
  showPaymentPlace,
  showScriptedPayment,
  showShop,
} from './payment-view.ts';
import { createScriptedCheckout } from './scripted-checkout.ts';
import { connectShop, type PlacedOrder, type Shop } from './shop-client.ts';
import { currentLanguage, setText, text } from './page-texts.ts';
import { payableInvoice, ThingsToTry, type BankDecision } from './things-to-try.ts';

function showProducts(shop: Shop): void {
  const { control } = shop;
  const cart = new Cart(shop.products);
  const panel = new DeveloperPanel(shop);
  const things = new ThingsToTry(() => void openReadyOrder());

  function render(): void {
    cart.render();
    panel.renderControls();
    void control?.('PUT', 'settings', { language: currentLanguage() }); // the names of banks and recipients
  }

  function openOrder(order: PlacedOrder | undefined, attributes = {}): void {
    if (order === undefined) showShop();
    const widget = order === undefined ? undefined : showPayment(order, shop, attributes);
    panel.watch(widget);
    const decide = (decision: BankDecision): void => {
      void control?.('POST', `invoices/${encodeURIComponent(payableInvoice(widget)?.id ?? '')}/${decision}`);
    };
    things.watch(widget === undefined || control === null ? undefined : { widget, decide });
  }

  /** Places an order, and asks for its invoice. Its place is shown before, so that nothing moves when it comes. */
  async function openReadyOrder(): Promise<void> {
    showPaymentPlace();
    byId('trial').hidden = false;
    const order = await shop.placeOrder([{ sku: 'cup', quantity: 1 }]).catch(() => undefined);
    openOrder(order, readyAttributes);
    if (order === undefined) byId('problem').textContent = text('offline');
  }

  /** Without a sandbox, an invoice is one of a real service: nobody has asked for it. */
  function openAddress(): void {
    const order = orderInAddress();
    if (order === undefined && !isCatalogueInAddress() && control !== null) void openReadyOrder();
    else openOrder(order);
  }

  byId('cart').addEventListener('submit', (event) => {
    event.preventDefault();
    byId('problem').textContent = '';
    shop.placeOrder(cart.items).then(openOrder, () => {
      byId('problem').textContent = text('offline');
    });
  });
  byId('back').addEventListener('click', () => openOrder(undefined));
  addEventListener('hashchange', openAddress);

  setText(byId('lead'), shop.lead);
  connectHeader(render);
  render();
  openAddress();
}

/** Any web server can serve the pages; the products and the orders are the shop's server's. The payment is then played in the page. */
function showWithoutServer(): void {
  byId('developer').hidden = byId('back').hidden = true;
  setText(byId('trial-note'), 'thingsNoteNoServer');
  const things = new ThingsToTry(openScriptedOrder);

  function openScriptedOrder(): void {
    const payment = createScriptedCheckout({ amount: '1500.00', currency: 'RUB' });
    const widget = showScriptedPayment(payment.transport);
    setText(byId('order-state'), 'leadNoServer');
    things.watch({ widget, decide: (decision) => payment.settle(decision === 'pay' ? 'paid' : 'expired') });
  }

  connectHeader(() => undefined);
  openScriptedOrder();
}

await connectShop().then(showProducts, showWithoutServer);

// The demo shop: the visitor orders and pays with the element. A panel shows the element's state, requests and events.
import { Cart } from './cart-view.ts';
import { DeveloperPanel } from './developer-panel.ts';
import { byId } from './dom-helpers.ts';
import { connectHeader } from './page-header.ts';
import { orderInAddress, showPayment, showShop } from './payment-view.ts';
import { connectShop, type PlacedOrder, type Shop } from './shop-client.ts';
import { currentLanguage, setText, text } from './page-texts.ts';

function showProducts(shop: Shop): void {
  const cart = new Cart(shop.products);
  const panel = new DeveloperPanel(shop);

  function render(): void {
    cart.render();
    panel.renderControls();
    void shop.control?.('PUT', 'settings', { language: currentLanguage() }); // the names of banks and recipients
  }

  function openOrder(order: PlacedOrder | undefined): void {
    if (order === undefined) showShop();
    panel.watch(order === undefined ? undefined : showPayment(order, shop));
  }

  byId('cart').addEventListener('submit', (event) => {
    event.preventDefault();
    byId('problem').textContent = '';
    shop.placeOrder(cart.items).then(openOrder, () => {
      byId('problem').textContent = text('offline');
    });
  });
  byId('back').addEventListener('click', () => openOrder(undefined));
  addEventListener('hashchange', () => openOrder(orderInAddress()));

  setText(byId('lead'), shop.lead);
  connectHeader(render);
  render();
  openOrder(orderInAddress());
}

/** Any web server can serve the pages; the products and the orders are the shop's server's. */
function showWithoutServer(): void {
  setText(byId('lead'), 'leadNoServer');
  byId('side').hidden = true;
  connectHeader(() => undefined);
}

await connectShop().then(showProducts, showWithoutServer);

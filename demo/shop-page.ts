// The demo shop: the visitor orders and pays with the element. A panel shows the element's state, requests and events.
import { Cart } from './cart-view.ts';
import { DeveloperPanel } from './developer-panel.ts';
import { byId } from './dom-helpers.ts';
import { connectHeader } from './page-header.ts';
import { orderInAddress, showPayment, showShop } from './payment-view.ts';
import { loadInPageShopServer } from './in-page/load-in-page-servers.ts';
import type { PlacedOrder } from './shop-server-interface.ts';
import { currentLanguage, text } from './page-texts.ts';

/** Whether the page is part of the static site, which has no server: the shop's server then runs in the page. */
const isInPage = import.meta.env.MODE === 'site';
const server = isInPage
  ? (await loadInPageShopServer()).createInPageShop(new URL('demo/in-page-bank.html', document.baseURI))
  : await (await import('./http-shop-client.ts')).connectShop();
const cart = new Cart(server.products);
const panel = new DeveloperPanel(server);

function render(): void {
  byId('lead').textContent = text(server.lead);
  cart.render();
  panel.renderControls();
  void server.control?.('PUT', 'settings', { language: currentLanguage() }); // the names of banks and recipients
}

function openOrder(order: PlacedOrder | undefined): void {
  if (order === undefined) showShop();
  panel.watch(order === undefined ? undefined : showPayment(order, server));
}

byId('cart').addEventListener('submit', (event) => {
  event.preventDefault();
  byId('problem').textContent = '';
  server.placeOrder(cart.items).then(openOrder, () => {
    byId('problem').textContent = text('offline');
  });
});

byId('back').addEventListener('click', () => openOrder(undefined));

window.addEventListener('hashchange', () => openOrder(orderInAddress()));

connectHeader(render);
render();
openOrder(orderInAddress());

// The demo shop: choose, order, pay with the element, and watch its state, requests and events beside it.
import { Cart } from './cart-view.ts';
import { DeveloperPanel } from './developer-panel.ts';
import { byId } from './dom-helpers.ts';
import { connectHeader } from './page-header.ts';
import { orderInAddress, showPayment, showShop } from './payment-view.ts';
import { loadInPageShopServer } from './in-page/load-in-page-servers.ts';
import type { PlacedOrder } from './shop-server-interface.ts';
import { text } from './page-texts.ts';

/** The site has no server: the shop's server runs in the page. */
const isInPage = import.meta.env.MODE === 'site';
const server = isInPage
  ? (await loadInPageShopServer()).createInPageShop(new URL('demo/in-page-bank.html', document.baseURI))
  : await (await import('./http-shop-client.ts')).connectShop();
const cart = new Cart(server.products);
const panel = new DeveloperPanel(server);

function render(): void {
  if (isInPage) byId('lead').textContent = text('leadSimulated');
  cart.render();
  panel.renderControls();
}

function open(order: PlacedOrder | undefined): void {
  if (order === undefined) showShop();
  panel.watch(order === undefined ? undefined : showPayment(order, server));
}

byId('cart').addEventListener('submit', (event) => {
  event.preventDefault();
  byId('problem').textContent = '';
  server.placeOrder(cart.items).then(open, () => {
    byId('problem').textContent = text('offline');
  });
});

byId('back').addEventListener('click', () => open(undefined));

window.addEventListener('hashchange', () => open(orderInAddress()));

connectHeader(render);
render();
open(orderInAddress());

// The demo shop: choose, order, pay with the element, and watch its state, requests and events beside it.
import { Cart } from './cart-view.ts';
import { DeveloperPanel } from './developer-panel.ts';
import { byId } from './dom-helpers.ts';
import { orderInAddress, showPayment, showShop } from './payment-view.ts';
import { loadInPageShopServer } from './in-page/load-in-page-servers.ts';
import type { PlacedOrder } from './shop-server-interface.ts';
import { currentLanguage, fillTexts, text } from './texts.ts';

/** The site has no server: the shop's server runs in the page. */
const isInPage = import.meta.env.MODE === 'site';
const server = isInPage
  ? (await loadInPageShopServer()).createInPageShop(new URL('demo/in-page-bank.html', document.baseURI))
  : await (await import('./http-shop-server.ts')).connectShop();
const cart = new Cart(server.products);
const panel = new DeveloperPanel(server);

function draw(): void {
  fillTexts();
  if (isInPage) byId('lead').textContent = text('leadPlayed');
  byId('language').textContent = text('otherLanguage');
  byId('theme').textContent = text(isDark() ? 'light' : 'dark');
  cart.draw();
  panel.draw();
}

function open(order: PlacedOrder | undefined): void {
  if (order === undefined) showShop();
  panel.watch(order === undefined ? undefined : showPayment(order, server));
}

function isDark(): boolean {
  return document.documentElement.dataset['theme'] === undefined
    ? matchMedia('(prefers-color-scheme: dark)').matches
    : document.documentElement.dataset['theme'] === 'dark';
}

byId('cart').addEventListener('submit', (event) => {
  event.preventDefault();
  byId('problem').textContent = '';
  server.placeOrder(cart.items).then(open, () => {
    byId('problem').textContent = text('offline');
  });
});

byId('back').addEventListener('click', () => open(undefined));

byId('language').addEventListener('click', () => {
  localStorage.setItem('language', currentLanguage() === 'ru' ? 'en' : 'ru');
  draw();
});

byId('theme').addEventListener('click', () => {
  document.documentElement.dataset['theme'] = isDark() ? 'light' : 'dark';
  byId('theme').textContent = text(isDark() ? 'light' : 'dark');
});

window.addEventListener('hashchange', () => open(orderInAddress()));

draw();
open(orderInAddress());

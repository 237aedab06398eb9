import { button, byId, create, lineDrawing } from './dom-helpers.ts';
import { sumOf } from '../src/base/decimal.ts';
import type { Product } from './shop-client.ts';
import { currentLanguage, formatRoubles, text } from './page-texts.ts';

/** Line drawings of the products as SVG paths on a grid of 64 × 64, by the catalogue's `picture`; a leaf where there is none. */
const drawings: Readonly<Record<string, string>> = {
  leaf: 'M14 50C12 26 26 14 50 14c1 24-11 38-36 36Zm0 0 22-22M24 40v-9m0 9h9m-1-8v-7m0 7h7',
  cup: 'M14 26h30v14c0 6-4 10-10 10H24c-6 0-10-4-10-10V26Zm30 3h4a5 5 0 0 1 0 12h-4M22 19c-3-4 3-5 0-9m8 9c-3-4 3-5 0-9m8 9c-3-4 3-5 0-9',
  flower:
    'M32 30a5 5 0 1 0 0-10 5 5 0 0 0 0 10Zm0-10c-5-10 5-10 0 0Zm0 10c-5 10 5 10 0 0Zm-5-5c-10-5-10 5 0 0Zm10 0c10-5 10 5 0 0ZM32 36v20m0-4c-8 0-12-4-13-10 7 0 12 4 13 10Zm0-4c6 0 10-3 11-9-6 0-10 3-11 9Z',
  bowl: 'M10 26h44c0 12-7 20-16 22v4H26v-4C17 46 10 38 10 26Zm4 6c10 5 26 5 36 0',
  teapot:
    'M18 28h26c4 6 4 16-2 24H20c-6-8-6-18-2-24Zm4 0c0-5 4-8 9-8s9 3 9 8M31 20v-5m13 19c8-1 8-8 14-8-2 10-5 14-13 16M17 32c-10-2-12 12-1 12',
  vase: 'M26 10h12m-10 0c2 8-12 14-12 28 0 8 6 12 8 16h16c2-4 8-8 8-16 0-14-14-20-12-28M17 34c10 4 20 4 30 0',
  set: 'M8 34h20v8c0 5-3 8-7 8h-6c-4 0-7-3-7-8v-8Zm20 2c6-1 6 8 0 8M36 34h20v8c0 5-3 8-7 8h-6c-4 0-7-3-7-8v-8Zm20 2c5-1 5 8 0 8M22 28c0-8 4-12 10-12s10 4 10 12M32 16v-5M4 54h56',
  kiln: 'M12 54V28c0-11 9-18 20-18s20 7 20 18v26H12Zm10 0V38c0-6 4-10 10-10s10 4 10 10v16M32 50c-6-4-1-7-1-12 6 3 7 9 1 12Z',
};

/** Renders the catalogue and the cart. */
export class Cart {
  readonly #products: readonly Product[];
  readonly #quantities = new Map<string, number>();
  /** By SKU, the element on the product's card that shows how many of the product are in the cart. */
  readonly #counts = new Map<string, HTMLElement>();

  constructor(products: readonly Product[]) {
    this.#products = products;
    byId('to-cart').addEventListener('click', () => {
      byId('cart').scrollIntoView({ block: 'center' });
      byId('cart-title').focus({ preventScroll: true });
    });
    // The bar that leads to the cart is hidden while the cart is on the screen, where it would cover the cart.
    new IntersectionObserver(([entry]) => {
      byId('cart-bar').classList.toggle('arrived', entry?.isIntersecting === true);
    }).observe(byId('cart'));
  }

  /** The items of an order. */
  get items(): readonly { readonly sku: string; readonly quantity: number }[] {
    return this.#chosen.map(({ sku, quantity }) => ({ sku, quantity }));
  }

  get #chosen(): readonly (Product & { readonly quantity: number })[] {
    return this.#products
      .map((product) => ({ ...product, quantity: this.#quantities.get(product.sku) ?? 0 }))
      .filter(({ quantity }) => quantity > 0);
  }

  /** Renders the catalogue and the cart in the page's language. */
  render(): void {
    byId('products').replaceChildren(...this.#products.map((product) => this.#card(product)));
    this.#renderCart();
  }

  #card(product: Product): HTMLElement {
    const addButton = button(text('add'), '', () => {
      this.#change(product.sku, 1);
      byId('added').textContent = `${product.name[currentLanguage()]}: ${this.#countText(product.sku)}`;
    });
    addButton.setAttribute('aria-label', `${text('add')}: ${product.name[currentLanguage()]}`);
    const count = create('span', { className: 'count' }, this.#countText(product.sku));
    this.#counts.set(product.sku, count);
    return create(
      'li',
      { className: 'product' },
      create('div', { className: 'picture' }, lineDrawing(drawings[product.picture] ?? drawings['leaf'] ?? '', 64)),
      create('div', { className: 'name' }, product.name[currentLanguage()]),
      create(
        'footer',
        {},
        create('div', {}, create('span', { className: 'price' }, formatRoubles(product.price)), count),
        addButton,
      ),
    );
  }

  /** The text on a product's card: how many of the product are in the cart. Empty when there are none. */
  #countText(sku: string): string {
    const count = this.#quantities.get(sku) ?? 0;
    return count === 0 ? '' : text('inOrder', { count: String(count) });
  }

  #renderCart(): void {
    const lines = this.#chosen;
    byId('lines').replaceChildren(...lines.map((line) => this.#line(line)));
    const total = formatRoubles(sumOf(lines));
    byId('total').textContent = total;
    for (const [sku, count] of this.#counts) count.textContent = this.#countText(sku);
    const count = lines.reduce((sum, { quantity }) => sum + quantity, 0);
    byId('to-cart').replaceChildren(
      create('span', {}, text('toCart', { count: String(count) })),
      create('span', { className: 'price' }, total),
    );
    byId('cart-bar').hidden = count === 0;
    for (const [selector, shown] of [
      ['.empty', lines.length === 0],
      ['.total', lines.length > 0],
    ] as const) {
      byId('cart').querySelector(selector)?.toggleAttribute('hidden', !shown);
    }
    byId('cart')
      .querySelector('.primary')
      ?.toggleAttribute('disabled', lines.length === 0);
  }

  #line({ sku, name, price, quantity }: Product & { readonly quantity: number }): HTMLElement {
    const step = (label: 'less' | 'more', sign: string, by: number): HTMLButtonElement => {
      const stepper = button(sign, '', () => this.#change(sku, by));
      stepper.setAttribute('aria-label', `${text(label)}: ${name[currentLanguage()]}`);
      return stepper;
    };
    return create(
      'li',
      {},
      create('span', {}, name[currentLanguage()]),
      create(
        'span',
        { className: 'stepper' },
        step('less', '−', -1),
        create('span', {}, String(quantity)),
        step('more', '+', 1),
      ),
      create('span', { className: 'price' }, formatRoubles(sumOf([{ price, quantity }]))),
    );
  }

  #change(sku: string, by: number): void {
    const quantity = (this.#quantities.get(sku) ?? 0) + by;
    this.#quantities.set(sku, Math.min(99, Math.max(0, quantity)));
    this.#renderCart();
  }
}

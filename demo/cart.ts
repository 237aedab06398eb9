import { button, byId, create } from './dom.ts';
import { sumOf } from '../src/base/decimal.ts';
import { formatRoubles } from './money.ts';
import { drawing } from './pictures.ts';
import type { Product } from './shop-api.ts';
import { currentLanguage, text } from './texts.ts';

/** The catalogue and the cart on the page; `items` is what an order is made of. */
export class Cart {
  readonly #products: readonly Product[];
  readonly #quantities = new Map<string, number>();

  constructor(products: readonly Product[]) {
    this.#products = products;
  }

  get items(): readonly { readonly sku: string; readonly quantity: number }[] {
    return this.#chosen.map(({ sku, quantity }) => ({ sku, quantity }));
  }

  get #chosen(): readonly (Product & { readonly quantity: number })[] {
    return this.#products
      .map((product) => ({ ...product, quantity: this.#quantities.get(product.sku) ?? 0 }))
      .filter(({ quantity }) => quantity > 0);
  }

  /** Draws catalogue and cart, in the page's language. */
  draw(): void {
    byId('products').replaceChildren(...this.#products.map((product) => this.#card(product)));
    this.#drawCart();
  }

  #card(product: Product): HTMLElement {
    const add = button(text('add'), '', () => this.#change(product.sku, 1));
    add.setAttribute('aria-label', `${text('add')}: ${product.name[currentLanguage()]}`);
    return create(
      'li',
      { className: 'product' },
      create('div', { className: 'picture' }, drawing(product.picture)),
      create('div', { className: 'name' }, product.name[currentLanguage()]),
      create('footer', {}, create('span', { className: 'price' }, formatRoubles(product.price)), add),
    );
  }

  #drawCart(): void {
    const chosen = this.#chosen;
    byId('lines').replaceChildren(...chosen.map((line) => this.#line(line)));
    byId('total').textContent = formatRoubles(sumOf(chosen));
    for (const [selector, shown] of [
      ['.empty', chosen.length === 0],
      ['.total', chosen.length > 0],
    ] as const) {
      byId('cart').querySelector(selector)?.toggleAttribute('hidden', !shown);
    }
    byId('cart')
      .querySelector('.primary')
      ?.toggleAttribute('disabled', chosen.length === 0);
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
      create('span', { className: 'stepper' }, step('less', '−', -1), String(quantity), step('more', '+', 1)),
      create('span', { className: 'price' }, formatRoubles(sumOf([{ price, quantity }]))),
    );
  }

  #change(sku: string, by: number): void {
    const quantity = (this.#quantities.get(sku) ?? 0) + by;
    this.#quantities.set(sku, Math.min(99, Math.max(0, quantity)));
    this.#drawCart();
  }
}

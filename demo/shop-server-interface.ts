import type { CheckoutTransport } from '../src/core.ts';

/** A product of the shop's catalogue: the price is a decimal string in roubles, the picture the name of a drawing. */
export interface Product {
  readonly sku: string;
  readonly name: { readonly ru: string; readonly en: string };
  readonly price: string;
  readonly picture: string;
}

/** A line of a cart; the browser has no say in its price. */
interface CartItem {
  readonly sku: string;
  readonly quantity: number;
}

/** An order as the shop's server returns it. */
export interface Order {
  readonly order_id: string;
  readonly status: 'new' | 'paid';
  /** Payments that a person at the shop has to check. */
  readonly other_payments?: readonly { readonly kind: string; readonly mode: string; readonly amount: string }[];
}

/** What an order was answered with: its id, and the capability of its checkout. */
export interface PlacedOrder {
  readonly order_id: string;
  readonly checkout: string;
}

/** One request that the page made, as it was answered. */
export interface RequestFacts {
  readonly method: string;
  /** The address without the capability, such as `/checkout/…/invoice`. */
  readonly path: string;
  /** 0: no answer came. */
  readonly status: number;
  /** Milliseconds on `performance`'s clock, and how many it took. */
  readonly start: number;
  readonly duration: number;
}

/** What the shop's pages need of a server. */
export interface ShopServer {
  readonly products: readonly Product[];
  placeOrder(items: readonly CartItem[]): Promise<PlacedOrder>;
  fetchOrder(orderId: string): Promise<Order>;
  /** The widget's way to a checkout; undefined: its own, over HTTP. */
  transportOf(checkout: string): CheckoutTransport | undefined;
  /** Sends a request to the sandbox's control API. Resolves with whether it succeeded; null with a real service. */
  readonly control: ((method: string, path: string, body?: unknown) => Promise<boolean>) | null;
  /** Calls back for each request that the page makes. */
  watchRequests(listener: (request: RequestFacts) => void): void;
}

/** An address without its origin and without the capability in it. */
export function pathWithoutSecret(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname.replace(/\/(?:chk|ord)_[\w-]+/, '/…') + search;
}
